"""``python -m convoscope``."""

from convoscope.cli import main

if __name__ == "__main__":
    main()
