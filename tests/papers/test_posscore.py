"""POSSCORE's tables on the paper's own data (Liu et al., CIKM 2021)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from convoscope.reproduce import printed_values, reproduce
from convoscope.reproduce.posscore_study import BASELINES, RECOMMENDED

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("CONVOSCOPE_DATA", ROOT.parent / "shared" / "data")) / "usr"

needs_data = pytest.mark.skipif(
    not (DATA / "tc_usr_data.json").is_file(),
    reason=f"no {DATA / 'tc_usr_data.json'}: point CONVOSCOPE_DATA at the folder of the corpora",
)


@pytest.fixture(scope="module")
def result():
    return reproduce("posscore", DATA)


def ours(result, table, row, column):
    return result.table(table).rows[row][column].ours


@needs_data
def test_topical_chat_has_the_papers_550_sets(result):
    cell = result.table("Table 5").rows["TC"]["evaluation sets"]
    assert (cell.ours, cell.paper) == (550, 550)


@needs_data
@pytest.mark.parametrize("metric", BASELINES)
def test_baselines_are_within_three_points_of_table_9(result, metric):
    cell = result.table("Table 9, TC").rows[metric]["value"]
    assert cell.ours == pytest.approx(cell.paper, abs=0.03)


@needs_data
def test_posscore_reaches_the_paper(result):
    assert ours(result, "Table 9, TC", RECOMMENDED, "value") >= 0.730


@needs_data
def test_order_of_table_9(result):
    value = {m: ours(result, "Table 9, TC", m, "value") for m in BASELINES}
    bleu = max(value[f"BLEU{n}"] for n in (1, 2, 3, 4))
    assert ours(result, "Table 9, TC", RECOMMENDED, "value") > max(value["METEOR"], value["EA"])
    assert min(value["METEOR"], value["EA"]) > bleu


@needs_data
def test_hard_matching_cells_of_table_7_are_close(result):
    """85 cells of BLEU and METEOR over extracted words: nothing here depends on vectors."""
    rows = result.table("Table 7, TC").rows
    gaps = [
        abs(cell.difference)
        for row, cells in rows.items()
        for metric, cell in cells.items()
        if row != "Baseline" and metric != "EA"
    ]
    assert len(gaps) == 85
    assert sum(gaps) / len(gaps) < 0.02
    assert max(gaps) < 0.08


@needs_data
def test_sets_without_words_of_the_tags_are_what_the_paper_leaves_out(result):
    """0.221, 0.225, 0.238 and 0.575 are fractions of 240 sets, and of no number near 550."""
    cell = result.table("Table 7, TC").rows["ADJ"]["METEOR"]
    assert cell.details["sets"] == pytest.approx(240, abs=25)
    assert cell.ours == pytest.approx(cell.paper, abs=0.03)
    assert cell.details["all_sets"] < cell.paper - 0.05


@needs_data
def test_doubled_bad_responses_lift_bleu_and_leave_ea_alone(result):
    rows = result.table("Table 11, TC").rows
    for metric in ("BLEU2", "BLEU4"):
        assert rows[metric]["bad responses twice"].ours > rows[metric]["as they are"].ours + 0.05
    assert rows["EA"]["bad responses twice"].ours == pytest.approx(
        rows["EA"]["as they are"].ours, abs=0.005
    )


@needs_data
def test_good_responses_are_nearer_the_reference_than_bad_ones(result):
    """Figure 1's trend (section 3.2) for the tags the paper names."""
    rows = result.table("Figure 1, TC").rows
    for tag in ("ADV", "PROPN", "NOUN"):
        reference, good, bad = (rows[tag][c].ours for c in ("reference", "good", "bad"))
        assert abs(good - reference) < abs(bad - reference)


def test_printed_values_agree_where_the_paper_prints_them_twice():
    printed = printed_values("posscore")
    for metric in BASELINES:
        for key in ("TC", "PC", "MSDialog"):
            (value,) = printed["table_7"]["rows"]["Baseline"][metric][key]
            assert printed["table_8"]["rows"]["Baseline"][metric][key] == [value]
            assert printed["table_9"]["rows"][metric][key]["value"] == value
    for key, cell in printed["table_10"]["rows"]["POSSCORE"].items():
        assert printed["table_9"]["rows"][f"POSScore(tags={RECOMMENDED})"][key]["value"] == cell[0]
