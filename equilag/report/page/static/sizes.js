// The heaviest load by the number of members.
"use strict";
(() => {
  const { doc, chart, number, short } = equilag;
  const sizing = doc.sizing;
  if (!sizing) return;
  const { present, threads } = sizing.basis;
  const percents = sizing.rows.some((row) => row.load_percent != null);
  const key = percents ? "load_percent" : "load";
  const write = percents ? equilag.percent : number;
  const now = sizing.rows.find((row) => row.size === present) ?? sizing.rows[0];
  // A few members have many times the load: the picture begins where sizes are worth a look.
  const most = 3 * Math.max(now?.[key] ?? 0, percents ? 100 : 0);
  const first = Math.max(0, sizing.rows.findIndex((row) => row[key] <= most));
  const shown = sizing.rows.slice(first);
  chart("sizes-chart", (colours) => {
    const line = (name, at) => ({ ...at, label: { formatter: name, color: colours.muted, position: at.xAxis === undefined ? "insideEndTop" : "end" } });
    return {
      legend: {},
      tooltip: {
        trigger: "axis",
        formatter: ([one]) => {
          const row = shown[one.dataIndex];
          const keeps = row.keeps_up == null ? "" : row.keeps_up ? "<br>keeps up" : "<br>does not keep up";
          return `${number(row.size)}: heaviest load ${write(row[key])}${keeps}`;
        },
      },
      grid: { right: 28, bottom: 30 },
      xAxis: chart.axis(colours, { type: "value", name: threads > 1 ? "processes" : "members", nameLocation: "middle", nameGap: 26, min: "dataMin", max: "dataMax", minInterval: 1, splitLine: { show: false } }),
      yAxis: chart.axis(colours, { type: "value", min: 0, axisLabel: { formatter: percents ? (value) => `${short(value)} %` : short } }),
      series: [{
        name: "heaviest load under the best plan", type: "line", step: "middle", symbol: "circle", symbolSize: shown.length > 60 ? 0 : 6,
        lineStyle: { color: colours.blue, width: 2 }, itemStyle: { color: colours.blue },
        data: shown.map((row) => [row.size, row[key]]),
        markLine: {
          silent: true, symbol: "none", lineStyle: { color: colours.muted, type: "dashed", width: 1.5 },
          data: [line("now", { xAxis: present }), ...(percents ? [line("what a member keeps up with", { yAxis: 100 })] : [])],
        },
      }],
    };
  });
})();
