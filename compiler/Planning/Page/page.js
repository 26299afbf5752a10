// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user can do: choose plans, zoom and move, search.
"use strict";

const byId = id => document.getElementById(id);
const theme = {version: 0};
const views = {time: null, address: null};
let panels = [], mask = null, matches = [], match = -1, marked = -1;
let dirty = true, searches = 0;

/** Milliseconds per frame that drawing maps may take. */
const BUDGET = 24;

function readTheme() {
  for (const name of ["paper", "ink", "soft", "line", "load", "bound", "dim",
                      "face"])
    theme[name] = cssColour(name);
  ++theme.version;
  dirty = true;
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  readTheme();
}

function chosenPlans() {
  return ["left", "right"].map(id => byId(id).value)
    .filter(value => value !== "").map(Number);
}

function showAll() {
  const {t0, t1} = timeRange, room = (t1 - t0) * .005;
  views.time = {t0: t0 - room, t1: t1 + room};
  views.address = meta.spaces.map((_, i) => {
    const top = topOf(i, chosenPlans());
    return {a0: -top * .004, a1: top * 1.03};
  });
  dirty = true;
}

/** Spaces shown at once: each is a map, and a page has room for few. */
const MAX_SPACES = 16;

/** All spaces, or if there are many, those with the highest peaks. */
function highestSpaces(plan) {
  const peak = space => Number(meta.plans[plan].peak[space] || 0);
  return meta.spaces.map((_, i) => i).sort((a, b) => peak(b) - peak(a) || a - b)
    .slice(0, MAX_SPACES).sort((a, b) => a - b);
}

function buildPanels() {
  const plans = chosenPlans();
  const chosen = byId("space").value;
  const spaces = chosen === "" ? highestSpaces(plans[0]) : [Number(chosen)];
  panels = spaces.flatMap(
    space => plans.map(plan => new Panel(plan, space, views, theme)));
  const main = byId("panels");
  main.style.gridTemplateColumns = `repeat(${plans.length},minmax(0,1fr))`;
  main.replaceChildren(...panels.map(panel => panel.root));
  panels.forEach(listen);
  dirty = true;
}

/** Zooms around a point; a factor below 1 zooms in. */
function zoom(panel, x, y, timeFactor, addressFactor) {
  const scale = (view, low, high, about, factor, least, most) => {
    const length = view[high] - view[low];
    const wanted = Math.min(Math.max(length * factor, least), most);
    const part = (about - view[low]) / length;
    view[low] = about - part * wanted;
    view[high] = view[low] + wanted;
  };
  const {t0, t1} = timeRange, top = limitOf[panel.space];
  // Beyond this, neighbours would be the same double.
  const minTime = Math.max(1, Math.abs(t1) * 2 ** -45);
  const minBytes = Math.max(4, top * 2 ** -45);
  if (timeFactor !== 1)
    scale(views.time, "t0", "t1", panel.timeAt(x), timeFactor, minTime,
      (t1 - t0) * 4);
  if (addressFactor !== 1)
    scale(views.address[panel.space], "a0", "a1", panel.addressAt(y),
      addressFactor, minBytes, top * 4);
  dirty = true;
}

function move(panel, dx, dy) {
  const {time, address} = views, view = address[panel.space];
  const dt = dx / panel.mapWidth * (time.t1 - time.t0);
  const da = dy / panel.mapHeight * (view.a1 - view.a0);
  time.t0 -= dt;
  time.t1 -= dt;
  view.a0 += da;
  view.a1 += da;
  dirty = true;
}

/** Shows a buffer in the middle, with its surroundings. */
function show(buffer) {
  const plan = panels[0].plan, space = columns.space.values[buffer];
  const scene = sceneOf(plan, space);
  const from = pieces.first[buffer], to = pieces.first[buffer + 1];
  if (from === to || !scene.begin.length)
    return;
  let t0 = Infinity, t1 = -Infinity, a0 = Infinity, a1 = -Infinity;
  for (let i = from; i < to; ++i) {
    t0 = Math.min(t0, scene.lower[i]);
    t1 = Math.max(t1, scene.upper[i]);
    a0 = Math.min(a0, scene.begin[i]);
    a1 = Math.max(a1, scene.end[i]);
  }
  const time = Math.max(t1 - t0, 1), bytes = Math.max(a1 - a0, 4);
  views.time = {t0: t0 - time * 1.5, t1: t1 + time * 1.5};
  views.address[space] = {a0: a0 - bytes * 2, a1: a1 + bytes * 2};
  marked = buffer;
  dirty = true;
}

