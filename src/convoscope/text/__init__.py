"""Text analysis over unique texts: tokens, tags, vectors, synonyms."""
