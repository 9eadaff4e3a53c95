// The page: a task goes in; objects, costs, a plan and its pictures come out.

import { ask, get, Refused } from "./api.js";
import { find, make } from "./dom.js";
import { Editor } from "./editor.js";
import { Pictures } from "./picture.js";
import { showObjects } from "./rows.js";
import { pack, unpack } from "./share.js";

const WAIT = 350;
const BOUND_SECONDS = 3;

const pictures = new Pictures();
const editor = new Editor(() => {
  forget();
  leaveExample();
  clearTimeout(waiting);
  waiting = setTimeout(look, WAIT);
});
let waiting = 0;
let running = null;
let looking = null;
let result = null;
let forced = {};

function texts() {
  return { domain: editor.texts.domain, problem: editor.texts.problem };
}

function setStatus(state, title, text = "", facts = []) {
  const status = find("status");
  status.dataset.state = state;
  find("status-title").textContent = title;
  find("status-text").textContent = text;
  const items = facts.map(([name, value, delta]) => {
    const extra = delta ? make("span", { className: "delta", textContent: ` ${delta}` }) : null;
    return make("div", {}, make("dt", { textContent: name }), make("dd", {}, String(value), extra));
  });
  find("facts").replaceChildren(...items);
}

// What was found is not about the text any more.
function forget() {
  stop();
  result = null;
  forced = {};
  for (const id of ["objects-card", "plan-card"]) find(id).hidden = true;
}

// The text is the user's own now.
function leaveExample() {
  find("words").hidden = true;
  for (const button of find("examples").children) button.setAttribute("aria-pressed", "false");
}

function stop() {
  if (running) running.abort();
  running = null;
  find("cancel").hidden = true;
  find("plan").disabled = false;
}

// Checks the texts and draws the state while they are written.
async function look() {
  if (looking) looking.abort();
  looking = new AbortController();
  const { signal } = looking;
  const task = texts();
  if (!task.domain.trim() && !task.problem.trim()) {
    editor.setErrors([]);
    pictures.set(null, []);
    setStatus("empty", "Nothing asked yet", "Take an example, or write a task whose goal describes objects.");
    return;
  }
  try {
    const checked = await ask("check", task, signal);
    editor.setErrors(checked.errors);
    if (checked.status === "wrong") {
      showMistakes(checked.errors);
      return;
    }
    setStatus("empty", "Ready", checked.goal ? `The goal: ${checked.goal}` : "The task is correct.");
    pictures.set(await ask("draw", task, signal), []);
  } catch (error) {
    showFailure(error);
  }
}

function showMistakes(errors) {
  pictures.set(null, []);
  const count = errors.length === 1 ? "One mistake" : `${errors.length} mistakes`;
  setStatus("error", count, errors[0].message);
}

function showFailure(error) {
  if (error.name === "AbortError") return;
  if (error instanceof Refused && error.answer.errors) {
    editor.setErrors(error.answer.errors);
    showMistakes(error.answer.errors);
    return;
  }
  setStatus("error", "That did not work", error.message);
}

async function plan() {
  clearTimeout(waiting);
  if (looking) looking.abort();
  stop();
  const controller = new AbortController();
  running = controller;
  const { signal } = controller;
  find("plan").disabled = true;
  find("cancel").hidden = false;
  const seconds = Number(find("limit").value);
  const options = { planner: find("planner").value, time_limit: seconds };
  const bind = Object.keys(forced).length ? { bind: forced } : {};
  setStatus("running", "Planning…", `It takes at most ${seconds === 1 ? "a second" : `${seconds} seconds`}.`);
  try {
    const task = texts();
    const found = await ask("plan", { ...task, ...options, ...bind }, signal);
    const explained = result ? result.explained : await explain(task, seconds, signal);
    const usual = Object.keys(forced).length && result ? result.usual : found;
    result = { found, explained, usual };
    editor.setErrors([]);
    show();
    if (found.plan) await showStates(task, found, signal);
    if (found.plan && !found.optimal) await addBound({ ...task, ...options, ...bind }, signal);
  } catch (error) {
    showFailure(error);
  } finally {
    if (running === controller) stop();
  }
}

// The learned grounder compares the objects of all variables with nothing else bound.
function explain(task, seconds, signal) {
  return ask("explain", { ...task, grounder: "learned", time_limit: seconds }, signal);
}

function show() {
  const { found, explained, usual } = result;
  showStatus(found, explained, usual);
  showObjects(explained, found.binding, forced, force);
  find("plan-card").hidden = !found.plan || found.plan.length === 0;
  const steps = (found.plan || []).map((step, number) => {
    const button = make("button", { type: "button", textContent: step });
    button.addEventListener("click", () => pictures.go(number + 1));
    return make("li", {}, button);
  });
  find("steps").replaceChildren(...steps);
  find("plan-note").textContent = `found by the route ${found.route}, checked step by step`;
}

