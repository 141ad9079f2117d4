"""POSSCORE's tables (Liu, Zhou, Mao, Wilson, CIKM 2021) on the USR annotations.

The evaluation sets are those of section 4.1: for each context, every two responses whose mean
``Overall`` rating differs; the original ground truth is the reference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from convoscope._version import __version__
from convoscope.errors import InputError
from convoscope.io import load
from convoscope.meta.pairs import paired_t_test
from convoscope.meta.study import stars
from convoscope.reproduce import printed_values
from convoscope.reproduce.posscore_study import (
    BASELINES,
    RECOMMENDED,
    TAGS,
    PosscoreStudy,
)
from convoscope.reproduce.tables import Cell, PaperTable, Reproduction
from convoscope.scoring import evaluate

__all__ = ["COLLECTIONS", "OPTIONS", "reproduce"]

OPTIONS = {
    "vectors": "word vectors of EA and POSSCORE: a file, as fastText's, which the paper used",
    "tagger": "an installed spaCy model in place of the embedded tagger",
}
"""What ``--option NAME=VALUE`` sets."""

COLLECTIONS = {"TC": "tc_usr_data.json", "PC": "pc_usr_data.json"}
"""The paper's collections that can be had, and their files."""

_SETS = (
    "Sets whose reference, good or bad response has no word of the tag set are left out. The paper "
    "does not say so, but its values do: for ADJ, 0.221, 0.225, 0.238 and 0.575 are fractions of "
    "240 sets and of no number near 550. The JSON has in each cell our number of sets, and the "
    "value over all sets."
)


def reproduce(
    data: Path,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    vectors: str = "embedded",
    tagger: str = "embedded",
) -> Reproduction:
    """Compute tables 1, 5 and 7-12, figures 1 and 3 from the files that are in a folder.

    Parameters
    ----------
    data
        The folder with ``tc_usr_data.json``, ``pc_usr_data.json`` or both.
    seed
        For the bootstrap intervals.
    progress
        Called with (collections done, collections in all).
    vectors
        Word vectors of EA and POSSCORE: ``"embedded"``, or a file; the paper used fastText's.
    tagger
        ``"embedded"``, or an installed spaCy model; the paper used one of spaCy's.

    Raises
    ------
    InputError
        Neither file is there.
    """
    found = {k: data / f for k, f in COLLECTIONS.items() if (data / f).is_file()}
    if not found:
        raise InputError(
            f"no {' or '.join(COLLECTIONS.values())} here; they are the annotations of "
            "USR (Mehri and Eskenazi 2020), http://shikib.com/usr",
            where=str(data),
        )
    printed = printed_values("posscore")
    studies: dict[str, PosscoreStudy] = {}
    tables: list[PaperTable] = []
    for done, (key, file) in enumerate(found.items()):
        if progress is not None:
            progress(done, len(found))
        study = studies[key] = PosscoreStudy(load("usr", file), vectors=vectors, tagger=tagger)
        tables += [
            _wrapper_table(key, study, printed["table_7"], "Table 7", "PWE"),
            _wrapper_table(key, study, printed["table_8"], "Table 8", "PTLC"),
            _table_9(key, study, printed["table_9"], seed),
            _table_10(key, study, printed["table_10"]),
            _table_11(key, study, printed["table_11"]),
            _figure_1(key, study, printed["figure_1"]),
            _figure_3(key, study, printed["figure_3"]),
        ]
    if progress is not None:
        progress(len(found), len(found))
    tables.insert(0, _table_5(studies, printed["table_5"]))
    tables += [
        _example(study, printed["table_1"], "Table 1", ("Good candidate", "Bad candidate")),
        _example(study, printed["table_12"], "Table 12", ("Candidate1", "Candidate2")),
    ]
    missing = [f for f in COLLECTIONS.values() if f not in {p.name for p in found.values()}]
    notes = [printed["marks"]]
    notes += [f"{f} is not in the folder: its columns are left out" for f in missing]
    notes.append("MSDialog is left out: it needs an agreement with its owners")
    metrics = dict(next(iter(studies.values())).table.signatures)
    digests = {k: hashlib.sha256(f.read_bytes()).hexdigest() for k, f in found.items()}
    signature = {"version": __version__, "seed": seed, "data": digests, "metrics": metrics}
    return Reproduction("posscore", printed["paper"], tuple(tables), tuple(notes), signature)


