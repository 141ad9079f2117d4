"""The report's last section: signatures, versions, licences, citations, the command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from convoscope.assets import Asset, assets
from convoscope.errors import ConvoscopeError
from convoscope.metrics import as_metric
from convoscope.report.data import ReportData
from convoscope.report.names import breakable, esc

__all__ = ["commands", "provenance", "used_assets"]

# What a signature says when it depends on an embedded asset.
_MARKS = {"pos_en": "tagger:embedded-", "vectors_en": "vectors:embedded-", "wordnet_en": "wordnet:"}

_POSSCORE = (
    "Zeyang Liu, Ke Zhou, Jiaxin Mao, and Max L. Wilson. 2021. POSSCORE: A Simple Yet Effective "
    "Evaluation of Conversational Search with Part of Speech Labelling. In Proceedings of the "
    "30th ACM International Conference on Information and Knowledge Management (CIKM ’21). "
    "doi:10.1145/3459637.3482463"
)
_POWER = (
    "Mark Sanderson, Monica Lestari Paramita, Paul Clough, and Evangelos Kanoulas. 2010. Do user "
    "preferences and evaluation measures line up? In Proceedings of the 33rd International ACM "
    "SIGIR Conference. doi:10.1145/1835449.1835542"
)


def used_assets(data: ReportData) -> list[Asset]:
    """Return the embedded assets that a signature of the run names."""
    text = "\n".join(data.scores.signatures.values())
    return [a for a in assets() if a.name in _MARKS and _MARKS[a.name] in text]


def commands(data: ReportData) -> list[str]:
    """Return the shell commands that make the run and this page again."""
    a: Mapping[str, Any] = data.record.get("arguments") or {}
    if a.get("command") == "demo":
        return ["convoscope demo -o RUN_DIR"]
    words = ["convoscope", "score", str(a.get("collection") or "RUN_DIR/collection.jsonl")]
    for name in data.scores.metrics:
        words += ["-m", _plain(name)]
    if a.get("format"):
        words += ["--format", str(a["format"])]
    for option in a.get("options") or ():
        words += ["--option", str(option)]
    report = ["convoscope", "report", "RUN_DIR"]
    if data.dimension is not None:
        report += ["--dimension", data.dimension]
    return [shlex.join([*words, "-o", "RUN_DIR"]), shlex.join(report)]


def _plain(name: str) -> str:
    """Return a canonical name without quotes where it still means the same metric."""
    plain = name.replace("'", "")
    try:
        return plain if as_metric(plain) == as_metric(name) else name
    except ConvoscopeError:
        return name


def provenance(data: ReportData) -> str:
    """Return the section."""
    return f"""<section aria-labelledby="provenance">
<h2 id="provenance">Where the numbers come from</h2>
<h3>Signatures</h3>
<p class="lead">A signature names everything that can change a number.</p>
<dl class="signatures">
{_signatures(data)}
</dl>
<h3>Make it again</h3>
<pre class="command"><code>{esc(chr(10).join(commands(data)))}</code></pre>
{_versions(data)}
{_licences(data)}
<h3>How to cite</h3>
<ul>{_citations(data)}</ul>
</section>"""


def _signatures(data: ReportData) -> str:
    out = []
    for name, signature in data.scores.signatures.items():
        short = data.short[name]
        full = f"<small>{breakable(name)}</small>" if short != name else ""
        source = _source(name)
        note = f"<small>{esc(source)}</small>" if source else ""
        out.append(
            f"<dt>{breakable(short)}{full}{note}</dt>"
            f"<dd><code>{esc(signature).replace('|', '|<wbr>')}</code></dd>"
        )
    if data.fidelity is not None:
        s = {k: v for k, v in data.fidelity["signature"].items() if k not in ("metrics", "study")}
        text = "|".join(["study:fidelity", *(f"{k}:{_value(v)}" for k, v in s.items())])
        out.append(
            "<dt>Predictive power<small>the fidelity study</small></dt>"
            f"<dd><code>{esc(text).replace('|', '|<wbr>')}</code></dd>"
        )
    return "\n".join(out)


def _value(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _source(name: str) -> str:
    try:
        return as_metric(name).source
    except ConvoscopeError:
        return ""


def _versions(data: ReportData) -> str:
    r = data.record
    if not r:
        return '<p class="note">The run has no record.json, so its versions are unknown.</p>'
    parts = [f"convoscope {r.get('convoscope', '?')}", f"Python {r.get('python', '?')}"]
    parts += [f"{k} {v}" for k, v in (r.get("packages") or {}).items()]
    lines = [f"<dt>Versions</dt><dd>{esc(', '.join(parts))}</dd>"]
    if r.get("git"):
        lines.append(f"<dt>Git revision</dt><dd><code>{esc(r['git'])}</code></dd>")
    digest = (r.get("collection") or {}).get("sha256")
    if digest:
        lines.append(f"<dt>Collection, SHA-256</dt><dd><code>{esc(digest)}</code></dd>")
    return f'<dl class="facts-list">{"".join(lines)}</dl>'


def _licences(data: ReportData) -> str:
    used = used_assets(data)
    if not used:
        return ""
    items = "".join(
        f"<li>{esc(a.manifest.get('title', a.name))} "
        f"(<code>{esc(a.name)}</code> {esc(a.version)}): {esc(a.licence)}</li>"
        for a in used
    )
    return f"<h3>Licences of the embedded models used</h3>\n<ul>{items}</ul>"


def _citations(data: ReportData) -> str:
    out = []
    if any(m.startswith(("POSScore", "PWE", "PTLC")) for m in data.scores.metrics):
        out.append(_POSSCORE)
    if data.fidelity is not None:
        out.append(_POWER)
    sources = dict.fromkeys(
        s for m in data.scores.metrics if (s := _source(m)) and "Liu et al. 2021" not in s
    )
    out += sources
    out.append("Convoscope, with the signatures above.")
    return "".join(f"<li>{esc(c)}</li>" for c in out)
