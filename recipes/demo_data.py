"""Make the bundled sample collection, ``src/convoscope/data/demo.jsonl``.

The texts are written by hand (``recipes/demo``): questions, references, and the answers of an
expert, of a strong and of a weak generative assistant, each with its quality. The other systems
are made here: a real BM25 search over the written passages, a bot that plays safe, one that gives
the question back, and one that is stuck in a loop. Three raters see the quality through a bias
and seeded noise of their own. Run ``python recipes/demo_data.py``; the result is the same bytes
every time.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from convoscope.collection import (
    Collection,
    CollectionBuilder,
    Item,
    Judgement,
    Response,
    Session,
    SystemKind,
    Utterance,
)
from convoscope.io import save
from demo import home, leisure, services
from demo.model import Dialogue, Turn

TARGET = Path(__file__).resolve().parents[1] / "src" / "convoscope" / "data" / "demo.jsonl"
DIALOGUES: tuple[Dialogue, ...] = home.DIALOGUES + services.DIALOGUES + leisure.DIALOGUES
SYSTEMS: dict[str, SystemKind] = {
    "Expert": "human",
    "LargeLM": "generative",
    "SmallLM": "generative",
    "BM25": "retrieval",
    "SafeBot": "generative",
    "Echo": "generative",
    "Loop": "generative",
}
SAFE = (
    "That's a good question. It depends on your situation; it may be best to ask a professional.",
    "I'm not sure about that, but I hope you find what you are looking for!",
    "There are many ways to go about this. Could you tell me a little more?",
    "It depends. Different people have different experiences with this.",
    "I'm sorry, I don't have enough information to answer that right now.",
    "Thank you for asking! I would recommend looking it up on a website you trust.",
    "It's always a good idea to take your time and think it over.",
)
# Where Loop breaks down for good, and where BM25 shows a list of three.
SILENT = ("phishing-2", "meteors-3")
LISTS_EVERY = 4
RATERS = {"ana": -0.25, "ben": 0.0, "chloe": 0.3}
NOISE = {"Overall": 0.6, "Relevance": 0.6, "Fluency": 0.3}
TOP = {"Overall": 5, "Relevance": 5, "Fluency": 3}
SEED = 2026


@dataclass(frozen=True)
class Answer:
    """A response and its quality before raters look at it."""

    text: str
    overall: float
    relevance: float
    fluency: float


class Bm25:
    """A small BM25 index over all passages (k1 = 1.2, b = 0.75)."""

    def __init__(self, passages: list[str]) -> None:
        self.counts = [Counter(_words(p)) for p in passages]
        self.lengths = [sum(c.values()) for c in self.counts]
        self.mean = sum(self.lengths) / len(self.lengths)
        self.frequency = Counter(w for c in self.counts for w in c)

    def search(self, query: str) -> list[int]:
        """Return the indices of all passages, best first, ties in order."""
        n = len(self.counts)
        scores = []
        for counts, length in zip(self.counts, self.lengths, strict=True):
            score = 0.0
            for word in _words(query):
                tf, df = counts[word], self.frequency[word]
                idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
                score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / self.mean))
            scores.append(score)
        return sorted(range(n), key=lambda k: -scores[k])


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _loop(text: str) -> str:
    start = " ".join(text.split()[:4]).rstrip(".,;:!?")
    return " ".join([start, *[start.lower()] * 3]) + "."


def _passage_answer(text: str, good: int) -> Answer:
    # A passage that holds the answer says other things too, so it is less than a good answer.
    return Answer(text, good - 1 if good >= 4 else good, good, 2.8)


def answers(turn: Turn, item: str, index: int, found: list[Answer]) -> Iterator[tuple[str, Answer]]:
    """Yield each system's answers to a turn, best rank first."""
    yield "Expert", Answer(turn.human, turn.h, turn.h, 3)
    # A wrong answer of the strong assistant is on topic and well written all the same.
    yield "LargeLM", Answer(turn.large, turn.g, max(turn.g, 3.5), 3)
    yield "SmallLM", Answer(turn.small, turn.w, turn.w + 0.6, 2.6)
    for answer in found:
        yield "BM25", answer
    yield "SafeBot", Answer(SAFE[index % len(SAFE)], 1.9, 1.7, 3)
    yield "Echo", Answer(turn.user, 1.0, 2.0, 2.6)
    if item in SILENT:
        yield "Loop", Answer("", 1.0, 1.0, 1.0)
    else:
        yield "Loop", Answer(_loop(turn.large), 1.0, 1.6, 1.1)


