"""The report's first sentence: which metric to believe, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from convoscope.report.data import RANDOM, ReportData
from convoscope.report.names import percent

__all__ = ["CHANCE", "finding"]

CHANCE = 0.5


def finding(data: ReportData) -> str:
    """Return the finding as plain text.

    A rival whose value lies in the best metric's interval, or that the paired test does not tell
    from it, is named with it: the page claims no order that the data do not show.
    """
    if data.fidelity is None:
        return (
            "This collection has no human judgements, so it cannot say which metric to believe. "
            "Below are the scores alone; add records of type 'judgement' to learn more."
        )
    rows = [r for r in data.fidelity["results"] if r["metric"] != RANDOM]
    known = sorted((r for r in rows if r["value"] is not None), key=lambda r: -r["value"])
    if not known:
        return (
            f"Nothing can be said of the metrics: no two responses to one item have scores and "
            f"differ in their mean {data.dimension} judgement."
        )
    short = data.short
    best, others = known[0], known[1:]
    name = short[best["metric"]]
    rate = f"{percent(best['value'], 0)} of {_count(best['pairs'], 'pair')}{_interval(best)}"
    if _weak(best):
        if not others:
            start = f"{name} is not shown to agree with people more often than chance: it agrees on"
        else:
            start = (
                "no metric is shown to agree with people more often than chance: "
                f"{name}, the best, agrees on"
            )
        return f"On this data {start} {rate}."
    if not others:
        return f"On this data {name} agrees with people on {rate}; chance would be half of them."
    text = f"On this data {name} agrees with people most often: {rate}"
    tested = data.fidelity.get("baseline") == best["metric"]
    rivals = [short[r["metric"]] for r in others if _rival(r, best, tested=tested)]
    if rivals:
        text += f", but {_list(rivals)} {_verb(rivals, 'lies', 'lie')} within its margin of error"
    text += "."
    below = [r for r in others if r["high"] is not None and r["high"] < CHANCE]
    names = [short[r["metric"]] for r in others if _weak(r) and r not in below]
    if names:
        text += f" {_list(names)} {_verb(names, 'is', 'are')} not shown to be better than chance."
    if below:
        names = [short[r["metric"]] for r in below]
        text += f" {_list(names)} {_verb(names, 'agrees', 'agree')} on fewer than half"
        if data.fidelity["signature"].get("ties") == "wrong" and any(r["ties"] for r in below):
            text += ", where a tie counts as wrong"
        text += "."
    return text


def _rival(row: Mapping[str, Any], best: Mapping[str, Any], *, tested: bool) -> bool:
    near = best["low"] is not None and row["value"] >= best["low"]
    # The p-value counts only where the study tested against the best metric.
    return near or (tested and row["p"] is not None and row["p"] >= 0.05)


def _verb(names: Sequence[str], one: str, several: str) -> str:
    return one if len(names) == 1 else several


def _weak(row: Mapping[str, Any]) -> bool:
    return row["low"] is None or row["low"] <= CHANCE


def _interval(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return ""
    return f" [{percent(row['low'], 0, sign=False)}–{percent(row['high'], 0)}]"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _list(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} others"
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
