"""The embedded word vectors and the readers of vector files."""

from __future__ import annotations

import gzip
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convoscope.assets import asset
from convoscope.errors import InputError
from convoscope.text.vectors import EmbeddedVectors, Pieces, load_vectors

ODD = [
    "",
    " ",
    "\t\n",
    "\0",
    "a\0b",
    "\u200f",
    "\u0301",
    "\ud800",
    "\ufffd",
    "😀",
    "👩‍👩‍👧‍👦",
    "שלום",
    "مرحبا",
    "नमस्ते",
    "中文字",
    "x" * 1000,
    "😀" * 1000,
    "!" * 1000,
    "...",
    "don't",
    "don’t",
    "rock-n-roll!!",
    "3.14",
    "##ing",
    "[UNK]",
    "[CLS]",
    "http://example.org/a?b=c",
]


def toy() -> EmbeddedVectors:
    pieces = Pieces(["play", "un", "!", "-", "playground", "don't"], 4, ["ing", "s", "do"])
    codes = np.arange(1, 37, dtype=np.int8).reshape(9, 4)
    scales = np.linspace(0.5, 1.5, 9, dtype=np.float32)
    return EmbeddedVectors(pieces, codes, scales, "vectors:toy")


class TestEmbedded:
    def test_name_and_shape(self):
        vectors = load_vectors()
        assert vectors.signature.startswith("vectors:embedded-1-")
        found = vectors.lookup(["hello", "world"])
        assert found.shape == (2, vectors.dim)
        assert found.dtype == np.float32

    def test_no_types(self):
        vectors = load_vectors()
        assert vectors.lookup([]).shape == (0, vectors.dim)

    def test_every_token_has_a_vector(self):
        found = load_vectors().lookup(ODD)
        assert np.isfinite(found).all()
        assert (np.linalg.norm(found, axis=1) > 0.1).all()

    @settings(max_examples=300, deadline=None)
    @given(st.lists(st.text(st.characters(), max_size=40), max_size=5))
    def test_any_text_has_a_vector(self, types):
        vectors = load_vectors()
        found = vectors.lookup(types)
        assert found.shape == (len(types), vectors.dim)
        assert np.isfinite(found).all()
        assert found.any(axis=1).all()

    def test_a_word_does_not_depend_on_its_company(self):
        vectors = load_vectors()
        together = vectors.lookup(ODD)
        apart = np.vstack([vectors.lookup([w]) for w in ODD])
        np.testing.assert_array_equal(together, apart)

    def test_same_in_another_process(self):
        code = (
            "import sys, hashlib; from convoscope.text.vectors import load_vectors; "
            "sys.stdout.write(hashlib.sha256(load_vectors().lookup("
            "['word', 'smartctlfoo', '😀', '', 'שלום']).tobytes()).hexdigest())"
        )
        seen = {
            subprocess.run(
                [sys.executable, "-c", code],
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path), "PATH": ""},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("0", "1")
        }
        assert len(seen) == 1
        assert len(seen.pop()) == 64

    def test_case_accents_apostrophes_and_outer_punctuation(self):
        vectors = load_vectors()
        same = vectors.lookup(["coffee", "Coffee", "COFFEE", "coffee.", "«coffee»", "\u200bcoffee"])
        assert (same == same[0]).all()
        dont = vectors.lookup(["don't", "don’t", "Don't,"])
        assert (dont == dont[0]).all()
        cafe = vectors.lookup(["cafe", "cafe\u0301"])
        assert (cafe == cafe[0]).all()

    def test_related_words_are_nearer_than_unrelated(self):
        vectors = load_vectors()
        a, b, c = (v / np.linalg.norm(v) for v in vectors.lookup(["coffee", "tea", "parliament"]))
        assert a @ b > a @ c + 0.2

    def test_composed_word_is_near_its_stem(self):
        vectors = load_vectors()
        a, b, c = (v / np.linalg.norm(v) for v in vectors.lookup(["musicianry", "music", "tax"]))
        assert a @ b > a @ c

    def test_unknown_characters_are_told_apart(self):
        a, b, c = (v / np.linalg.norm(v) for v in load_vectors().lookup(["🦤", "🪆", "🦤"]))
        assert a @ c == pytest.approx(1)
        assert abs(a @ b) < 0.4

    def test_size_and_manifest(self):
        entry = asset("vectors_en")
        assert entry.verify() == []
        assert entry.version == "1"
        assert entry.licence == "Apache-2.0"
        assert sum(f.stat().st_size for f in entry.path.iterdir()) <= 25e6
        assert (entry.path / "MODEL_CARD.md").is_file()

    def test_vocabulary_is_sound(self):
        entry = asset("vectors_en")
        words = (entry.path / "words.txt").read_text("utf-8").split("\n")[:-1]
        assert len(set(words)) == len(words) == entry.manifest["settings"]["n_words"]
        assert all(w and w == w.strip() and w == w.lower() for w in words)
        codes = np.load(entry.path / "codes.npy", allow_pickle=False)
        assert codes.dtype == np.int8
        assert codes.any(axis=1).all()
        scales = np.load(entry.path / "scales.npy", allow_pickle=False)
        assert np.isfinite(scales).all()
        assert (scales > 0).all()

    def test_fast_enough(self):
        # Far above what it takes, for busy machines.
        vectors = load_vectors()
        words = (asset("vectors_en").path / "words.txt").read_text("utf-8").split("\n")[:20_000]
        vectors.lookup(words)
        start = time.perf_counter()
        vectors.lookup(words)
        assert time.perf_counter() - start < 0.6


