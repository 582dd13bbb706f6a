// Tables: sort, search, open a row, and as many rows in the page as can be seen.
"use strict";
(() => {
  const { at, element, figure, nameElement, plural, printable, number } = equilag;
  const ALL = 150; // rows that stand in the page at once without being missed by anybody
  const AROUND = 12; // rows above and below what is seen
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  const compare = (a, b) => {
    if (a == null || b == null) return (a == null) - (b == null);
    return typeof a === "number" && typeof b === "number" ? a - b : order.compare(String(a), String(b));
  };

  class Table {
    constructor(box) {
      this.box = box;
      this.scroller = box.querySelector(".rows");
      this.body = box.querySelector("tbody");
      this.table = box.querySelector("table");
      this.columns = JSON.parse(box.dataset.columns);
      this.all = at(box.dataset.source) ?? [];
      const names = this.columns.map((column) => column.names && at(column.names));
      this.values = (row) => this.columns.map((column, i) => {
        const value = Array.isArray(row) ? row[i] : row[column.key];
        return names[i] ? names[i][value] : value;
      });
      this.shown = this.all;
      this.texts = null;
      this.whole = false;
      const sorted = box.dataset.sorted;
      this.sorted = sorted.replace(/^-/, "");
      this.descending = sorted.startsWith("-");
      this.addSort();
      if ("search" in box.dataset && this.all.length > 8) this.addSearch();
      this.scroller.addEventListener("scroll", () => this.window(), { passive: true });
      addEventListener("beforeprint", () => { this.whole = true; this.draw(); });
      addEventListener("afterprint", () => { this.whole = false; this.draw(); });
      this.opens = "opens" in box.dataset;
      if (this.opens) this.addOpen();
      if (this.opens || this.all.length > this.body.rows.length) this.draw();
      box.table = this;
    }

    addSort() {
      [...this.table.tHead.rows[0].cells].forEach((head, place) => {
        const button = element("button", { type: "button" }, ...head.childNodes);
        button.addEventListener("click", () => this.sort(this.columns[place].key));
        head.replaceChildren(button);
      });
    }

    addSearch() {
      const input = element("input", {
        type: "search", placeholder: "Search", "aria-label": `Search: ${this.table.caption.textContent}`,
      });
      this.found = element("output", {}, plural(this.all.length, "row"));
      input.addEventListener("input", () => this.search(input.value));
      this.box.prepend(element("div", { class: "find" }, input, this.found));
    }

    addOpen() {
      this.body.addEventListener("click", (event) => {
        const place = event.target.closest("tr")?.getAttribute("aria-rowindex");
        if (!place || (!event.target.closest(".opens") && String(getSelection()))) return;
        this.box.dispatchEvent(new CustomEvent("open-row", { detail: this.shown[place - 2] }));
      });
    }

    /** Show only rows of which `keeps(row)` is true; all of them without it. */
    keep(keeps) {
      this.keeps = keeps;
      this.filter();
    }

    /** Sort by a column; again turns the order around. Figures begin with the largest. */
    sort(key) {
      const place = this.columns.findIndex((column) => column.key === key);
      const first = this.sorted !== key;
      const figures = this.all.some((row) => typeof this.values(row)[place] === "number");
      this.descending = first ? figures : !this.descending;
      this.sorted = key;
      const sign = this.descending ? -1 : 1;
      this.all = this.all
        .map((row, i) => [this.values(row)[place], row, i])
        .sort(([a, , i], [b, , j]) => (a == null || b == null ? compare(a, b) : sign * compare(a, b)) || i - j)
        .map(([, row]) => row);
      this.texts = null;
      [...this.table.tHead.rows[0].cells].forEach((head, i) => {
        if (i === place) head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      this.filter();
    }

    search(words) {
      this.words = words.toLowerCase().split(/\s+/).filter(Boolean);
      this.filter();
    }

    filter() {
      const words = this.words ?? [];
      if (words.length && !this.texts) {
        this.texts = this.all.map((row) => this.values(row)
          .map((value) => (typeof value === "string" ? printable(value).toLowerCase() : String(value ?? ""))).join(" "));
      }
      const keeps = this.keeps ?? (() => true);
      const some = words.length || this.keeps;
      this.shown = some ? this.all.filter((row, i) => keeps(row) && words.every((word) => this.texts[i].includes(word))) : this.all;
      if (this.found) {
        const all = plural(this.all.length, "row");
        this.found.textContent = some ? `${number(this.shown.length)} of ${all}` : all;
      }
      this.scroller.scrollTop = 0;
      this.draw();
    }

    draw() {
      this.table.setAttribute("aria-rowcount", this.shown.length + 1);
      this.from = this.to = -1;
      this.window();
    }

    /** Put the rows into the page that can be seen, with room for the others. */
    window() {
      const many = this.shown.length > ALL && !this.whole;
      const height = this.height ?? 33;
      const top = many ? Math.max(0, Math.floor(this.scroller.scrollTop / height) - AROUND) : 0;
      const seen = Math.ceil((this.scroller.clientHeight || 512) / height) + 2 * AROUND;
      const from = many ? Math.min(top, Math.max(0, this.shown.length - seen)) : 0;
      const to = many ? Math.min(this.shown.length, from + seen) : Math.min(this.shown.length, this.whole ? 500 : ALL);
      if (from === this.from && to === this.to) return;
      [this.from, this.to] = [from, to];
      const rows = this.shown.slice(from, to).map((row, i) => this.row(row, from + i));
      const space = (count) => element("tr", { class: "space", "aria-hidden": "true" },
        element("td", { colspan: this.columns.length, style: `height:${count * height}px` }));
      if (many && from > 0) rows.unshift(space(from));
      if (many && to < this.shown.length) rows.push(space(this.shown.length - to));
      if (!rows.length) rows.push(element("tr", {}, element("td", { colspan: this.columns.length }, "No row is like that.")));
      this.body.replaceChildren(...rows);
      equilag.addCopyButtons(this.body);
      const measured = [...this.body.rows].find((row) => row.className !== "space")?.getBoundingClientRect().height;
      if (measured && this.height === undefined) {
        this.height = measured;
        if (many && Math.abs(measured - height) > 0.5) this.draw();
      }
    }

    row(row, place) {
      const values = this.values(row);
      const cells = this.columns.map((column, i) => {
        const form = column.form ?? "text";
        const value = values[i];
        const content = form === "name" && value != null ? nameElement(value) : figure(value, form === "name" ? "text" : form);
        const attributes = { class: column.wide ? `${form} full` : form, "data-label": column.label };
        if (this.opens && i === 0) return element("td", attributes, element("button", { type: "button", class: "opens" }, content));
        return element("td", attributes, content);
      });
      return element("tr", { "aria-rowindex": place + 2 }, ...cells);
    }
  }
  for (const box of document.querySelectorAll(".table[data-source]")) new Table(box);
})();
