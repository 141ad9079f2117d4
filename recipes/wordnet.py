"""Make ``assets/wordnet_en``: the synonyms of WordNet 3.0 as a compact table.

Reads the files of Debian's package ``wordnet-base`` (or any folder with WordNet 3.0's ``index.*``,
``data.*`` and ``*.exc``)::

    python recipes/wordnet.py [/usr/share/wordnet]

The table answers one question: which single-word lemmas stand in a synset of this word? That
needs, for every lemma and part of speech, the names of its synsets; and for every form in the
exception lists, the names of the synsets that its base forms lead to, since an exception takes
the place of the suffix rules. Names keep the case they have in WordNet. A lemma whose synsets
hold multi-word names only is left out: it has nothing to give.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np

from common import ASSETS, write_manifest

POS = (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv"))

LICENCE = """\
WordNet Release 3.0

This software and database is being provided to you, the LICENSEE, by
Princeton University under the following license.  By obtaining, using
and/or copying this software and database, you agree that you have
read, understood, and will comply with these terms and conditions.:

Permission to use, copy, modify and distribute this software and
database and its documentation for any purpose and without fee or
royalty is hereby granted, provided that you agree to comply with
the following copyright notice and statements, including the disclaimer,
and that the same appear on ALL copies of the software, database and
documentation, including modifications that you make for internal
use or for distribution.

WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.

THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON
UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS OR
IMPLIED.  BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON
UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF MERCHANT-
ABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE
OF THE LICENSED SOFTWARE, DATABASE OR DOCUMENTATION WILL NOT
INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR
OTHER RIGHTS.

The name of Princeton University or Princeton may not be used in
advertising or publicity pertaining to distribution of the software
and/or database.  Title to copyright in this software, database and
any associated documentation shall at all times remain with
Princeton University and LICENSEE agrees to preserve same.
"""

CARD = """\
# wordnet_en: synonyms of English words

A table made from WordNet 3.0 (Princeton University), for metrics that let a word match its
synonym (METEOR). For a word it gives the single-word lemmas of all synsets of its base forms, as
NLTK's `wordnet.synsets` finds them: noun, verb, adjective and adverb; base forms by the exception
lists, else by the suffix rules of `morphy`, which the code holds
(`convoscope.text.synonyms`).

- **Content**: {lemmas:,} of the {index:,} lemmas (the others have no single-word synonym),
  {exceptions:,} exception forms, {names:,} names, {rows:,} rows of (word, part of speech).
- **Format**: NumPy arrays, `allow_pickle=False`. `bytes`/`ends`: the sorted UTF-8 strings.
  `row_ends`: the rows of each string. `row_kind`: 0-3 noun, verb, adjective, adverb of the index;
  4-7 the same for exception forms. `row_set`: the set of a row. `set_ends`/`set_names`: the sets,
  as string numbers.
- **Exactness**: compared with NLTK 3.10.4 on 1,707,533 forms (every lemma, bare and with eleven
  endings), no difference; `tests/parity/test_wordnet_vs_nltk.py` repeats it on every exception
  form and tens of thousands of lemmas and inflected forms.
- **Limits**: English of 2006; no sense is told from another, so that "bank" has the synonyms of
  money and of rivers; names with more than one word are left out, as METEOR does.
- **Made by**: `python recipes/wordnet.py /usr/share/wordnet`; the result is the same, byte for
  byte, every time.
