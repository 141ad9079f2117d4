"""How the report writes names, numbers and texts."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["arguments", "breakable", "esc", "number", "percent", "rest", "short_names", "visible"]

_SHORT = 5
_THIN = "\N{NARROW NO-BREAK SPACE}"


def visible(text: str) -> str:
    """Return the text with what HTML cannot carry made visible: controls, lone surrogates."""
    if text.isprintable():
        return text
    return "".join(_visible(c) for c in text)


def _visible(c: str) -> str:
    code = ord(c)
    if code < 0x20 and c not in "\t\n\r":
        return chr(0x2400 + code)
    if 0x7F <= code <= 0x9F or 0xD800 <= code <= 0xDFFF:
        return "\N{REPLACEMENT CHARACTER}"
    return c


def esc(value: object) -> str:
    """Return a value as HTML text that is safe in elements and in quoted attributes."""
    return html.escape(visible(str(value)), quote=True)


def breakable(name: str) -> str:
    """Return a metric's name as HTML that may break after a comma or a plus."""
    out = esc(name)
    for mark in (", ", "+"):
        out = out.replace(mark, f"{mark}<wbr>")
    return out


def number(value: float | None, digits: int = 3) -> str:
    """Return a score for reading: fixed decimals, or an exponent where they would show 0."""
    if value is None or not math.isfinite(value):
        return "–"
    if value != 0.0 and abs(value) < 0.5 * 10.0**-digits:
        return f"{value:.0e}".replace("-", "\N{MINUS SIGN}")
    if abs(value) >= 100.0:
        digits = min(digits, 1)
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def percent(value: float | None, digits: int = 1, *, sign: bool = True) -> str:
    """Return a share as a percentage."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{100.0 * value:.{digits}f}" + (f"{_THIN}%" if sign else "")


def arguments(name: str) -> tuple[str, list[str]]:
    """Split a canonical name into its head and its arguments.

    >>> arguments("PWE(BLEU(n=1, epsilon=0.5), tags=NOUN)")
    ('PWE', ['BLEU(n=1, epsilon=0.5)', 'tags=NOUN'])
    """
    head, paren, body = name.partition("(")
    if not paren or not body.endswith(")"):
        return name, []
    parts: list[str] = []
    depth, start, quote = 0, 0, ""
    for i, c in enumerate(body[:-1]):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(body[start:i].strip())
            start = i + 1
    parts.append(body[start:-1].strip())
    return head, [p for p in parts if p]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return a short name for each: long arguments that tell no two of them apart are left out.

    >>> short_names(["BLEU(n=1, lowercase=True)", "BLEU(n=4, lowercase=True)", "EA(multi='max')"])
    {'BLEU(n=1, lowercase=True)': 'BLEU(n=1)', 'BLEU(n=4, lowercase=True)': 'BLEU(n=4)', \
"EA(multi='max')": 'EA'}
    """
    split = {n: arguments(n) for n in names}
    alike = Counter(head for head, _ in split.values())
    uses = Counter((head, a) for head, args in split.values() for a in set(args))
    short = {}
    for name, (head, args) in split.items():
        telling = [a for a in args if uses[head, a] < alike[head] or len(a) <= _SHORT]
        short[name] = f"{head}({', '.join(telling)})" if telling else head
    taken = Counter(short.values())
    return {n: s if taken[s] == 1 else n for n, s in short.items()}


def rest(name: str, short: str) -> str:
    """Return the arguments of a canonical name that its short name leaves out."""
    shown = arguments(short)[1]
    return ", ".join(a for a in arguments(name)[1] if a not in shown)
