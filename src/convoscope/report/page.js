"use strict";
(() => {
  // Data never becomes markup: every text goes in through textContent or an attribute.
  const el = (tag, names, ...children) => {
    const node = document.createElement(tag);
    if (names) node.className = names;
    for (const c of children) if (c !== null && c !== undefined) node.append(c);
    return node;
  };
  const set = (node, attributes) => {
    for (const [k, v] of Object.entries(attributes)) node.setAttribute(k, v);
    return node;
  };
  // Controls would be invisible: show their symbols (U+2400...).
  const visible = (text) =>
    text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
      .replace(/[\x7f-\x9f]/g, "\ufffd");
  const minus = (text) => text.replace(/-/g, "\u2212");
  const num = (x, digits = 3) => {
    if (x === null || x === undefined) return "\u2013";
    if (x !== 0 && Math.abs(x) < 0.5 * 10 ** -digits) return minus(x.toExponential(0).replace("+", ""));
    return minus(x.toFixed(Math.abs(x) >= 100 ? Math.min(digits, 1) : digits));
  };

  // Tables sort by a click on a heading; cells without a value stay last.
  const sortable = (table) => {
    const body = table.tBodies[0];
    const order = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = head.querySelector("button");
      button.addEventListener("click", () => {
        const text = button.dataset.kind === "text";
        const was = head.getAttribute("aria-sort");
        const first = text ? "ascending" : "descending";
        const second = text ? "descending" : "ascending";
        const next = was === null ? first : was === first ? second : null;
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        if (next) head.setAttribute("aria-sort", next);
        const sign = next === "descending" ? -1 : 1;
        const key = (row) => row.cells[column].dataset.v;
        const rows = [...order];
        if (next) rows.sort((a, b) => {
          const x = key(a), y = key(b);
          if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
          return sign * (text ? x.localeCompare(y, undefined, { numeric: true }) : x - y);
        });
        body.append(...rows);
      });
    });
  };
  document.querySelectorAll("table.systems").forEach(sortable);
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((d) => { d.open = true; });
  });

  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.getElementById("explorer");
  if (!data || !root || !data.items.length) return;

  const SPACE = /([\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+)/;
  const selected = new Set(data.selected);

  // The text with each word marked by its tag; `tags` has one character per word.
  const words = (text, tags) => {
    const p = set(el("p", "text"), { dir: "auto" });
    if (!text.trim()) {
      p.append(el("span", "empty", text ? "(only white space)" : "(empty response)"));
      return p;
    }
    const parts = text.split(SPACE);
    const count = parts.filter((s, i) => i % 2 === 0 && s).length;
    if (!tags || tags.length !== count) {
      p.textContent = visible(text);
      return p;
    }
    let at = 0;
    let plain = "";
    parts.forEach((part, i) => {
      const mark = i % 2 === 0 && part ? tags[at++] : ".";
      const tag = mark === "." ? null : data.upos[mark.charCodeAt(0) - 65];
      if (tag === null) {
        plain += visible(part);
        return;
      }
      if (plain) p.append(plain);
      plain = "";
      const names = selected.has(tag) ? `w ${tag}` : "";
      p.append(set(el("span", names, visible(part)), { title: tag, "data-tag": tag }));
    });
    if (plain) p.append(plain);
    return p;
  };

  const sub = (base, index) => {
    const v = el("var", "", base);
    if (index) v.append(el("sub", "", index));
    return v;
  };
  const S = (index) => {
    const span = el("span", "", el("var", "", "S"), "(", sub("r", index), ", ", sub("r\u0302", index), ")");
    return span;
  };
  const share = ([n, of]) => (of ? `${n}/${of}` : "0/0");
  const terms = (t, references) => {
    const box = el("div", "terms");
    const line = el("p", "", el("var", "", "w"), " \u00b7 ", S("p"), " + ", S("q"), " = ",
      `${num(t.w)} \u00b7 ${num(t.pos)} + ${num(t.rest)} = ${num(t.w * t.pos)} + ${num(t.rest)} = `,
      el("b", "", num(t.total)));
    const weight = el("p", "");
    if (t.n_ref[0] && t.n_cand[0]) {
      weight.append(el("var", "", "w"), " = exp(1 \u2212 ", sub("n", "r"), " / ", sub("n", "r\u0302"),
        `) = exp(1 \u2212 ${num(t.n_ref[0] / t.n_ref[1])} / ${num(t.n_cand[0] / t.n_cand[1])})`,
        ` = ${num(t.w)}`);
    } else {
      weight.append(el("var", "", "w"), " = 1, as one side has no word with a selected tag");
    }
    const which = references > 1 ? `; reference ${t.ref + 1} of ${references} scores highest` : "";
    const why = el("p", "why",
      `Words with a selected tag: ${share(t.n_ref)} in the reference, ${share(t.n_cand)} in the response${which}.`);
    box.append(line, weight, why);
    return box;
  };

  const people = (r) => {
    if (r.human === null) return data.dimension === null ? null : el("span", "people empty", "not judged");
    const span = set(el("span", "people", `${data.dimension} `, el("b", "", num(r.human, 2))), { dir: "auto" });
    const shown = r.raters.slice(0, 12).join(" ") + (r.raters.length > 12 ? " \u2026" : "");
    span.append(" ", el("small", "", r.raters.length > 1 ? `(raters: ${shown})` : "(one rater)"));
    return span;
  };

  const card = (r, item, best) => {
    const [system, kind] = data.systems[r.s];
    const name = set(el("h4", "", visible(system)), { dir: "auto" });
    const about = [kind === "unknown" ? "" : kind, r.rank > 1 || item.ranked ? `rank ${r.rank}` : ""];
    const note = about.filter(Boolean).join(", ");
    if (note) name.append(el("span", "kind", note));
    const scores = el("dl", "scores");
    r.values.forEach((v, m) => {
      const row = el("div", v !== null && v === best[m] ? "best" : "");
      const reason = v === null ? visible(r.why[m] || "not scored") : "";
      row.append(el("dt", "", data.metrics[m]), el("dd", "", v === null ? "\u2013 " : num(v)));
      if (reason) row.lastChild.append(el("span", "empty", reason));
      scores.append(row);
    });
    const box = el("article", "response",
      el("div", "response-head", name, people(r)), words(r.text, r.tags), scores);
    if (r.terms) box.append(terms(r.terms, item.references.length));
    return box;
  };

  const turns = (context) => {
    const list = el("dl", "turns");
    context.forEach(([speaker, text], i) => {
      const who = set(el("dt", "", visible(speaker === null ? String(i + 1) : speaker)), { dir: "auto" });
      const said = set(el("dd", "text", visible(text)), { dir: "auto" });
      list.append(el("div", "", who, said));
    });
    return list;
  };
  const block = (title, ...content) => el("div", "block", el("h3", "", title), ...content);

  const ORDERS = [["as in the run", () => 0]];
  const down = (f, up) => (a, b) => {
    const x = f(a), y = f(b);
    if (x === null || y === null) return (x === null) - (y === null);
    return up ? x - y : y - x;
  };
  if (data.dimension !== null) ORDERS.push([data.dimension, down((r) => r.human)]);
  data.metrics.forEach((m, i) => ORDERS.push([m, down((r) => r.values[i], !data.higher[i])]));

  // The toolbar
  const search = set(el("input"), { type: "search", placeholder: "Search items", "aria-label": "Search the items' names and texts" });
  const choose = set(el("select"), { "aria-label": "Item" });
  const back = set(el("button", "", "\u2190 Previous"), { type: "button" });
  const forward = set(el("button", "", "Next \u2192"), { type: "button" });
  const where = set(el("span", "where"), { "aria-live": "polite" });
  const order = set(el("select", "order"), { "aria-label": "Order of the responses" });
  ORDERS.forEach(([name], i) => order.append(set(el("option", "", visible(`Order: ${name}`)), { value: i })));
  const toolbar = el("div", "toolbar", back, forward, where, choose, search, order);
  const view = el("div", "item");
  root.append(toolbar);

  if (data.posscore !== null) {
    const labels = set(el("input"), { type: "checkbox" });
    labels.addEventListener("change", () => view.classList.toggle("labels", labels.checked));
    toolbar.append(el("label", "", labels, "Tag labels"));
    const legend = el("ul", "legend", el("li", "", `Words that ${data.metrics[data.posscore]} rewards:`));
    data.selected.forEach((tag) => legend.append(el("li", "", el("span", `w ${tag}`, tag))));
    root.append(legend);
    if (data.problem) root.append(el("p", "note", visible(data.problem)));
  } else {
    const how = "To see the words that count and the terms of the score, score with POSScore "
      + "('convoscope score COLLECTION -m POSScore -o RUN_DIR').";
    root.append(el("p", "note", visible(data.problem || how)));
  }
  root.append(view);

  const haystacks = [];
  const haystack = (i) => {
    if (!haystacks[i]) {
      const it = data.items[i];
      haystacks[i] = [it.id, it.knowledge || "", ...it.context.map((u) => u[1]),
        ...it.references.map((r) => r[0]), ...it.responses.map((r) => r.text)].join("\n").toLowerCase();
    }
    return haystacks[i];
  };
  const title = (it) => {
    const last = it.context.length ? it.context[it.context.length - 1][1] : "";
    const text = visible(`${it.id}  ${last}`).replace(/\s+/g, " ");
    return text.length > 80 ? `${[...text].slice(0, 79).join("")}\u2026` : text;
  };
  let found = [];
  let current = 0;

  const show = () => {
    const item = data.items[current];
    item.ranked = item.responses.some((r) => r.rank > 1);
    const best = data.metrics.map((_, m) => {
      const values = item.responses.map((r) => r.values[m]).filter((v) => v !== null);
      if (values.length < 2 || values.every((v) => v === values[0])) return null;
      return data.higher[m] ? Math.max(...values) : Math.min(...values);
    });
    const left = el("div");
    const facts = [item.dialogue === null ? "" : `dialogue ${item.dialogue}`, item.turn === null ? "" : `turn ${item.turn}`];
    const name = set(el("span", "", `Item ${visible(item.id)}`), { dir: "auto" });
    const about = facts.filter(Boolean).join(", ");
    left.append(block("Context", item.context.length ? turns(item.context) : el("p", "empty", "no context")));
    left.firstChild.firstChild.textContent = "";
    left.firstChild.firstChild.append(name, about ? `, ${visible(about)}: context` : ": context");
    const references = item.references.map(([text, tags]) => el("div", "reference", words(text, tags)));
    left.append(block(item.references.length > 1 ? "References" : "Reference",
      ...(references.length ? references : [el("p", "empty", "no reference")])));
    if (item.knowledge) {
      const text = set(el("p", "text knowledge", visible(item.knowledge)), { dir: "auto", tabindex: "0" });
      left.append(block("Knowledge", text));
    }
    const right = el("div", "", el("h3", "", "Responses"));
    [...item.responses].sort(ORDERS[order.value][1]).forEach((r) => right.append(card(r, item, best)));
    view.replaceChildren(left, right);
    const place = found.indexOf(current);
    where.textContent = place < 0 ? "no item found" : `${place + 1} of ${found.length}`;
    back.disabled = place <= 0;
    forward.disabled = place < 0 || place >= found.length - 1;
    choose.value = String(current);
  };
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    found = data.items.map((_, i) => i).filter((i) => !wanted || haystack(i).includes(wanted));
    choose.replaceChildren(...found.map((i) => set(el("option", "", title(data.items[i])), { value: i })));
    if (!found.includes(current) && found.length) current = found[0];
    show();
  };
  const step = (by) => {
    const next = found[found.indexOf(current) + by];
    if (next !== undefined) go(next);
  };
  const go = (index) => {
    current = index;
    try {
      history.replaceState(null, "", `#item=${encodeURIComponent(data.items[index].id)}`);
    } catch { /* a page that may not change its address still works */ }
    show();
  };
  const fromAddress = () => {
    const match = /^#item=(.*)$/.exec(location.hash);
    if (!match) return false;
    let id = match[1];
    try { id = decodeURIComponent(id); } catch { /* not an address of ours: no item has it */ }
    const index = data.items.findIndex((it) => it.id === id);
    if (index < 0) return false;
    current = index;
    return true;
  };
  back.addEventListener("click", () => step(-1));
  forward.addEventListener("click", () => step(1));
  choose.addEventListener("change", () => go(Number(choose.value)));
  order.addEventListener("change", show);
  search.addEventListener("input", filter);
  addEventListener("hashchange", () => { if (fromAddress()) filter(); });
  addEventListener("keydown", (e) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName || "");
    if (typing || e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
    if (e.target.closest && e.target.closest(".scroll, .knowledge")) return;
    if (e.key === "ArrowLeft" || e.key === "k") step(-1);
    else if (e.key === "ArrowRight" || e.key === "j") step(1);
    else return;
    e.preventDefault();
  });
  const asked = fromAddress();
  filter();
  if (asked) root.scrollIntoView();
})();
