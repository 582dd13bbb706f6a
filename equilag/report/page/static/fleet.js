// The page of a fleet: filters of the table of all groups, and what a group shows when it is opened.
"use strict";
(() => {
  const { doc, element, figure, printable } = equilag;
  const box = document.getElementById("groups-table");
  if (!box) return;
  const places = new Map(doc.groups.map((row, place) => [row, place]));
  const place = Object.fromEntries(doc.columns.map((column, i) => [column.key, i]));

  // Filters: groups that need the same.
  const chips = [...document.querySelectorAll(".chip")];
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      for (const one of chips) one.setAttribute("aria-pressed", one === chip);
      const words = chip.dataset.words.split("|").filter(Boolean);
      box.table.keep(words.length ? (row) => words.includes(row[place.action]) : undefined);
    });
  }

  // Details are packed: gzip in Base64, one entry for each row.
  let unpacked = null;
  function details() {
    unpacked ??= (async () => {
      const bytes = Uint8Array.from(atob(doc.details), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      return JSON.parse(await new Response(stream).text());
    })();
    return unpacked;
  }

  const change = (before, after, form) => [before == null ? null : `${figure(before, form)} → `, element("strong", {}, figure(after, form))];
  /** The figures of a group: label, content. */
  function figures(row, more) {
    const value = (key) => row[place[key]];
    const unit = doc.verdict.unit;
    const pairs = [
      ["Heaviest member", [...change(more.max_now, more.max_planned), ` ${unit}; the mean is ${figure(more.load_mean)}`]],
      ["Above a fair share", more.excess_planned == null ? null : [...change(more.excess_now, more.excess_planned), ` ${unit}; no plan has less than ${figure(more.excess_lower_bound ?? 0)}`]],
      ["Spread", [...change(more.spread_now, more.spread_planned), `; no plan has less than ${figure(more.spread_lower_bound)}`]],
      ["Relief", more.relief_percent == null ? null : [`${figure(more.relief_percent, "percent")} of a fair share, for the member that is relieved most`]],
      ["Plan", [`${figure(value("moves"))} moves among ${figure(value("partitions"))} partitions and ${figure(value("members"))} members; ${more.status}`]],
      ["Nobody owns", more.unowned && [equilag.plural(more.unowned, "partition")]],
      ["Busiest member", more.utilisation == null ? null : [...change(more.utilisation_now, more.utilisation, "share"), " of what it can read"]],
      ["Falls behind by", more.short_now ? [...change(more.short_now, more.short), " records/s"] : null],
      ["Hot partitions", more.hot && [more.hot.map(printable).join(", ")]],
      ["What helps", more.helps && [more.helps]],
    ];
    return pairs.filter(([, content]) => content);
  }

  const commandBlock = (text) => element("code", { class: "command" }, printable(text));

  const dialog = document.getElementById("group");
  async function open(row) {
    const more = (await details())[places.get(row)];
    const close = element("button", { type: "button", class: "button", autofocus: true }, "Close");
    close.addEventListener("click", () => dialog.close());
    dialog.replaceChildren(
      element("div", { class: "dialog-head" }, element("h2", { id: "group-title" }, equilag.nameElement(row[place.group], 120)), close),
      element("p", {}, more.headline ? printable(more.headline) : `What to do: ${row[place.action]}`),
      element("dl", { class: "pairs" }, ...figures(row, more).flatMap(([label, content]) => [element("dt", {}, label), element("dd", {}, ...content.filter(Boolean))])),
      element("h3", {}, "Its snapshot and plan as files, and the plan made again"),
      commandBlock(more.export),
      commandBlock(more.plan),
    );
    equilag.addCopyButtons(dialog);
    dialog.showModal();
  }
  box.addEventListener("open-row", (event) => open(event.detail));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
})();
