// The editor: two texts behind one text area, with line numbers, colours, and errors at their place.

import { find, make } from "./dom.js";

const MOST_COLOURED = 60_000;
const TOKEN = /(;[^\n]*)|(:[\w-]+|\b(?:define|and|or|not|exists|forall|imply|when|increase|either)\b(?=[\s()]))|(\?[\w-]+)/g;

export class Editor {
  constructor(onChange) {
    this.texts = { problem: "", domain: "" };
    this.tab = "problem";
    this.errors = [];
    this.area = find("editor");
    this.marks = find("marks");
    this.gutter = find("gutter");
    this.tabs = [...document.querySelectorAll("[data-tab]")];
    this.area.addEventListener("input", () => {
      this.texts[this.tab] = this.area.value;
      this.errors = this.errors.filter((error) => error.source !== this.tab);
      this.paint();
      onChange();
    });
    this.area.addEventListener("scroll", () => this.follow());
    for (const tab of this.tabs) {
      tab.addEventListener("click", () => this.show(tab.dataset.tab));
      tab.addEventListener("keydown", (event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        this.show(this.tab === "problem" ? "domain" : "problem");
        this.tabs.find((other) => other.dataset.tab === this.tab).focus();
      });
    }
  }

  set(texts) {
    this.texts = { problem: texts.problem, domain: texts.domain };
    this.errors = [];
    this.show("problem");
    this.area.scrollTo(0, 0);
  }

  show(tab) {
    this.tab = tab;
    this.area.value = this.texts[tab];
    this.area.setAttribute("aria-labelledby", `tab-${tab}`);
    for (const button of this.tabs) {
      const selected = button.dataset.tab === tab;
      button.setAttribute("aria-selected", selected);
      button.tabIndex = selected ? 0 : -1;
    }
    this.paint();
  }

  setErrors(errors) {
    this.errors = errors;
    this.paint();
  }

  // Puts the cursor where an error is.
  goTo(error) {
    if (error.source in this.texts) this.show(error.source);
    const lines = this.area.value.split("\n");
    const before = lines.slice(0, (error.line || 1) - 1).reduce((sum, line) => sum + line.length + 1, 0);
    const start = before + (error.column || 1) - 1;
    this.area.focus();
    this.area.setSelectionRange(start, start + wordLength(this.area.value, start));
    this.area.scrollTop = Math.max(0, ((error.line || 1) - 6) * 20);
  }

  paint() {
    const text = this.area.value;
    const own = this.errors.filter((error) => error.source === this.tab && error.line);
    this.paintGutter(text, own);
    this.paintErrors();
    for (const button of this.tabs) {
      const count = this.errors.filter((error) => error.source === button.dataset.tab).length;
      const badge = button.querySelector(".badge");
      badge.hidden = count === 0;
      badge.textContent = count;
    }
    const plain = text.length > MOST_COLOURED;
    this.area.parentElement.classList.toggle("plain", plain);
    this.area.setAttribute("aria-invalid", own.length > 0);
    this.marks.replaceChildren(...(plain ? [] : colour(text, own)), "\n");
    this.follow();
  }

  paintGutter(text, own) {
    const wrong = new Set(own.map((error) => error.line));
    const count = Math.min(text.split("\n").length, 20_000);
    const parts = [];
    let plain = "";
    for (let line = 1; line <= count; line++) {
      if (wrong.has(line)) {
        parts.push(plain, make("span", { className: "wrong", textContent: line }), "\n");
        plain = "";
      } else plain += `${line}\n`;
    }
    this.gutter.replaceChildren(...parts, plain, "\n\n");
  }

  paintErrors() {
    const shown = this.errors.slice(0, 5);
    const items = shown.map((error) => {
      const place = error.line ? `${error.source} ${error.line}:${error.column}` : error.source || "";
      const button = make("button", { type: "button" }, make("b", { textContent: place }), make("span", { textContent: error.message }));
      button.addEventListener("click", () => this.goTo(error));
      return make("li", {}, button);
    });
    if (this.errors.length > shown.length) {
      items.push(make("li", { className: "more", textContent: `and ${this.errors.length - shown.length} more` }));
    }
    find("errors").replaceChildren(...items);
  }

  follow() {
    this.marks.scrollTo(this.area.scrollLeft, this.area.scrollTop);
    this.gutter.scrollTo(0, this.area.scrollTop);
  }
}

function wordLength(text, start) {
  const found = /^[^\s()]+/.exec(text.slice(start, start + 200));
  return found ? found[0].length : 1;
}

// The text as coloured pieces, with the words at errors marked.
function colour(text, errors) {
  const lines = text.split("\n");
  const starts = [0];
  for (const line of lines) starts.push(starts.at(-1) + line.length + 1);
  const wrong = errors
    .map((error) => (starts[error.line - 1] ?? text.length) + error.column - 1)
    .map((start) => [start, start + wordLength(text, start)])
    .sort((a, b) => a[0] - b[0]);
  const pieces = [];
  const add = (from, to, kind) => {
    for (const [start, end] of wrong) {
      if (start >= to || end <= from) continue;
      if (start > from) add(from, start, kind);
      pieces.push(make("span", { className: `e ${kind}`, textContent: text.slice(Math.max(from, start), Math.min(to, end)) }));
      if (end < to) add(end, to, kind);
      return;
    }
    pieces.push(kind ? make("span", { className: kind, textContent: text.slice(from, to) }) : text.slice(from, to));
  };
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > last) add(last, match.index, "");
    add(match.index, match.index + match[0].length, match[1] ? "c" : match[2] ? "k" : "v");
    last = match.index + match[0].length;
  }
  if (last < text.length) add(last, text.length, "");
  return pieces;
}
