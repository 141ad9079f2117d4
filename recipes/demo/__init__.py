"""The hand-written texts of the bundled sample collection, by topic."""
