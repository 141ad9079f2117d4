"""Starting is fast because heavy libraries load where they are used, never before."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "nltk",
    "numba",
    "numpy",
    "onnxruntime",
    "pandas",
    "pyarrow",
    "rich",
    "sacrebleu",
    "scipy",
    "spacy",
    "torch",
    "transformers",
}


def loaded_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(' '.join(sorted(m.split('.')[0] for m in sys.modules)))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import convoscope",
        "import convoscope.cli",
        "from convoscope.cli import group\ntry: group(['--help'])\nexcept SystemExit: pass",
    ],
    ids=["import", "cli", "help"],
)
def test_nothing_heavy_is_loaded(code):
    assert not HEAVY & loaded_after(code)


def test_core_metrics_need_no_torch_and_no_spacy():
    loaded = loaded_after(
        "import convoscope\n"
        "convoscope.evaluate(['BLEU(n=2)', 'METEOR', 'POSScore', 'PWE(EA, tags=NOUN)'],"
        " candidates=['dogs bark'], references=['dogs barked'])"
    )
    assert not {"torch", "transformers", "spacy", "nltk"} & loaded