class TestComposition:
    def test_exact_then_lower_then_pieces(self):
        vectors = toy()
        rows = vectors._codes.astype(np.float32) * vectors._scales[:, None]
        found = vectors.lookup(["play", "PLAY", "playing", "unplays", "playgrounds", "play-play"])
        np.testing.assert_array_equal(found[0], rows[0])
        np.testing.assert_array_equal(found[1], rows[0])
        np.testing.assert_allclose(found[2], (rows[0] + rows[6]) / 2, rtol=1e-6)
        np.testing.assert_array_equal(found[5], rows[0])

    @pytest.mark.parametrize(
        ("word", "parts"),
        [
            ("playing", [0, 6]),
            ("unplay", [1, "p", "l", "a", "y"]),  # "play" begins words, it never continues one
            ("unings", [1, 6, 7]),
            ("un-play!", [1, 0]),
            ("playground-s", [4, "s"]),
            ("!-!", [2, 3, 2]),
            ("un don't", [1, "d", "o", "n", "t"]),
            ("'don't'", [5]),
            ("", []),
            ("\0", []),
        ],
    )
    def test_split(self, word, parts):
        assert toy()._pieces.split(word) == parts


class TestFiles:
    def write(self, tmp_path: Path, data: bytes | str, name: str = "v.txt") -> str:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    def test_glove(self, tmp_path):
        path = self.write(tmp_path, "the 0.5 -1 2e-1\nThe 1 1 1\ncat 3 4 5\n")
        vectors = load_vectors(path)
        assert vectors.dim == 3
        found = vectors.lookup(["the", "The", "CAT", "dog", ""])
        expected = [[0.5, -1, 0.2], [1, 1, 1], [3, 4, 5], [0, 0, 0], [0, 0, 0]]
        np.testing.assert_array_equal(found, np.array(expected, np.float32))
        assert vectors.lookup([]).shape == (0, 3)

    def test_fasttext_and_word2vec_text(self, tmp_path):
        # fastText leaves a space at the end of each line, and has words with odd spaces.
        path = self.write(tmp_path, "3 2\na 1 2 \nb\u00a0c 3 4 \nd\u2028e 5 6 \n", "wiki.vec")
        vectors = load_vectors(path)
        np.testing.assert_array_equal(
            vectors.lookup(["a", "b\u00a0c", "d\u2028e"]), [[1, 2], [3, 4], [5, 6]]
        )

    def test_words_with_spaces(self, tmp_path):
        vectors = load_vectors(self.write(tmp_path, "a 1 2\n. . . 3 4\n"))
        np.testing.assert_array_equal(vectors.lookup([". . ."]), [[3, 4]])

    def test_first_of_two_equal_words_counts(self, tmp_path):
        vectors = load_vectors(self.write(tmp_path, "a 1 2\na 3 4\n"))
        np.testing.assert_array_equal(vectors.lookup(["a"]), [[1, 2]])

    @pytest.mark.parametrize("line_feed", [b"", b"\n"])
    def test_word2vec_binary(self, tmp_path, line_feed):
        rows = [("a", [1.5, -2.0]), ("naïve", [3.0, 4.25]), ("</s>", [0.0, 1e-3])]
        data = b"3 2\n" + b"".join(
            w.encode() + b" " + struct.pack("<2f", *v) + line_feed for w, v in rows
        )
        vectors = load_vectors(self.write(tmp_path, data, "w2v.bin"))
        found = vectors.lookup([w for w, _ in rows])
        np.testing.assert_array_equal(found, np.array([v for _, v in rows], np.float32))

    def test_gzip(self, tmp_path):
        path = self.write(tmp_path, gzip.compress(b"a 1 2\nb 3 4\n"), "v.txt.gz")
        np.testing.assert_array_equal(load_vectors(path).lookup(["b"]), [[3, 4]])

    def test_many_rows(self, tmp_path):
        matrix = np.random.default_rng(0).normal(size=(10_000, 5)).astype(np.float32)
        text = "\n".join(f"w{i} " + " ".join(map(repr, r.tolist())) for i, r in enumerate(matrix))
        vectors = load_vectors(self.write(tmp_path, text))
        np.testing.assert_array_equal(vectors.lookup([f"w{i}" for i in range(10_000)]), matrix)

    def test_signature(self, tmp_path):
        one = load_vectors(self.write(tmp_path, "a 1 2\n", "one.txt"))
        two = load_vectors(self.write(tmp_path, "a 1 3\n", "two.txt"))
        assert one.signature.startswith("vectors:one.txt-2-")
        assert len(one.signature.rsplit("-", 1)[1]) == 12
        assert one.signature != two.signature.replace("two", "one")

    def test_a_changed_file_is_read_again(self, tmp_path):
        path = self.write(tmp_path, "a 1 2\n")
        first = load_vectors(path)
        assert load_vectors(path) is first
        self.write(tmp_path, "a 1 2 3\n")
        assert load_vectors(path).dim == 3

    @pytest.mark.parametrize(
        ("data", "where", "message"),
        [
            ("", ":1", "empty"),
            ("\n", ":1", "empty"),
            ("a\n", ":1", "without a vector"),
            ("a 1 2\nb 1\n", ":2", "1 numbers"),
            ("a 1 2\nb 1 2 3\n", ":2", "3 numbers"),
            ("a 1 2\n\nb 1 2\n", ":2", "empty line"),
            ("a 1 2\nb 1 nan\n", ":2", "'nan'"),
            ("a 1 2\nb inf 2\n", ":2", "'inf'"),
            ("a 1 2\nb 1e60 2\n", ":2", "'1e60'"),
            ("a 1 2\nb 1 x\n", ":2", "'x'"),
            ("a x y\n", ":1", "'x'"),
            (b"a 1 2\nb\xff 1 2\n", ":2", "UTF-8"),
            ("2 x\na 1 2\n", ":1", "header"),
            ("0 2\n", ":1", "1 or more"),
            ("2 0\na\nb\n", ":1", "1 or more"),
            ("2 -3\na 1\n", ":1", "1 or more"),
            ("3 2\na 1 2\nb 3 4\n", ":3", "the file has 2"),
            ("1 2\na 1 2\nb 3 4\n", ":3", "the file has 2"),
            ("2 3\na 1 2\nb 3 4\n", ":2", "header says 3"),
            ("2 2\na 1 2\nb 3 oops\n", ":3", "'oops'"),
            ("2 2\na 1 oops\nb 3 4\n", ":2", "'oops'"),
            (b"PK\x03\x04rest", "", "zip"),
            ((793712314).to_bytes(4, "little") + b"rest", "", ".vec"),
            (gzip.compress(b"a 1 2\n" * 50, mtime=0)[:-12], "", "gzip"),
            (b"2 2\na " + struct.pack("<2f", 1, 2) + b"\nb " + b"\x00\x00", ":3", "row 2"),
            (
                b"2 2\na " + struct.pack("<2f", 1, float("nan")) * 1 + b"\nb " + bytes(8),
                ":2",
                "NaN",
            ),
            (b"1 2\na " + struct.pack("<2f", 1, 2) + b"\nb " + bytes(8), ":3", "more"),
            (b"1 2\n\xff " + struct.pack("<2f", 1, 2), ":2", "UTF-8"),
            (b"9 300\n" + b"\x01" * 30_000, ":2", "word"),
            (b"2 2\n", ":2", "ends in row 1"),
        ],
    )
    def test_errors_name_the_place(self, tmp_path, data, where, message):
        path = self.write(tmp_path, data)
        with pytest.raises(InputError, match=message) as caught:
            load_vectors(path)
        assert caught.value.where == path + where

    def test_no_such_file(self):
        with pytest.raises(InputError, match="'embedded'"):
            load_vectors("nowhere.vec")

    def test_folder(self, tmp_path):
        with pytest.raises(InputError, match="no word vectors"):
            load_vectors(str(tmp_path))
