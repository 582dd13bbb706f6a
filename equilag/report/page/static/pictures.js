// Members in another order, and points of a chart to pick.
"use strict";
equilag.pictures = (() => {
  const { count } = equilag;
  const FEW = 20; // members that are shown at first

  function startBars(bars) {
    const members = [...bars.children];
    const controls = bars.previousElementSibling;
    const [order, all] = [controls.querySelector(".order"), controls.querySelector(".all")];
    let whole = members.length <= FEW;
    controls.hidden = members.length < 4;
    if (!whole) order.value = "load";
    function arrange() {
      const by = order.value;
      const sorted = by === "name" ? members : [...members].sort((a, b) => b.dataset[by] - a.dataset[by]);
      bars.replaceChildren(...sorted.slice(0, whole ? undefined : FEW));
      all.hidden = members.length <= FEW;
      all.textContent = whole ? `Show the first ${FEW} only` : `Show all ${count(members.length, "member")}`;
    }
    order.addEventListener("change", arrange);
    all.addEventListener("click", () => { whole = !whole; arrange(); });
    addEventListener("beforeprint", () => bars.replaceChildren(...members.slice(0, FEW)));
    addEventListener("afterprint", arrange);
    // Arrow keys go from block to block, so that Tab goes from bar to bar.
    bars.addEventListener("keydown", (event) => {
      const block = event.target.closest("[data-hint]");
      const step = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[event.key];
      if (!block || !step || !block[step]) return;
      event.preventDefault();
      block.tabIndex = -1;
      block[step].tabIndex = 0;
      block[step].focus();
    });
    arrange();
  }

  function startPick(pick) {
    const points = [...pick.querySelectorAll("li")];
    const dots = [...pick.parentNode.querySelectorAll(".dot:not(.mark)")];
    const input = pick.querySelector("input");
    function show(place) {
      const point = points[place];
      input.value = place;
      input.setAttribute("aria-valuetext", point.textContent);
      pick.querySelector("output").textContent = `${place + 1} of ${points.length}`;
      pick.querySelector(".picked").textContent = point.textContent;
      pick.querySelector(".command").replaceChildren(...point.dataset.command.split(" ").flatMap((word) => [equilag.element("span", {}, word), " "]));
      dots.forEach((dot, i) => dot.classList.toggle("chosen", i === place));
    }
    input.addEventListener("input", () => show(Number(input.value)));
    // A tap beside a point picks the nearest one.
    pick.parentNode.querySelector(".plot").addEventListener("click", (event) => {
      const far = dots.map((dot) => {
        const box = dot.getBoundingClientRect();
        return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
      });
      const near = far.indexOf(Math.min(...far));
      if (far[near] < 40) show(near);
    });
    show(Number(pick.dataset.first));
  }

  for (const bars of document.querySelectorAll(".bars")) startBars(bars);
  for (const pick of document.querySelectorAll(".pick")) startPick(pick);
})();
// Paper shows what is closed on the screen, but for what repeats a picture.
(() => {
  let kept;
  addEventListener("beforeprint", () => { kept = document.documentElement.dataset.theme; document.documentElement.dataset.theme = "light"; });
  addEventListener("afterprint", () => {
    if (kept === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = kept;
  });
})();
