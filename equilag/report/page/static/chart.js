// Charts: one way to draw them, so that all have the same looks, in every theme, on paper too.
"use strict";
equilag.chart = (() => {
  const { element, onTheme } = equilag;
  const drawn = [];
  const PAPER = 680; // pixels of the width between the margins of A4 and Letter

  const probe = element("span", { hidden: true });
  document.body.append(probe);
  /** The colours of the theme, as plain values. */
  function colours() {
    const found = {};
    for (const name of ["ground", "surface", "sunken", "text", "muted", "line", "blue", "sky", "orange", "green", "vermilion", "purple"]) {
      probe.style.color = `var(--${name})`;
      found[name] = getComputedStyle(probe).color;
    }
    return found;
  }

  /** What all charts have in common. */
  function common(palette) {
    const text = { color: palette.muted, fontSize: 12 };
    return {
      animation: false,
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
      color: [palette.blue, palette.orange, palette.green, palette.purple, palette.vermilion, palette.sky],
      aria: { enabled: false, decal: { show: false } },
      tooltip: {
        confine: true, backgroundColor: palette.text, borderWidth: 0, padding: [7, 10],
        textStyle: { color: palette.ground, fontSize: 13 }, extraCssText: "white-space:normal;max-width:20rem;overflow-wrap:anywhere",
      },
      legend: { top: 0, left: 0, itemWidth: 18, itemHeight: 10, icon: "roundRect", textStyle: { ...text, fontSize: 13 } },
      grid: { left: 8, right: 16, top: 36, bottom: 8, containLabel: true },
    };
  }
  /** An axis in the looks of the page. */
  function axis(palette, more) {
    return {
      nameTextStyle: { color: palette.muted, fontSize: 12 },
      axisLine: { lineStyle: { color: palette.line } },
      axisTick: { lineStyle: { color: palette.line } },
      splitLine: { lineStyle: { color: palette.line, opacity: 0.6 } },
      ...more,
      axisLabel: { color: palette.muted, fontSize: 12, hideOverlap: true, ...more.axisLabel },
    };
  }

  /** Draw into the element `id`, if it is there. `option(colours, narrow)` is what ECharts takes. */
  return Object.assign((id, option) => {
    const box = document.getElementById(id);
    if (!box) return null;
    const chart = echarts.init(box, null, { renderer: "svg" });
    const one = {
      chart, box,
      draw() {
        const palette = colours();
        const own = option(palette, box.clientWidth < 560);
        const base = common(palette);
        chart.setOption({
          ...base, ...own,
          tooltip: own.tooltip && { ...base.tooltip, ...own.tooltip },
          legend: own.legend && { ...base.legend, ...own.legend },
          grid: own.grid === undefined ? base.grid : { ...base.grid, ...own.grid },
          aria: own.aria ?? base.aria,
        }, { notMerge: true });
      },
    };
    one.draw();
    drawn.push(one);
    new ResizeObserver(() => {
      if (!box.clientWidth || matchMedia("print").matches) return;
      if (box.clientWidth !== chart.getWidth() || box.clientHeight !== chart.getHeight()) {
        chart.resize();
        one.draw();
      }
    }).observe(box);
    return one;
  }, { axis, colours, all: drawn, paper: PAPER });
})();
(() => {
  const redraw = () => equilag.chart.all.forEach((one) => one.draw());
  equilag.onTheme(redraw);
  const root = document.documentElement;
  let kept;
  addEventListener("beforeprint", () => {
    kept = root.dataset.theme;
    root.dataset.theme = "light";
    for (const one of equilag.chart.all) {
      one.chart.resize({ width: Math.min(equilag.chart.paper, one.box.clientWidth || equilag.chart.paper) });
      one.draw();
    }
  });
  addEventListener("afterprint", () => {
    if (kept === undefined) delete root.dataset.theme;
    else root.dataset.theme = kept;
    for (const one of equilag.chart.all) {
      one.chart.resize({ width: "auto" });
      one.draw();
    }
  });
})();
