// What every page needs: the document, figures and names as text, the theme, hints.
"use strict";
window.equilag = (() => {
  const root = document.documentElement;
  root.classList.add("js");
  const doc = JSON.parse(document.getElementById("document").textContent);

  /** What stands at a path of the document, such as "moves.rows". */
  const at = (path) => path.split(".").reduce((found, key) => (found == null ? found : found[key]), doc);

  // Figures, as equilag/report/wording/words.py writes them.
  const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 20 });
  /** A figure with so many decimals; halves go to the even digit, as in Python. */
  function fixed(value, digits) {
    const scale = 10 ** digits;
    const isHalf = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(value * scale) % 1 === 0.5;
    return isHalf ? (2 * Math.round((value * scale) / 2) / scale).toFixed(digits) : value.toFixed(digits);
  }
  const whole = (value) => grouped.format(Number(fixed(value, 0)));
  function number(value) {
    if (Number.isInteger(value) || Math.abs(value) >= 1000) return whole(value);
    if (Math.abs(value) < 1e-4) return value.toExponential(3).replace(/e([+-])(\d)$/, "e$10$2");
    const decimals = 3 - Math.floor(Math.log10(Math.abs(value)));
    return Number.isInteger(value * 2 ** (decimals + 1)) ? fixed(value, decimals) : value.toPrecision(4);
  }
  function percent(value) {
    const size = Math.abs(value);
    if (size === 0) return "0 %";
    if (size < 0.01) return value > 0 ? "under 0.01 %" : "over -0.01 %";
    if (size < 10) return `${fixed(value, 2)} %`;
    if (size >= 99.95 && size < 100) return size < 99.995 ? `${fixed(value, 2)} %` : "over 99.99 %";
    return size < 100 ? `${fixed(value, 1)} %` : `${whole(value)} %`;
  }
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  function seconds(value) {
    if (value < 9.95) {
      if (value > 0 && value < 0.05) return "<0.1 s";
      return `${fixed(value, 1).replace(/\.0$/, "")} s`;
    }
    let left = Number(fixed(value, 0));
    const parts = units.map(([size, name]) => {
      const part = Math.floor(left / size);
      left -= part * size;
      return part ? `${whole(part)} ${name}` : "";
    });
    const first = parts.findIndex(Boolean);
    return parts.slice(first, first + 2).filter(Boolean).join(" ");
  }
  /** A number in few characters, for axes and labels: 2.3M. */
  function short(value) {
    let size = Math.abs(value);
    if (size < 10000) return Number.isInteger(value) ? whole(value) : String(+value.toPrecision(3));
    for (const prefix of "kMGTPE") {
      size /= 1000;
      if (size < 999.5) return `${value < 0 ? "-" : ""}${+size.toPrecision(3)}${prefix}`;
    }
    return number(value);
  }
  /** How to write numbers of an axis from `low` to `high`, so that no two of its ticks look alike. */
  function axisNumber(low, high) {
    const step = (high - low) / 10;
    const written = [0, 1, 2, 3, 4].map((i) => short(high - i * step));
    return new Set(written).size === written.length ? short : number;
  }
  const tenths = (value) => fixed(value, 1).replace(/\B(?=(\d{3})+\.)/g, ",");
  /** How many times as much, as `ratio_words` in Python. */
  function times(ratio) {
    if (ratio < 9.995) return fixed(ratio, 2);
    return ratio >= 10000 ? short(Number(fixed(ratio, 0))) : tenths(ratio);
  }
  const plural = (count, one, many = `${one}s`) => `${whole(count)} ${count === 1 ? one : many}`;

  // Names come from other people's systems: what cannot be seen, or turns text around, is escaped.
  function printable(text) {
    return text.replace(/[\p{C}\p{Z}]/gu, (c) => {
      const code = c.codePointAt(0);
      const named = { 9: "\\t", 10: "\\n", 13: "\\r", 32: " " }[code];
      if (named) return named;
      const hex = code.toString(16);
      return code < 256 ? `\\x${hex.padStart(2, "0")}` : code < 65536 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
    });
  }
  /** A name cut in its middle; more is kept of the front. */
  function middle(text, width) {
    const letters = [...printable(text)];
    if (letters.length <= width) return letters.join("");
    const tail = Math.min(6, Math.max(0, Math.floor((width - 1) / 3)));
    return `${letters.slice(0, Math.max(1, width - tail - 1)).join("")}…${letters.slice(letters.length - tail).join("")}`;
  }
  const NAME_WIDTH = 36;

  /** An element: its name, attributes, children. Texts stay texts. */
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) made.setAttribute(key, "");
      else if (value !== false && value != null) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child != null));
    return made;
  }
  const labels = JSON.parse(document.getElementById("labels").textContent);
  /** A short name, which differs from others where the page has labels. */
  const label = (text, width = NAME_WIDTH) => labels[text] ?? middle(text, width);
  const narrowLabels = JSON.parse(document.getElementById("narrow-labels").textContent);
  /** A name beside a chart on a narrow screen. */
  const narrowLabel = (text, width) => narrowLabels[text] ?? middle(text, width);
  function nameElement(text, width) {
    const full = printable(text);
    const cut = label(text, width);
    return element("bdi", cut === full ? {} : { title: full }, cut);
  }
  /** A value in its form, as equilag/report/page/page_filters.py has them. */
  const forms = {
    number, percent, seconds,
    times: (ratio) => `${times(ratio)} ×`,
    share: (share) => percent(100 * share),
    ms: (ms) => `${tenths(ms)} ms`,
    yes: (found) => (found ? "yes" : "no"),
    marks: (marks) => marks.map((mark) => (mark === "plan" ? "this plan" : mark)).join(", "),
    command: (line) => element("code", { class: "command" }, line),
    text: (text) => printable(String(text)),
  };
  const figure = (value, form = "number") => (value == null ? "-" : forms[form](value));

  // The theme: what the system says, unless somebody chose.
  const themed = [];
  const changed = () => themed.forEach((one) => one());
  function setTheme(name) {
    if (name === "auto") delete root.dataset.theme;
    else root.dataset.theme = name;
    for (const input of document.querySelectorAll("input[name=theme]")) input.checked = input.value === name;
    changed();
  }
  let kept = null;
  try { kept = localStorage.getItem("equilag-theme"); } catch { /* a file without storage */ }
  if (kept === "light" || kept === "dark") setTheme(kept);
  for (const input of document.querySelectorAll("input[name=theme]")) {
    input.addEventListener("change", () => {
      setTheme(input.value);
      try { localStorage.setItem("equilag-theme", input.value); } catch { /* the same */ }
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);

  // Hints: what an element tells on hover, focus and tap.
  const tip = document.getElementById("tip");
  function showTip(target, content) {
    tip.replaceChildren(...content);
    tip.hidden = false;
    const box = target.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - own.width / 2), innerWidth - own.width - 8);
    const above = box.top - own.height - 8;
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(above > 8 ? above : box.bottom + 8)}px)`;
  }
  const hideTip = () => { tip.hidden = true; };
  /** Show hints within `area`: `content(target)` gives nodes for what matches `selector`. */
  function hints(area, selector, content) {
    const show = (event) => {
      const target = event.target.closest?.(selector);
      if (target) showTip(target, content(target));
    };
    for (const kind of ["pointerover", "focusin", "click"]) area.addEventListener(kind, show);
    for (const kind of ["pointerout", "focusout"]) area.addEventListener(kind, hideTip);
  }
  addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
  addEventListener("scroll", hideTip, { capture: true, passive: true });

  return {
    doc, at, number, percent, seconds, short, plural, printable, middle, figure,
    element, label, narrowLabel, axisNumber, nameElement, hints, hideTip, onTheme: (call) => themed.push(call),
  };
})();
