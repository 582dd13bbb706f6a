// Lag over time, with and without the plan.
"use strict";
(() => {
  const { doc, chart, number, seconds, short } = equilag;
  const found = doc.simulation;
  if (!found) return;
  const courses = [["now", found.current, "solid"], ["with the plan", found.planned, "dashed"]].slice(0, found.changes ? 2 : 1);
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400];
  const step = (most) => steps.find((one) => found.duration / one <= most) ?? found.duration / most;
  chart("lag-chart", (colours, narrow) => ({
    legend: { icon: "path://M0 4h18v3H0z" },
    tooltip: {
      trigger: "axis",
      formatter: (lines) => [`after ${seconds(lines[0].value[0])}`, ...lines.map((line) => `${line.seriesName}: ${number(Math.round(line.value[1]))}`)].join("<br>"),
    },
    grid: { right: 28 },
    xAxis: chart.axis(colours, { type: "value", max: found.duration, interval: step(narrow ? 4 : 8), splitLine: { show: false }, axisLabel: { formatter: seconds } }),
    yAxis: chart.axis(colours, { type: "value", min: 0, axisLabel: { formatter: short } }),
    series: courses.map(([name, course, type], i) => ({
      name, type: "line", showSymbol: false,
      lineStyle: { width: i ? 3 : 2, type: i ? "solid" : [6, 4], color: i ? colours.blue : colours.vermilion },
      itemStyle: { color: i ? colours.blue : colours.vermilion },
      areaStyle: i ? { color: colours.blue, opacity: 0.12 } : undefined,
      data: found.curve_times.map((time, k) => [time, course.curve[k]]),
    })),
  }));
})();
