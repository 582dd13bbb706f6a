// Tables: sort, search, filter, open a row, and show more of many rows. All words come from the page.
"use strict";
equilag.tables = (() => {
  const { element, unpack, count } = equilag;
  const AT_ONCE = innerWidth < 736 ? 15 : 100; // rows that are shown before somebody asks for more
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  /** The cell of a packed row: words, or a short name with the full one. */
  const content = (words) => Array.isArray(words) ? element("bdi", { title: words[1] }, words[0]) : words;
  /** The text of a cell, with a name in full. */
  const full = (cell) => cell.querySelector("[title]")?.title ?? cell.textContent;

  class Table {
    constructor(box) {
      this.box = box;
      this.body = box.querySelector("tbody");
      this.heads = [...box.querySelectorAll("thead th")];
      this.rows = [...this.body.rows].map((tr) => ({
        tr, words: [...tr.cells].map(full), keys: [...tr.cells].map((cell) => cell.dataset.key === undefined ? null : Number(cell.dataset.key)),
      }));
      this.shown = this.rows;
      this.most = AT_ONCE;
      this.wanted = [];
      this.value = "";
      this.rest = box.querySelector(".rest");
      this.details = box.querySelector(".details");
      this.addSort();
      if ("search" in box.dataset) this.addSearch();
      for (const chip of box.querySelectorAll(".chip")) chip.addEventListener("click", () => this.filter(chip));
      this.more = element("button", { type: "button", class: "button more-rows", hidden: true });
      this.more.addEventListener("click", () => { this.most *= 5; this.draw(); });
      this.body.parentNode.after(this.more);
      this.rows.forEach((row, i) => { row.place = i; });
      if (this.details) for (const row of this.rows) this.addOpen(row);
      box.table = this;
    }

    /** All rows; those that are packed are unpacked once. */
    async all() {
      if (this.rest) {
        const packed = await unpack(this.rest);
        this.rest = null;
        for (const [words, keys] of packed) this.rows.push({ words, keys, place: this.rows.length });
      }
      return this.rows;
    }

    element(row) {
      if (row.tr) return row.tr;
      row.tr = element("tr", {}, ...row.words.map((words, i) => element("td", { class: this.heads[i].className, "data-label": this.heads[i].textContent }, content(words))));
      if (this.details) this.addOpen(row);
      return row.tr;
    }

    addSort() {
      this.heads.forEach((head, place) => {
        if (!head.textContent) return;
        const button = element("button", { type: "button" }, ...head.childNodes);
        button.addEventListener("click", () => this.sort(place));
        head.replaceChildren(button);
      });
    }

    addSearch() {
      const name = this.box.querySelector("caption").textContent;
      const input = element("input", { type: "search", placeholder: "Search", "aria-label": `Search: ${name}` });
      this.found = element("output", {}, count(Number(this.box.dataset.size), "row"));
      input.addEventListener("input", () => {
        this.wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        this.select();
      });
      this.box.querySelector("table").before(element("div", { class: "find" }, input, this.found));
    }

    addOpen(row) {
      const first = row.tr.cells[0];
      const button = element("button", { type: "button", class: "opens" }, ...first.childNodes);
      first.replaceChildren(button);
      row.tr.addEventListener("click", (event) => {
        if (event.target.closest(".opens") || !String(getSelection())) this.open(row);
      });
    }

    /** Sort by a column; again turns the order around. Figures begin with the largest. */
    async sort(place) {
      const rows = await this.all();
      const head = this.heads[place];
      const figures = head.classList.contains("figure");
      const descending = head.ariaSort ? head.ariaSort === "ascending" : figures;
      for (const one of this.heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const sign = descending ? -1 : 1;
      const text = (row) => [row.words[place]].flat().at(-1);
      rows.sort((a, b) => {
        const [one, other] = [a.keys[place], b.keys[place]];
        if (!figures) return sign * order.compare(text(a), text(b)) || a.place - b.place;
        if (one === null || other === null) return (one === null) - (other === null) || a.place - b.place;
        return sign * (one - other) || a.place - b.place;
      });
      this.select();
    }

    filter(chip) {
      for (const one of this.box.querySelectorAll(".chip")) one.setAttribute("aria-pressed", one === chip);
      this.value = chip.value;
      this.select();
    }

    async select() {
      const rows = await this.all();
      const place = Number(this.box.dataset.filter);
      this.shown = rows.filter((row) => {
        if (this.value && row.words[place] !== this.value) return false;
        row.text ??= row.words.flat().join(" ").toLowerCase();
        return this.wanted.every((word) => row.text.includes(word));
      });
      if (this.found) {
        const all = count(rows.length, "row");
        this.found.textContent = this.shown.length < rows.length ? `${this.shown.length.toLocaleString("en-US")} of ${all}` : all;
      }
      this.draw();
    }

    async draw() {
      if (this.rest && this.most > AT_ONCE) { await this.all(); this.shown = this.rows; }
      const some = this.shown.slice(0, this.most).map((row) => this.element(row));
      if (!some.length) some.push(element("tr", {}, element("td", { colspan: this.heads.length }, "No row is like that.")));
      this.body.replaceChildren(...some);
      equilag.addCopyButtons(this.body);
      this.offer();
    }

    /** The button for more rows, while there are any. */
    offer() {
      const left = (this.rest ? Number(this.box.dataset.size) : this.shown.length) - this.most;
      this.more.hidden = left <= 0;
      this.more.textContent = `Show more of ${count(left, "other row")}`;
    }

    async open(row) {
      this.unpacked ??= await unpack(this.details);
      const [words, pairs, commands] = this.unpacked[row.place];
      const dialog = document.getElementById("row");
      const close = element("button", { type: "button", class: "button", autofocus: true }, "Close");
      close.addEventListener("click", () => dialog.close());
      dialog.replaceChildren(
        element("div", { class: "dialog-head" }, element("h2", { id: "row-title" }, element("bdi", {}, [row.words[0]].flat().at(-1))), close),
        element("p", {}, words),
        element("dl", { class: "pairs" }, ...pairs.map(([label, text]) => element("div", {}, element("dt", {}, label), element("dd", {}, text)))),
        ...commands.map((line) => element("code", { class: "command" }, line)),
      );
      equilag.addCopyButtons(dialog);
      dialog.showModal();
    }
  }
  document.getElementById("row").addEventListener("click", (event) => { if (event.target.id === "row") event.target.close(); });
  /** Let the tables within `area` be sorted, searched and opened. */
  const start = (area) => { for (const box of area.querySelectorAll(".table")) if (!box.table) new Table(box).draw(); };
  start(document);
  return start;
})();
