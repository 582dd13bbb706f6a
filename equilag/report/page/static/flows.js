// What members give to one another.
"use strict";
(() => {
  const { doc, chart, number, plural, printable } = equilag;
  const rows = doc.flows.rows;
  if (!rows.length) return;
  let key = "lag";
  const named = (id, narrow) => (narrow ? equilag.narrowLabel(id, 13) : equilag.label(id, 24));
  const drawn = chart("flows", (colours, narrow) => {
    // A flow without lag has a width too, so that it is seen.
    const total = rows.reduce((sum, row) => sum + row[key], 0);
    const width = (row) => Math.max(row[key], total * 0.008, 1e-9);
    const hues = [colours.blue, colours.orange, colours.green, colours.purple, colours.vermilion];
    const sources = [...new Set(rows.map((row) => row.source))];
    const targets = [...new Set(rows.map((row) => row.target))];
    const label = { color: colours.text, fontSize: 12 };
    return {
      tooltip: {
        trigger: "item",
        formatter: (one) => {
          const box = document.createElement("div");
          if (one.dataType === "edge") {
            const row = rows[one.data.row];
            box.append(`${printable(row.source)} → ${printable(row.target)}`, document.createElement("br"), `${plural(row.partitions, "partition")}, ${plural(row.lag, "record")}`);
          } else box.append(printable(one.name.slice(2)));
          return box;
        },
      },
      series: [{
        type: "sankey", left: narrow ? 100 : 176, right: narrow ? 100 : 176, top: 8, bottom: 8, nodeGap: 13, nodeWidth: 12,
        draggable: false, layoutIterations: 24, emphasis: { focus: "adjacency" },
        data: [
          ...sources.map((id, i) => ({ name: `> ${id}`, depth: 0, itemStyle: { color: hues[i % hues.length] }, label: { ...label, position: "left" } })),
          ...targets.map((id) => ({ name: `< ${id}`, depth: 1, itemStyle: { color: colours.muted }, label: { ...label, position: "right" } })),
        ],
        label: { formatter: (one) => named(one.name.slice(2), narrow) },
        lineStyle: { color: "source", opacity: 0.4, curveness: 0.5 },
        links: rows.map((row, i) => ({ source: `> ${row.source}`, target: `< ${row.target}`, value: width(row), row: i })),
      }],
    };
  });
  for (const input of document.querySelectorAll("input[name=flow-width]")) {
    input.addEventListener("change", () => { key = input.value; drawn.draw(); });
  }
})();
