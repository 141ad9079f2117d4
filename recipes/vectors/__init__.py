"""Making the embedded static word vectors."""
