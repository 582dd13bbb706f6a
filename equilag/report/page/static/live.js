// A page that is served live: it reads what is new from its own server, and stays where it is.
"use strict";
(() => {
  const PATIENCE = 5000; // ms that the server may take for an answer
  const pause = 1000 * document.body.dataset.refresh;
  const lost = document.getElementById("lost");
  const stops = "a, summary, button, [tabindex]";
  const clock = (at) => new Date(at).toISOString().slice(11, 19);
  let since = null;

  /** Put newer parts in the place of those that are there: what is open, focused or selected stays. */
  function swap(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    for (const part of fresh.querySelectorAll("[data-part]")) {
      const old = document.getElementById(part.id);
      const selection = getSelection();
      if (!old || old.source === part.innerHTML) continue;
      if (!selection.isCollapsed && old.contains(selection.anchorNode)) continue;
      const open = [...old.querySelectorAll("details")].map((one) => one.open);
      const focused = [...old.querySelectorAll(stops)].indexOf(document.activeElement);
      old.source = part.innerHTML;
      old.className = part.className;
      old.replaceChildren(...part.childNodes);
      [...old.querySelectorAll("details")].forEach((one, place) => { one.open = open[place] ?? false; });
      equilag.tables(old);
      equilag.addCopyButtons(old);
      if (focused >= 0) old.querySelectorAll(stops)[focused]?.focus({ preventScroll: true });
    }
  }
  async function refresh() {
    try {
      const answer = await fetch("parts", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
      if (!answer.ok) throw new Error(String(answer.status));
      swap(await answer.text());
      since = null;
      lost.hidden = true;
    } catch {
      since ??= Date.now();
      lost.hidden = false;
      lost.textContent = `The steward has not answered since ${clock(since)} UTC. What you see is what it said before; this page asks again every ${pause / 1000} s.`;
    }
  }
  async function loop() {
    if (!document.hidden) await refresh();
    setTimeout(loop, pause);
  }
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
  setTimeout(loop, pause);
})();