function place(panel, event) {
  const box = panel.canvas.getBoundingClientRect();
  return {x: event.clientX - box.left, y: event.clientY - box.top};
}

function hover(panel, event) {
  const {x, y} = place(panel, event), tip = byId("tip");
  const {t0, t1, a0, a1} = panel.range;
  const inside = x >= LEFT && x <= LEFT + panel.mapWidth && y >= panel.mapTop &&
    y <= panel.mapTop + panel.mapHeight;
  const found = inside ? piecesAt(panel.scene, panel.timeAt(x),
    panel.addressAt(y), 3 * (t1 - t0) / panel.mapWidth,
    3 * (a1 - a0) / panel.mapHeight, 200) : [];
  const buffers = [...new Set(found.map(piece => panel.scene.owner[piece]))];
  const before = marked;
  marked = buffers.length ? buffers[0] : -1;
  if (marked !== before)
    panels.forEach(each => each.mark(marked));
  tip.hidden = !buffers.length;
  if (tip.hidden)
    return;
  const parts = buffers.slice(0, 3).flatMap((buffer, i) => {
    const name = document.createElement("b");
    name.textContent = names.get(buffer) || "(no name)";
    const facts = document.createElement("span");
    facts.textContent = factsOf(buffer, panel.plan);
    return i ? [document.createElement("hr"), name, facts] : [name, facts];
  });
  if (buffers.length > 3) {
    const more = document.createElement("i");
    more.textContent = found.length < 200
      ? `\n${buffers.length - 3} more within 3 pixels`
      : "\nmany more within 3 pixels";
    parts.push(more);
  }
  tip.replaceChildren(...parts);
  const {offsetWidth: width, offsetHeight: height} = tip;
  const right = event.clientX + 16 + width > innerWidth;
  tip.style.left =
    Math.max(right ? event.clientX - width - 12 : event.clientX + 16, 4) + "px";
  tip.style.top = Math.max(
    Math.min(event.clientY + 14, innerHeight - height - 6), 4) + "px";
}

function leave() {
  byId("tip").hidden = true;
}

function onKey(panel, event) {
  const step = 60, x = LEFT + panel.mapWidth / 2;
  const y = panel.mapTop + panel.mapHeight / 2;
  const actions = {
    ArrowLeft: () => move(panel, step, 0),
    ArrowRight: () => move(panel, -step, 0),
    ArrowUp: () => move(panel, 0, step),
    ArrowDown: () => move(panel, 0, -step),
    "+": () => zoom(panel, x, y, 1 / 1.4, 1 / 1.4),
    "=": () => zoom(panel, x, y, 1 / 1.4, 1 / 1.4),
    "-": () => zoom(panel, x, y, 1.4, 1.4),
    0: showAll,
    Home: showAll,
  };
  if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key])
    return;
  event.preventDefault();
  leave();
  actions[event.key]();
}

function listen(panel) {
  const {canvas} = panel;
  const pointers = new Map();
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const {x, y} = place(panel, event);
    const lines = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 400 : 1;
    const delta = (event.deltaY || event.deltaX) * lines;
    const factor = Math.exp(Math.max(-240, Math.min(240, delta)) * .0025);
    const timeOnly = event.shiftKey || y < panel.mapTop ||
      y > panel.mapTop + panel.mapHeight;
    const addressOnly = event.altKey || x < LEFT;
    zoom(panel, x, y, addressOnly ? 1 : factor, timeOnly ? 1 : factor);
    leave();
  }, {passive: false});
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(panel, event));
    leave();
  });
  const release = event => pointers.delete(event.pointerId);
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointermove", event => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      hover(panel, event);
      return;
    }
    const now = place(panel, event);
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId)
        .map(entry => entry[1]);
      const distance = at => Math.hypot(at.x - other.x, at.y - other.y) + 1;
      const factor = distance(before) / distance(now);
      zoom(panel, other.x, other.y, factor, factor);
    } else {
      move(panel, now.x - before.x, now.y - before.y);
    }
    pointers.set(event.pointerId, now);
  });
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("dblclick", () => marked >= 0 && show(marked));
  canvas.addEventListener("keydown", event => onKey(panel, event));
}

