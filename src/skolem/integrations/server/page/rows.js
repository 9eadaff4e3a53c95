// One row per variable: what it could be as bars of predicted cost, and what it cannot be with the reason.

import { find, make } from "./dom.js";

const FEW = 6;

export function showObjects(explanation, binding, forced, onForce) {
  const goals = explanation.goals.filter((goal) => goal.chosen);
  const shown = (goals.length ? goals : explanation.goals).slice(0, 1);
  find("objects-card").hidden = shown.every((goal) => goal.variables.length === 0);
  find("goal").textContent = shown.map((goal) => goal.goal).join("\n");
  find("free").hidden = Object.keys(forced).length === 0;
  const rated = explanation.steps.length > 0;
  const note = rated ? "Bars: the predicted cost with that object fixed. Click one to force it." : "Click an object to force it.";
  find("objects-note").textContent = note;
  const costs = collectCosts(explanation.steps);
  const all = [...costs.values()].flatMap((values) => [...values.values()]);
  const most = Math.max(1, ...all);
  find("rows").replaceChildren(
    ...shown.flatMap((goal) => goal.variables.map((variable) => makeRow(variable, costs, most, binding, forced, onForce))),
  );
}

// The predicted cost of each object of each variable: that of the goal with it alone bound, if that was compared.
function collectCosts(steps) {
  const costs = new Map();
  for (const step of steps) {
    const fresh = step.ranked.filter((choice) => !costs.has(choice.variable));
    for (const { variable } of fresh) costs.set(variable, new Map());
    for (const { variable, object, value } of fresh) costs.get(variable).set(object, value);
  }
  return costs;
}

function makeRow(variable, costs, most, binding, forced, onForce) {
  const values = costs.get(variable.variable) || new Map();
  const chosen = (binding || {})[variable.variable] ?? variable.chosen;
  const rank = (name) => (name === chosen ? -1 : values.get(name) ?? Infinity);
  const possible = [...variable.possible].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
  const items = possible.map((name) => makeCandidate(variable.variable, name, values.get(name), most, chosen, forced, onForce));
  const reasons = [
    ...variable.unreachable.map((dead) => makeImpossible([dead.object], `unreachable: ${dead.proof}`, null)),
    ...variable.ruled_out.map((ruling) => makeImpossible(ruling.objects, "", ruling.literals)),
  ];
  const list = make("ul", { className: values.size ? "candidates" : "candidates unrated" }, ...items, ...reasons);
  const row = make("div", { className: "row" }, makeHeading(variable, chosen), list);
  const hidden = items.slice(FEW).filter((item) => !item.classList.contains("chosen"));
  if (hidden.length > 2) {
    for (const item of hidden) item.hidden = true;
    const more = make("button", { type: "button", className: "more", textContent: `${hidden.length} more` });
    more.addEventListener("click", () => {
      for (const item of hidden) item.hidden = false;
      more.remove();
    });
    items.at(-1).after(make("li", {}, more));
  }
  return row;
}

function makeHeading(variable, chosen) {
  const count = variable.possible.length;
  const text = count === 0 ? "nothing fits" : `${count} ${count === 1 ? "object fits" : "objects fit"}`;
  return make("h3", { textContent: variable.variable }, make("small", { textContent: chosen ? `= ${chosen}, ${text}` : text }));
}

function makeCandidate(variable, name, value, most, chosen, forced, onForce) {
  const bar = make("i");
  bar.style.width = value === undefined ? "0" : `${Math.max(2, (100 * value) / most)}%`;
  const pressed = forced[variable] === name;
  const said = value === undefined ? "" : value.toFixed(1);
  const button = make(
    "button",
    { type: "button", title: pressed ? "Click to free it" : `Click to force ${variable} = ${name}` },
    make("span", { className: "name", textContent: name }),
    make("span", { className: "track" }, bar),
    make("span", { className: "value", textContent: said }),
  );
  button.setAttribute("aria-pressed", pressed);
  button.setAttribute("aria-label", `${variable} = ${name}${said ? `, predicted cost ${said}` : ""}`);
  button.addEventListener("click", () => onForce(variable, pressed ? null : name));
  return make("li", { className: name === chosen ? "chosen" : "" }, button);
}

function makeImpossible(names, text, literals) {
  const few = names.slice(0, 8).join(" ") + (names.length > 8 ? ` and ${names.length - 8} more` : "");
  const reason = make("span", {}, text || "ruled out by ");
  for (const literal of literals || []) reason.append(make("code", { textContent: literal }), " ");
  return make("li", { className: "impossible" }, make("s", { textContent: few, title: names.join(" ") }), reason);
}
