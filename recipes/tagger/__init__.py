"""The stages of ``recipes/pos_tagger.py``: corpora, teacher, student, export, measurement."""