def _table_5(studies: Mapping[str, PosscoreStudy], printed: Mapping[str, Any]) -> PaperTable:
    notes = []
    if "PC" in studies and len(studies["PC"].pairs) != printed["values"]["PC"]:
        notes.append("the paper does not say how it paired PersonaChat's responses")
    rows = {
        key: {
            "evaluation sets": Cell(
                printed["values"][key],
                len(study.pairs),
                details={"equal_judgements": study.pairs.equal},
            )
        }
        for key, study in studies.items()
    }
    return PaperTable(
        "Table 5", printed["title"], ("evaluation sets",), rows, tuple(notes), digits=0
    )


def _wrapper_table(
    key: str, study: PosscoreStudy, printed: Mapping[str, Any], number: str, wrapper: str
) -> PaperTable:
    """Tables 7 and 8: a wrapper around each baseline, tested against that baseline."""
    rows: dict[str, dict[str, Cell]] = {}
    for label in ("Baseline", *map(str, TAGS)):
        rows[label] = {}
        for short in BASELINES:
            value, *mark = printed["rows"][label][short][key]
            plain = study.agreement(study.baseline(short))
            if label == "Baseline":
                rows[label][short] = Cell(
                    value, study.power(plain), details={"sets": study.sets(plain)}
                )
                continue
            everywhere = study.agreement(study.wrapped(wrapper, short, label))
            ours = study.where_words(everywhere, label)
            p, reason = paired_t_test(ours, plain)
            details = {
                "sets": study.sets(ours),
                "all_sets": study.power(everywhere),
                "p": p,
                "reason": reason,
            }
            rows[label][short] = Cell(
                value, study.power(ours), "".join(mark), stars(p), details=details
            )
    return PaperTable(f"{number}, {key}", printed["title"], BASELINES, rows, (_SETS,))


def _table_9(key: str, study: PosscoreStudy, printed: Mapping[str, Any], seed: int) -> PaperTable:
    """POSSCORE and baselines; sig_b against the best baseline, sig_p against PWE of it."""
    # The paper's best, even where ours is another: marks of the same test can be compared.
    best = max(BASELINES, key=lambda m: float(printed["rows"][m][key]["value"]))
    baseline = study.agreement(study.baseline(best))
    intervals = study.intervals(seed)
    rows: dict[str, dict[str, Cell]] = {}
    for short in BASELINES:
        metric = study.baseline(short)
        value = printed["rows"][short][key]["value"]
        rows[short] = {"value": Cell(value, study.value(metric), details=intervals[str(metric)])}
    for tags in map(str, TAGS):
        metric = study.posscore(tags)
        paper = printed["rows"][f"POSScore(tags={tags})"][key]
        ours = study.agreement(metric)
        words = study.where_words(study.agreement(study.wrapped("PWE", best, tags)), tags)
        p_b, reason_b = paired_t_test(ours, baseline)
        p_p, reason_p = paired_t_test(ours, words)
        rows[tags] = {
            "value": Cell(paper["value"], study.value(metric), details=intervals[str(metric)]),
            "sig_b": Cell(
                None, None, paper.get("sig_b", ""), stars(p_b), {"p": p_b, "reason": reason_b}
            ),
            "sig_p": Cell(
                None, None, paper.get("sig_p", ""), stars(p_p), {"p": p_p, "reason": reason_p}
            ),
        }
    notes = (
        f"sig_b: against {best}, the paper's best baseline here; sig_p: against PWE({best}) with "
        "the same tags, over the sets that have words of these tags; the paper's mark, then ours",
    )
    columns = ("value", "sig_b", "sig_p")
    return PaperTable(f"Table 9, {key}", printed["title"], columns, rows, notes)


