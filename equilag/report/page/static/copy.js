// Commands: a button that copies them, or marks their text where a page may not copy.
"use strict";
equilag.addCopyButtons = (() => {
  const { element } = equilag;
  async function copy(code) {
    const text = code.textContent.trim();
    try {
      await navigator.clipboard.writeText(text);
      return "copied";
    } catch {
      getSelection().selectAllChildren(code);
      try {
        if (document.execCommand("copy")) return "copied";
      } catch { /* what is marked can be copied by hand */ }
      return "marked";
    }
  }
  /** Give each command within `area` a button. Its words are CSS, so that no text of the page changes. */
  return (area) => {
    for (const code of area.querySelectorAll("code.command")) {
      if (code.parentNode.classList.contains("copyable")) continue;
      const button = element("button", { type: "button", class: "copy", "aria-label": "Copy the command", "data-state": "copy" });
      button.addEventListener("click", async () => {
        button.dataset.state = await copy(code);
        button.setAttribute("aria-label", button.dataset.state === "copied" ? "Copied" : "The command is marked: copy it");
        setTimeout(() => {
          button.dataset.state = "copy";
          button.setAttribute("aria-label", "Copy the command");
        }, 2500);
      });
      const box = element("div", { class: "copyable" });
      code.replaceWith(box);
      box.append(code, button);
    }
  };
})();
equilag.addCopyButtons(document);
