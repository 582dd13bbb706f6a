// The front: moves against spread, with a point to pick.
"use strict";
(() => {
  const { doc, chart, element, number, percent, axisNumber } = equilag;
  const points = doc.frontier?.points ?? [];
  const pick = document.getElementById("front-pick");
  if (!pick) return;
  const what = doc.frontier.per_capacity ? "Load" : "Lag";
  const plan = [doc.verdict.cost.moves, doc.proof.spread];
  const own = points.findIndex((point) => point.marks.includes("plan"));
  let chosen = own >= 0 ? own : Math.max(0, points.findLastIndex((point) => point.moves <= plan[0]));
  const marks = { current: "current assignment", knee: "knee", plan: "this plan" };
  // Where most of the spread cannot be helped, the scale begins above 0 to tell the points apart.
  const spreads = points.map((point) => point.spread);
  const isFlat = Math.min(...spreads) > 0.5 * Math.max(...spreads);
  const figures = document.getElementById("front-figures");

  const drawn = chart("front-chart", (colours, narrow) => ({
    legend: { data: [{ name: "trade-offs", icon: "circle" }, { name: "this plan", icon: "rect" }, { name: "picked", icon: "circle" }], itemWidth: 12, itemHeight: 12, itemGap: 18 },
    tooltip: {
      trigger: "item",
      formatter: (one) => {
        const point = points[one.data.point] ?? { moves: plan[0], spread: plan[1] };
        return `${number(point.moves)} moves, spread ${number(point.spread)}`;
      },
    },
    grid: { top: 66, right: 44, bottom: 34, left: narrow ? 4 : 8 },
    xAxis: chart.axis(colours, { type: "value", name: "moves", nameLocation: "middle", nameGap: 28, min: 0, minInterval: 1, splitLine: { show: false } }),
    yAxis: chart.axis(colours, { type: "value", name: narrow ? "" : `${what.toLowerCase()} spread`, nameGap: 26, nameTextStyle: { align: "left", color: colours.muted }, min: isFlat ? undefined : 0, scale: isFlat, axisLabel: { margin: 14, formatter: axisNumber(isFlat ? Math.min(...spreads) : 0, Math.max(...spreads)) } }),
    series: [
      {
        name: "trade-offs", type: "line", step: "end", symbol: "circle", symbolSize: 9, cursor: "pointer",
        lineStyle: { color: colours.blue, width: 2 }, itemStyle: { color: colours.surface, borderColor: colours.blue, borderWidth: 2 },
        labelLayout: { hideOverlap: true },
        data: points.map((point, i) => !point.is_on_front ? null : ({
          value: [point.moves, point.spread], point: i, symbol: point.marks.includes("knee") ? "diamond" : "circle",
          symbolSize: point.marks.length ? 13 : points.length > 60 ? 6 : 9,
          label: {
            show: point.marks.some((mark) => mark !== "plan"), color: colours.text, fontSize: 12,
            position: "right", offset: [2, -11], formatter: () => point.marks.filter((mark) => mark !== "plan").join(", "),
          },
        })).filter(Boolean),
      },
      {
        name: "this plan", type: "scatter", symbol: "rect", symbolSize: 13, silent: true, z: 4,
        itemStyle: { color: colours.green }, data: [{ value: plan }],
      },
      {
        name: "picked", type: "scatter", symbol: "circle", symbolSize: 22, silent: true, z: 5,
        itemStyle: { color: "transparent", borderColor: colours.vermilion, borderWidth: 3 },
        data: [{ value: [points[chosen].moves, points[chosen].spread] }],
      },
    ],
  }));

  function show(i) {
    chosen = i;
    const point = points[i];
    pick.value = i;
    pick.setAttribute("aria-valuetext", `${number(point.moves)} moves, spread ${number(point.spread)}`);
    document.getElementById("front-number").textContent = `${i + 1} of ${number(points.length)}`;
    const lines = [
      ["Moves", number(point.moves)],
      [`${what} spread`, `${number(point.spread)} (${percent(point.percent_of_mean)} of the mean)`],
      ["Gain", percent(point.gain_percent)],
      ["Proved", point.bound === point.spread ? "no plan with as many moves has a smaller spread" : `at least ${number(point.bound)}`],
    ];
    if (point.marks.length) lines.push(["Mark", point.marks.map((mark) => marks[mark] ?? mark).join(", ")]);
    figures.replaceChildren(...lines.flatMap(([label, text]) => [element("dt", {}, label), element("dd", {}, text)]));
    document.getElementById("front-command").replaceChildren(...point.command.split(" ").flatMap((word) => [element("span", {}, word), " "]));
    drawn.chart.setOption({ series: [{}, {}, { data: [{ value: [point.moves, point.spread] }] }] });
  }
  pick.addEventListener("input", () => show(Number(pick.value)));
  drawn.chart.on("click", (event) => { if (event.data?.point !== undefined) show(event.data.point); });
  // A tap beside a point picks the nearest one.
  drawn.chart.getZr().on("click", (event) => {
    const distances = points.map((point) => {
      const [x, y] = drawn.chart.convertToPixel({ gridIndex: 0 }, [point.moves, point.spread]);
      return Math.hypot(x - event.offsetX, y - event.offsetY);
    });
    const near = distances.indexOf(Math.min(...distances));
    if (distances[near] < 40) show(near);
  });
  show(chosen);
})();