def build() -> Collection:
    """Return the sample collection."""
    into = CollectionBuilder("demo")
    passages = [(d.id, k, p) for d in DIALOGUES for k, p in enumerate(d.passages)]
    index = Bm25([p for _, _, p in passages])
    noise = random.Random(SEED)
    for system, kind in SYSTEMS.items():
        into.add_run(system, kind, "systems")
    number = 0
    for dialogue in DIALOGUES:
        context: list[Utterance] = []
        ids: list[str] = []
        quality: dict[str, list[float]] = {s: [] for s in SYSTEMS}
        for turn_number, turn in enumerate(dialogue.turns, 1):
            item = f"{dialogue.id}-{turn_number}"
            ids.append(item)
            query = turn.user if turn_number == 1 else f"{context[-2].text} {turn.user}"
            context.append(Utterance(turn.user, "user"))
            best = max(turn.good, key=lambda k: turn.good[k])
            into.add_item(
                Item(
                    id=item,
                    context=tuple(context),
                    references=turn.refs,
                    dialogue=dialogue.id,
                    turn=turn_number,
                    knowledge=dialogue.passages[best] if turn.knowledge else None,
                ),
                item,
            )
            found = [
                _passage_answer(text, turn.good.get(k, 2) if d == dialogue.id else 1)
                for d, k, text in (passages[p] for p in index.search(query))
            ][: 3 if number % LISTS_EVERY == 0 else 1]
            ranks: Counter[str] = Counter()
            for system, answer in answers(turn, item, number, found):
                ranks[system] += 1
                rank = ranks[system]
                into.add_response(system, Response(item, answer.text, rank), item)
                if rank == 1:
                    quality[system].append(answer.overall)
                _judge(into, noise, item, system, rank, answer)
            context.append(Utterance(turn.refs[0], "assistant"))
            number += 1
        for system, levels in quality.items():
            # Users remember the worst turn and the last one.
            felt = (sum(levels) / len(levels) + min(levels) + levels[-1]) / 3
            score = min(5, max(1, round(felt + noise.gauss(0, 0.4))))
            into.add_session(Session(dialogue.id, tuple(ids), float(score), system), dialogue.id)
    return into.build()


def _judge(
    into: CollectionBuilder,
    noise: random.Random,
    item: str,
    system: str,
    rank: int,
    answer: Answer,
) -> None:
    levels = {
        "Overall": answer.overall,
        "Relevance": answer.relevance,
        "Fluency": answer.fluency,
    }
    for dimension, level in levels.items():
        for rater, bias in RATERS.items():
            seen = level + bias * (TOP[dimension] / 5) + noise.gauss(0, NOISE[dimension])
            score = float(min(TOP[dimension], max(1, round(seen))))
            into.add_judgement(Judgement(rater, item, system, dimension, score, rank), item)


def main() -> None:
    """Write the file and say what it holds."""
    collection = build()
    save(collection, TARGET)
    print(
        f"{TARGET.name}: {len(collection.items)} items, {len(collection.runs)} systems, "
        f"{collection.n_responses} responses, {len(collection.judgements)} judgements, "
        f"{len(collection.sessions)} sessions, {TARGET.stat().st_size:,} bytes"
    )


if __name__ == "__main__":
    main()
