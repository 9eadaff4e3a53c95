// The picture of the state, moved through the plan by a scrubber.

import { find, make, parseSvg } from "./dom.js";

export class Pictures {
  constructor() {
    this.states = [];
    this.goal = null;
    this.plan = [];
    this.step = 0;
    this.shown = "state";
    this.range = find("step");
    this.range.addEventListener("input", () => this.go(Number(this.range.value)));
    find("back").addEventListener("click", () => this.go(this.step - 1));
    find("forward").addEventListener("click", () => this.go(this.step + 1));
    find("show-state").addEventListener("click", () => this.choose("state"));
    find("show-goal").addEventListener("click", () => this.choose("goal"));
    this.onStep = () => {};
  }

  set(drawn, plan) {
    this.states = drawn ? drawn.states : [];
    this.goal = drawn ? drawn.goal : null;
    this.plan = plan;
    this.range.max = Math.max(0, this.states.length - 1);
    find("scrubber").hidden = this.states.length < 2;
    this.go(0);
  }

  choose(shown) {
    this.shown = shown;
    for (const name of ["state", "goal"]) find(`show-${name}`).setAttribute("aria-pressed", name === shown);
    find("picture-title").textContent = shown === "state" ? "State" : "Goal";
    this.paint();
  }

  go(step) {
    this.step = Math.max(0, Math.min(step, this.states.length - 1));
    this.range.value = this.step;
    find("back").disabled = this.step <= 0;
    find("forward").disabled = this.step >= this.states.length - 1;
    const last = this.plan[this.step - 1];
    const text = this.step <= 0 ? "the initial state" : `step ${this.step} of ${this.plan.length}: ${last}`;
    find("step-text").textContent = text;
    this.range.setAttribute("aria-valuetext", text);
    this.paint();
    this.onStep(this.step);
  }

  paint() {
    const goal = this.shown === "goal";
    const image = goal ? this.goal : this.states[this.step];
    const hint = goal ? "There is no picture of this goal." : "There is no picture yet.";
    const label = goal ? "The goal" : `The state: ${find("step-text").textContent}`;
    find("picture").replaceChildren(image ? parseSvg(image, label) : make("p", { className: "hint", textContent: hint }));
  }
}
