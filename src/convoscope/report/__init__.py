"""Reports for people: terminal tables and HTML."""