def _table_10(key: str, study: PosscoreStudy, printed: Mapping[str, Any]) -> PaperTable:
    rows = {}
    for name, cells in printed["rows"].items():
        value, *mark = cells[key]
        ours = study.value(study.posscore()) if name == "POSSCORE" else None
        rows[name] = {"value": Cell(value, ours, "".join(mark))}
    notes = ("BERT-Score and BERT-RUBER are printed for comparison; they are not computed here",)
    return PaperTable(f"Table 10, {key}", printed["title"], ("value",), rows, notes)


def _table_11(key: str, study: PosscoreStudy, printed: Mapping[str, Any]) -> PaperTable:
    """Length bias: in each set the bad response is its own text twice."""
    names = list(printed["rows"])
    metrics = [study.named(n) for n in names]
    rows = {}
    for name, metric, after in zip(names, metrics, study.doubled(metrics), strict=True):
        (value,) = printed["rows"][name][key]
        rows[name] = {
            "as they are": Cell(_before(name, key), study.value(metric)),
            "bad responses twice": Cell(value, study.power(after)),
        }
    columns = ("as they are", "bad responses twice")
    return PaperTable(f"Table 11, {key}", printed["title"], columns, rows)


def _before(name: str, key: str) -> float:
    """Return the paper's value of a metric on the unmodified sets (table 9)."""
    row = f"POSScore(tags={RECOMMENDED})" if name == "POSSCORE" else name
    value: float = printed_values("posscore")["table_9"]["rows"][row][key]["value"]
    return value


def _figure_1(key: str, study: PosscoreStudy, printed: Mapping[str, Any]) -> PaperTable:
    rows = {
        tag: {who: Cell(None, value) for who, value in counts.items()}
        for tag, counts in study.mean_tag_counts().items()
    }
    notes = (f"{printed['provenance']}; ours only, each evaluation set counting once",)
    columns = ("reference", "good", "bad")
    return PaperTable(f"Figure 1, {key}", printed["title"], columns, rows, notes, digits=2)


def _figure_3(key: str, study: PosscoreStudy, printed: Mapping[str, Any]) -> PaperTable:
    names = (*BASELINES, "POSSCORE")
    result = study.correlation([study.named(n) for n in names])
    rows = {
        a: {b: Cell(None, float(result.tau[i, j])) for j, b in enumerate(names)}
        for i, a in enumerate(names)
    }
    return PaperTable(
        f"Figure 3, {key}",
        printed["title"],
        names,
        rows,
        (f"{printed['provenance']}; ours only",),
        digits=2,
        shaded=True,
    )


def _example(
    study: PosscoreStudy, printed: Mapping[str, Any], number: str, labels: tuple[str, ...]
) -> PaperTable:
    """Tables 1 and 12: two candidates' scores, of the text as it is printed."""
    texts = [printed["candidates"][label] for label in labels]
    names = ("BLEU4", "METEOR", "POSSCORE")
    values = evaluate(
        [study.named(n) for n in names],
        candidates=texts,
        references=[printed["reference"]] * len(texts),
    ).values
    ours = {n: values[k].tolist() for k, n in enumerate(names)}
    columns = ("BLEU4", "METEOR", "BERT-Score", "POSSCORE", "Human")
    rows = {
        label: {
            c: Cell(printed["values"][label][c], ours[c][i] if c in ours else None) for c in columns
        }
        for i, label in enumerate(labels)
    }
    notes = ("of the texts as they are typeset; the data has them lower-cased and tokenised",)
    return PaperTable(number, printed["title"], columns, rows, notes)