function search() {
  const query = byId("find").value;
  matches = [];
  match = -1;
  mask = null;
  if (query) {
    const found = findTexts(names, query);
    findNotes(query, found);
    for (let i = 0; i < found.length; ++i)
      if (found[i])
        matches.push(i);
    mask = {found, version: ++searches};
  }
  tellMatches();
  dirty = true;
}

function tellMatches() {
  byId("found").textContent = !byId("find").value ? ""
    : match >= 0 ? `${match + 1} of ${matches.length}`
    : matches.length === 1 ? "1 buffer" : `${matches.length} buffers`;
  byId("next").disabled = byId("previous").disabled = !matches.length;
}

function step(by) {
  if (!matches.length)
    return;
  match = match < 0 && by < 0 ? matches.length - 1
    : (match + by + matches.length) % matches.length;
  show(matches[match]);
  tellMatches();
}

/** Paints what has changed, and draws maps until the frame's time is used. */
function frame() {
  for (const panel of panels)
    dirty = panel.resize() || dirty;
  const begin = performance.now();
  let waiting = 0;
  panels.forEach((panel, i) => {
    const part = BUDGET * (i + 1) / panels.length;
    const before = panel.shown;
    if (!panel.work(begin + part, mask))
      ++waiting;
    if (dirty || panel.shown !== before) {
      panel.paint();
      panel.mark(marked);
    }
  });
  dirty = false;
  document.documentElement.dataset.state = waiting ? "drawing" : "ready";
  requestAnimationFrame(frame);
}

function fillChoices() {
  const option = (text, value) => new Option(text, value);
  const title = plan => plan.peak.length
    ? `${plan.strategy} (${shortBytes(plan.total)})`
    : `${plan.strategy} (${plan.status})`;
  const choices = () => meta.plans.map((plan, i) => option(title(plan), i));
  byId("left").replaceChildren(...choices());
  byId("right").replaceChildren(option("none", ""), ...choices());
  byId("right").value = meta.plans.length > 1 ? "1" : "";
  if (meta.spaces.length > 1) {
    byId("spaces").hidden = false;
    byId("space").replaceChildren(
      option(meta.spaces.length > MAX_SPACES
        ? `the ${MAX_SPACES} highest` : "all", ""),
      ...meta.spaces.map((space, i) => option(space.name, i)));
  }
  byId("capacity-key").hidden = !meta.spaces.some(space => space.capacity);
  if (meta.loadUnits) {
    byId("thinned").hidden = false;
    byId("thinned").textContent = "Bytes alive: the maximum over every " +
      `${meta.loadUnits} units of time.`;
  }
}

let typing = 0;
byId("find").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(search, bufferCount > 50000 ? 200 : 0);
});
byId("find").addEventListener("keydown", event => {
  if (event.key === "Enter") {
    clearTimeout(typing);
    if (match < 0)
      search();
    step(event.shiftKey ? -1 : 1);
  } else if (event.key === "Escape") {
    byId("find").value = "";
    search();
    panels[0].canvas.focus();
  }
});
byId("next").addEventListener("click", () => step(1));
byId("previous").addEventListener("click", () => step(-1));
byId("fit").addEventListener("click", showAll);
byId("theme").addEventListener("click",
  () => setTheme(document.documentElement.dataset.theme !== "dark"));
for (const id of ["left", "right", "space"])
  byId(id).addEventListener("change", buildPanels);
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== byId("find")) {
    event.preventDefault();
    byId("find").focus();
  }
});
const system = matchMedia("(prefers-color-scheme: dark)");
system.addEventListener("change", event => setTheme(event.matches));

setTheme(system.matches);
fillChoices();
tellMatches();
showAll();
buildPanels();
requestAnimationFrame(frame);
