// What every page needs: elements, the theme, hints.
"use strict";
window.equilag = (() => {
  const root = document.documentElement;
  root.classList.add("js");

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
  /** What is packed in an element: JSON in gzip in Base64. */
  async function unpack(holder) {
    const bytes = Uint8Array.from(atob(holder.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }
  /** A count of what is shown. */
  const count = (many, one) => `${many.toLocaleString("en-US")} ${many === 1 ? one : `${one}s`}`;

  // The data of the page: the JSON that the command prints.
  document.getElementById("save")?.addEventListener("click", async () => {
    const text = JSON.stringify(await unpack(document.getElementById("document")), null, 1);
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    element("a", { href: url, download: "report.json" }).click();
    URL.revokeObjectURL(url);
  });

  // The theme: what the system says, unless somebody chose.
  function setTheme(name) {
    if (name === "auto") delete root.dataset.theme;
    else root.dataset.theme = name;
    for (const input of document.querySelectorAll("input[name=theme]")) input.checked = input.value === name;
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

  // Hints: what a part of a picture tells on hover, focus and tap.
  const tip = document.getElementById("tip");
  const hideTip = () => { tip.hidden = true; };
  function showTip(event) {
    const target = event.target.closest?.("[data-hint]");
    if (!target) return;
    const [first, ...others] = target.dataset.hint.split("\n");
    tip.replaceChildren(element("b", {}, first), ...others.map((line) => element("div", {}, line)));
    tip.hidden = false;
    const box = target.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const wide = box.width > 120 && event.clientX; // a ribbon: beside the pointer
    const middle = wide ? event.clientX : box.left + box.width / 2;
    const top = wide ? event.clientY - 8 : box.top;
    const left = Math.min(Math.max(8, middle - own.width / 2), innerWidth - own.width - 8);
    const above = top - own.height - 8;
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(above > 8 ? above : box.bottom + 8)}px)`;
  }
  for (const kind of ["pointerover", "focusin", "click"]) document.addEventListener(kind, showTip);
  for (const kind of ["pointerout", "focusout"]) document.addEventListener(kind, hideTip);
  addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
  addEventListener("scroll", hideTip, { capture: true, passive: true });

  return { element, unpack, count, hideTip };
})();
