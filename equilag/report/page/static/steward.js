// A steward's live page: it reads what is new from its own server, and stays where it is.
"use strict";
(() => {
  const { doc, element, number, percent, seconds, short } = equilag;
  const PATIENCE = 5000; // ms that the steward may take for an answer
  const lost = document.getElementById("lost");
  let course = doc.history;
  let since = null;

  const clock = (at) => new Date(at).toISOString().slice(11, 19);

  /** What ECharts takes for one figure over time; the dry run's is dashed. */
  const line = (key, label, write, base) => (palette) => {
    const { axis } = equilag.chart;
    const points = (name) => course.times.map((at, place) => [at * 1000, course[name][place]]);
    const would = `${key}_would_be`;
    const dry = course[would].some((value) => value != null);
    return {
      xAxis: axis(palette, { type: "time", axisLabel: { formatter: (at) => clock(at).slice(0, 5) } }),
      yAxis: axis(palette, { type: "value", min: base, scale: base === undefined, axisLabel: { formatter: short } }),
      tooltip: { trigger: "axis", formatter: (shown) => element("span", {}, `${clock(shown[0].value[0])} UTC: ${shown.map((one) => `${one.seriesName} ${one.value[1] == null ? "-" : write(one.value[1])}`).join(", ")}`).outerHTML },
      legend: dry ? {} : undefined,
      grid: dry ? undefined : { top: 12 },
      series: [
        {
          name: label, type: "line", data: points(key), showSymbol: course.times.length < 3, lineStyle: { width: 2 },
          markLine: course.rebalances.length ? {
            silent: true, symbol: "none", label: { show: false }, lineStyle: { color: palette.orange, type: "dashed" },
            data: course.rebalances.map((at) => ({ xAxis: at * 1000 })),
          } : undefined,
        },
        ...(dry ? [{ name: "with its plans", type: "line", data: points(would), showSymbol: false, lineStyle: { width: 2, type: "dashed" } }] : []),
      ],
    };
  };
  function describe() {
    const values = course.heaviest_percent.filter((one) => one != null);
    const count = course.rebalances.length;
    const words = document.getElementById("course-words");
    if (!values.length) words.textContent = "Nothing has been measured yet.";
    else words.textContent = `The heaviest member had ${percent(Math.min(...values))} to ${percent(Math.max(...values))} of a fair share in the last ${seconds(course.times.at(-1) - course.times[0] || 1)}. ${count ? `Dashed lines: ${equilag.plural(count, "rebalance")} of the steward.` : "No rebalance of the steward."} Times are in UTC.`;
  }
  describe();
  const charts = [
    equilag.chart("heaviest-course", line("heaviest_percent", "heaviest member", (value) => `${percent(value)} of a fair share`, undefined)),
    equilag.chart("lag-course", line("lag_total", "lag", (value) => `${number(value)} records`, 0)),
  ];

  /** Put newer parts in the place of those that are there: what is open, scrolled to, focused or
   *  selected stays so. */
  function swap(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    for (const part of fresh.querySelectorAll("[data-part]")) {
      const old = document.getElementById(part.id);
      const selection = getSelection();
      if (!old || old.outerHTML === part.outerHTML) continue;
      if (!selection.isCollapsed && old.contains(selection.anchorNode)) continue;
      const open = [...old.querySelectorAll("details[open]")].map((one) => one.id);
      const places = [...old.querySelectorAll(".rows")].map((one) => [one.scrollTop, one.scrollLeft]);
      const stops = "a, summary, [tabindex]";
      const focused = [...old.querySelectorAll(stops)].indexOf(document.activeElement);
      old.className = part.className;
      old.replaceChildren(...part.childNodes);
      for (const id of open) document.getElementById(id)?.setAttribute("open", "");
      [...old.querySelectorAll(".rows")].forEach((one, place) => {
        if (places[place]) [one.scrollTop, one.scrollLeft] = places[place];
      });
      if (focused >= 0) old.querySelectorAll(stops)[focused]?.focus({ preventScroll: true });
    }
  }
  async function get(path) {
    const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer;
  }
  async function refresh() {
    try {
      const [parts, history] = await Promise.all([get("parts"), get("history")]);
      const html = await parts.text();
      course = await history.json();
      swap(html);
      describe();
      for (const one of charts) one?.draw();
      since = null;
      lost.hidden = true;
    } catch {
      since ??= Date.now();
      lost.hidden = false;
      lost.textContent = `The steward has not answered since ${clock(since)} UTC. What you see is what it said before; this page asks again every ${doc.refresh_s} s.`;
    }
  }
  async function loop() {
    if (!document.hidden) await refresh();
    setTimeout(loop, 1000 * doc.refresh_s);
  }
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
  setTimeout(loop, 1000 * doc.refresh_s);
})();