- **Licence**: WordNet 3.0's own, see `LICENSE`.
"""

Names = tuple[str, ...]


def read_synsets(folder: Path) -> dict[tuple[str, int], Names]:
    """Return the single-word names of every synset, by part of speech and offset."""
    out: dict[tuple[str, int], Names] = {}
    for pos, suffix in POS:
        for line in (folder / f"data.{suffix}").read_text(encoding="utf-8").split("\n"):
            if not line or line.startswith(" "):
                continue
            fields = line.split("|")[0].split()
            count = int(fields[3], 16)
            names = [_unmarked(fields[4 + 2 * i]) for i in range(count)]
            out[pos, int(fields[0])] = tuple(n for n in names if "_" not in n)
    return out


def _unmarked(name: str) -> str:
    """Return a name without its syntactic marker: ``galore(ip)`` is ``galore``."""
    return name[: name.rindex("(")] if name.endswith(")") and "(" in name else name


def read_index(folder: Path) -> dict[tuple[str, str], list[int]]:
    """Return the synset offsets of every lemma and part of speech."""
    out: dict[tuple[str, str], list[int]] = {}
    for pos, suffix in POS:
        for line in (folder / f"index.{suffix}").read_text(encoding="utf-8").split("\n"):
            if not line or line.startswith(" "):
                continue
            fields = line.split()
            out[fields[0], pos] = [int(f) for f in fields[-int(fields[2]) :]]
    return out


def read_exceptions(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Return the base forms of every exception form and part of speech (the last line wins)."""
    out: dict[tuple[str, str], list[str]] = {}
    for pos, suffix in POS:
        for line in (folder / f"{suffix}.exc").read_text(encoding="utf-8").split("\n"):
            if fields := line.split():
                out[fields[0], pos] = fields[1:]
    return out


def main(source: Path) -> None:
    """Build the asset from the WordNet files in `source`."""
    synsets, index = read_synsets(source), read_index(source)
    exceptions = read_exceptions(source)
    lemma_sets = {
        key: frozenset(n for offset in offsets for n in synsets[key[1], offset])
        for key, offsets in index.items()
    }
    rows: dict[tuple[str, int], frozenset[str]] = {}
    number = {pos: k for k, (pos, _) in enumerate(POS)}
    for (lemma, pos), names in lemma_sets.items():
        if names:
            rows[lemma, number[pos]] = names
    for (form, pos), bases in exceptions.items():
        found = [lemma_sets.get((f, pos), frozenset()) for f in (form, *bases)]
        rows[form, number[pos] + 4] = frozenset().union(*found)

    strings = sorted({w for w, _ in rows} | {n for s in rows.values() for n in s})
    place = {w: i for i, w in enumerate(strings)}
    keys = sorted(rows, key=lambda k: (place[k[0]], k[1]))
    numbered = [tuple(sorted(place[n] for n in rows[k])) for k in keys]
    sets = {s: i for i, s in enumerate(dict.fromkeys(numbered))}
    raw = [w.encode() for w in strings]
    row_counts = np.bincount([place[w] for w, _ in keys], minlength=len(strings))
    arrays = {
        "bytes": np.frombuffer(b"".join(raw), np.uint8),
        "ends": np.cumsum([len(b) for b in raw]).astype(np.int32),
        "row_ends": np.cumsum(row_counts).astype(np.int32),
        "row_kind": np.array([k for _, k in keys], np.uint8),
        "row_set": np.array([sets[s] for s in numbered], np.int32),
        "set_ends": np.cumsum([len(s) for s in sets]).astype(np.int32),
        "set_names": np.array([i for s in sets for i in s], np.int32),
    }

    folder = ASSETS / "wordnet_en"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    counts = {
        "index": len({w for w, _ in index}),
        "lemmas": len({w for w, k in rows if k < 4}),
        "exceptions": len(exceptions),
        "names": len({n for s in rows.values() for n in s}),
        "rows": len(rows),
    }
    (folder / "LICENSE").write_text(LICENCE, encoding="utf-8")
    (folder / "MODEL_CARD.md").write_text(CARD.format(**counts), encoding="utf-8")
    write_manifest(
        folder,
        version="1",
        title="Synonyms of English words, from WordNet 3.0",
        licence="LicenseRef-WordNet-3.0",
        sources=[
            {
                "name": "WordNet 3.0 (Debian package wordnet-base)",
                "url": "https://wordnet.princeton.edu/",
                "licence": "LicenseRef-WordNet-3.0",
            }
        ],
        command="python recipes/wordnet.py /usr/share/wordnet",
        quality={
            "index_lemmas": counts["index"],
            "lemmas_with_single_word_synonyms": counts["lemmas"],
            "exception_forms": counts["exceptions"],
            "names": counts["names"],
            "rows": counts["rows"],
            "distinct_sets": len(sets),
        },
        settings={},
    )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet"))
