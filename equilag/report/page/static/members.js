// Members before and after: bars whose blocks are partitions, and how much of their capacity is used.
"use strict";
(() => {
  const { doc, element, label, number, plural, printable, nameElement, hints, chart } = equilag;
  const bars = document.getElementById("bars");
  if (!bars) return;
  const AT_ONCE = 8; // members whose blocks are there before they come into view
  const FEW = 20; // members that are shown at first
  const THIN = 0.004; // part of the longest bar below which a block is too thin to point at
  const { topics, members: ids, topic, partition, lag, before, after } = doc.partitions;
  const weight = doc.partitions.weight ?? lag;
  const most = Number(bars.dataset.most) || 1;
  const place = new Map(ids.map((id, i) => [id, i]));
  const hot = new Set(doc.verdict.hot.map((one) => JSON.stringify([one.topic, one.partition])));
  const isHot = (p) => hot.size > 0 && hot.has(JSON.stringify([topics[topic[p]], partition[p]]));

  // Partitions of each member: those that stay come first, so that they stand in line in both bars.
  const changes = (p) => Number(before[p] !== after[p]);
  const held = (owners) => {
    const found = ids.map(() => []);
    owners.forEach((owner, p) => { if (owner >= 0) found[owner].push(p); });
    for (const some of found) some.sort((a, b) => changes(a) - changes(b) || weight[b] - weight[a] || a - b);
    return found;
  };
  const now = held(before);
  const then = held(after);
  const partitionName = (p) => `${printable(topics[topic[p]])}-${partition[p]}`;

  function strip(box, member, isPlan) {
    const own = isPlan ? then[place.get(member.id)] : now[place.get(member.id)];
    const capacity = member.capacity ?? 1;
    const load = isPlan ? member.load : member.load_before;
    const blocks = [];
    let thin = 0;
    let thinLoad = 0;
    for (const p of own) {
      const part = weight[p] / capacity / most;
      const hotOne = isHot(p);
      if (part < THIN && !hotOne) { thin += 1; thinLoad += weight[p] / capacity; continue; }
      const state = before[p] === after[p] || before[p] < 0 ? "stays" : isPlan ? "arrives" : "leaves";
      blocks.push(element("span", {
        class: `block ${before[p] < 0 ? "arrives" : state}${hotOne ? " hot" : ""}`, role: "listitem",
        style: `width:${100 * part}%`, "data-partition": p, tabindex: blocks.length ? -1 : 0,
        "aria-label": words(p).join(", "),
      }));
    }
    if (thin) {
      blocks.push(element("span", {
        class: "block rest", role: "listitem", style: `width:${100 * thinLoad / most}%`, tabindex: blocks.length ? -1 : 0,
        "data-rest": plural(thin, "smaller partition"), "aria-label": plural(thin, "smaller partition"),
      }));
    }
    box.setAttribute("role", "list");
    box.setAttribute("aria-label", `${label(member.id)}, ${isPlan ? "plan" : "now"}, ${number(load)}`);
    box.replaceChildren(...blocks);
  }
  function words(p) {
    const owner = (m) => (m < 0 ? "nobody" : label(ids[m], 48));
    const lines = [partitionName(p), `lag ${number(lag[p])}`];
    if (before[p] === after[p]) lines.push(`stays with ${owner(before[p])}`);
    else lines.push(`from ${owner(before[p])}`, `to ${owner(after[p])}`);
    if (isHot(p)) lines.push("more than a fair share alone");
    return lines;
  }

  // One row per member; a row gets its blocks when it comes into view.
  const rows = doc.members.map((member, i) => {
    let row = bars.querySelector(`[data-member="${i}"]`);
    if (!row) {
      row = element("div", { class: "member", "data-member": i }, element("p", { class: "who" }, nameElement(member.id)));
      for (const [when, load] of [["now", member.load_before], ["plan", member.load]]) {
        row.append(element("span", { class: "when" }, when), element("div", { class: `strip ${when}` }), element("span", { class: "amount" }, number(load)));
      }
    }
    return row;
  });
  const filled = new WeakSet();
  function fill(row) {
    if (filled.has(row)) return;
    filled.add(row);
    const member = doc.members[Number(row.dataset.member)];
    strip(row.querySelector(".strip.now"), member, false);
    strip(row.querySelector(".strip.plan"), member, true);
  }
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) fill(entry.target);
  }, { rootMargin: "300px" });
  rows.forEach((row) => seen.observe(row));
  addEventListener("beforeprint", () => [...bars.children].forEach(fill));

  const order = document.getElementById("bars-order");
  const all = document.getElementById("bars-all");
  const names = new Intl.Collator("en", { numeric: true });
  const orders = {
    name: (a, b) => names.compare(a.id, b.id),
    heaviest: (a, b) => Math.max(b.load, b.load_before) - Math.max(a.load, a.load_before),
    change: (a, b) => Math.abs(b.load - b.load_before) - Math.abs(a.load - a.load_before),
  };
  let whole = doc.members.length <= FEW;
  function arrange() {
    const numbers = doc.members.map((_, i) => i);
    if (!(order.value === "name" && whole)) numbers.sort((a, b) => orders[order.value](doc.members[a], doc.members[b]) || a - b);
    else numbers.sort((a, b) => orders.name(doc.members[a], doc.members[b]));
    bars.replaceChildren(...numbers.slice(0, whole ? undefined : FEW).map((i) => rows[i]));
    all.hidden = doc.members.length <= FEW;
    all.textContent = whole ? `Show the first ${FEW} only` : `Show all ${plural(doc.members.length, "member")}`;
  }
  order.addEventListener("change", arrange);
  all.addEventListener("click", () => { whole = !whole; arrange(); });
  document.getElementById("bars-controls").hidden = doc.members.length < 4;
  if (doc.members.length <= FEW) order.value = "name";
  const mean = doc.group.mean_lag / most;
  if (mean > 0 && mean <= 1) {
    bars.style.setProperty("--mean", `${100 * mean}%`);
    bars.classList.add("scaled");
  }
  arrange();
  [...bars.children].slice(0, AT_ONCE).forEach(fill);

  hints(bars, ".block[data-partition], .block[data-rest]", (block) => {
    if (block.dataset.rest) return [element("b", {}, block.dataset.rest)];
    const [first, ...others] = words(Number(block.dataset.partition));
    return [element("b", {}, first), ...others.map((line) => element("div", {}, line))];
  });
  // Arrow keys go from block to block, so that Tab goes from bar to bar.
  bars.addEventListener("keydown", (event) => {
    const block = event.target.closest(".block");
    const step = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[event.key];
    if (!block || !step || !block[step]) return;
    event.preventDefault();
    block.tabIndex = -1;
    block[step].tabIndex = 0;
    block[step].focus();
  });

  // Utilisation: what is produced for a member, of what it reads.
  const used = doc.members.filter((member) => member.used != null)
    .sort((a, b) => Math.max(b.used, b.used_before ?? 0) - Math.max(a.used, a.used_before ?? 0)).slice(0, FEW);
  const box = document.getElementById("used");
  if (box) box.style.height = `${used.length * 2.3 + 4}rem`;
  chart("used", (colours) => ({
    legend: {},
    tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: (share) => equilag.figure(share, "share") },
    grid: { right: 28 },
    xAxis: chart.axis(colours, { type: "value", axisLabel: { formatter: (share) => `${Math.round(100 * share)} %` } }),
    yAxis: chart.axis(colours, { type: "category", inverse: true, data: used.map((member) => label(member.id)), axisLabel: { color: colours.text } }),
    series: [["now", "used_before", colours.sky], ["with the plan", "used", colours.blue]].map(([name, key, color]) => ({
      type: "bar", name, itemStyle: { color, decal: key === "used_before" ? { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: 0.7, color: colours.surface } : undefined },
      barMaxWidth: 12, data: used.map((member) => member[key]),
      markLine: key === "used" ? {
        silent: true, symbol: "none", lineStyle: { color: colours.vermilion, width: 2, type: "solid" },
        label: { show: false }, data: [{ xAxis: 1 }],
      } : undefined,
    })),
  }));
})();