function showStatus(found, explained, usual) {
  if (found.status === "solved") {
    const chosen = Object.entries(found.binding || {}).map(([name, object]) => `${name} = ${object}`);
    const title = found.plan.length === 0 ? "The goal is true already" : "Solved";
    const facts = [["cost", found.cost, describeDelta(found, usual)]];
    facts.push(["bound", describeBound(found)]);
    facts.push(["time", `${(1000 * found.times.total).toFixed(0)} ms`]);
    setStatus("solved", title, chosen.join(", ") || found.message, facts);
  } else if (found.status === "unsolvable") {
    const conflict = explained.goals.flatMap((goal) => goal.conflict);
    const why = conflict.length ? `Nothing satisfies ${[...new Set(conflict)].join(" ")} together.` : found.message;
    const free = Object.keys(forced).length ? "With your choice of objects there is no plan. " : "";
    setStatus("unsolvable", "There is no plan", free + sentence(why));
  } else {
    const hint = " Options has a longer time limit and other planners.";
    setStatus("limit", "No plan within the limit", sentence(found.message) + hint);
  }
}

function sentence(text) {
  const plain = (text || "").trim();
  return plain && `${plain[0].toUpperCase()}${plain.slice(1)}${/[.!?]$/.test(plain) ? "" : "."}`;
}

function describeDelta(found, usual) {
  if (!Object.keys(forced).length || usual.cost === null || usual.cost === undefined) return "";
  const more = found.cost - usual.cost;
  return more === 0 ? "(the same)" : `(${more > 0 ? "+" : "−"}${Math.abs(more)})`;
}

function describeBound(found) {
  if (found.optimal) return "cheapest";
  if (found.bound === null || found.bound === undefined) return "…";
  return `at least ${found.bound}`;
}

async function showStates(task, found, signal) {
  const drawn = await ask("draw", { ...task, plan: found.plan.join("\n"), binding: found.binding || {} }, signal);
  pictures.choose("state");
  pictures.set(drawn, found.plan);
}

// How far the plan is from the cheapest one is looked for when it is shown already.
async function addBound(parameters, signal) {
  find("plan").disabled = false;
  const time_limit = Math.max(parameters.time_limit, 2 * BOUND_SECONDS);
  const bounded = await ask("plan", { ...parameters, time_limit, bound: BOUND_SECONDS }, signal);
  if (bounded.status !== "solved" || !result) return;
  const { found, explained, usual } = result;
  if (bounded.cost < found.cost) {
    result.found = bounded;
    show();
    await showStates(texts(), bounded, signal);
    return;
  }
  result.found = { ...found, bound: bounded.bound ?? 0, optimal: bounded.optimal || bounded.bound === found.cost };
  showStatus(result.found, explained, usual);
}

function force(variable, object) {
  forced = { ...forced };
  if (object === null) delete forced[variable];
  else forced[variable] = object;
  plan();
}

async function share() {
  location.hash = `t=${await pack(texts())}`;
  let said = "The link in the address bar has this task in it.";
  try {
    await navigator.clipboard.writeText(location.href);
    said = "The link is copied.";
  } catch {
    // Without a clipboard the address bar has it.
  }
  toast(said);
}

function toast(text) {
  const element = find("toast");
  element.textContent = text;
  element.hidden = false;
  setTimeout(() => {
    element.hidden = true;
  }, 4000);
}

function open(task, words = "") {
  forget();
  editor.set(task);
  find("words").textContent = words;
  find("words").hidden = !words;
  return look();
}

async function showExamples() {
  const { examples } = await get("examples");
  const buttons = examples.map((example) => {
    const button = make("button", { type: "button", textContent: example.title });
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", other === button);
      open(example, example.words);
    });
    return button;
  });
  find("examples").replaceChildren(...buttons);
}

async function start() {
  pictures.onStep = (step) => {
    [...find("steps").children].forEach((item, number) => {
      if (number + 1 === step) item.firstChild.setAttribute("aria-current", "step");
      else item.firstChild.removeAttribute("aria-current");
    });
  };
  find("plan").addEventListener("click", plan);
  find("cancel").addEventListener("click", () => {
    stop();
    setStatus("empty", "Stopped", "Nothing is being worked on.");
  });
  find("share").addEventListener("click", share);
  find("free").addEventListener("click", () => {
    forced = {};
    plan();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      plan();
    }
  });
  window.addEventListener("hashchange", openLink);
  editor.show("problem");
  get("version").then((answer) => {
    find("version").textContent = `Skolem ${answer.version}.`;
  });
  await Promise.all([showExamples(), openLink()]);
  document.body.dataset.ready = "true";
}

async function openLink() {
  const packed = new URLSearchParams(location.hash.slice(1)).get("t");
  if (!packed) return;
  try {
    const task = await unpack(packed);
    if (task.domain !== editor.texts.domain || task.problem !== editor.texts.problem) await open(task);
  } catch {
    toast("This link has no task in it.");
  }
}

start().catch(showFailure);
