// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: node run_plots.js TAMC
//
// Compiles a model, writes pages by `plot` and runs their script in a stub of the
// document: it shows the chosen group, says what is under the mouse, and changes
// the theme.
"use strict";

const assert = require("node:assert");
const {spawnSync} = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const vm = require("node:vm");

const tamc = process.argv[2];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tamc-plots-"));

function run(program, ...options) {
  const done = spawnSync(program, options, {cwd: folder, encoding: "utf8"});
  assert.strictEqual(done.status, 0, done.stderr);
  return done.stdout;
}

/** An element, with the part of the DOM that the script uses. */
class Element {
  constructor(tag, attributes) {
    Object.assign(this, {tag, attributes, childNodes: [], parentNode: null,
                         listeners: {}, style: {}});
    this.dataset = {};
    for (const [name, value] of Object.entries(attributes))
      if (name.startsWith("data-"))
        this.dataset[name.slice(5)] = value;
    this.id = attributes.id;
    this.hidden = "hidden" in attributes;
    this.selectedIndex = 0;
  }
  add(child) {
    child.parentNode = this;
    this.childNodes.push(child);
  }
  getAttribute(name) { return this.attributes[name]; }
  get textContent() {
    return this.childNodes.map(child => child.textContent).join("");
  }
  set textContent(text) { this.childNodes = [new Text(text)]; }
  get content() { return this; }
  get options() { return this.querySelectorAll("option"); }
  get viewBox() {
    const [, , width, height] = this.attributes.viewBox.split(" ").map(Number);
    return {baseVal: {width, height}};
  }
  remove() {
    this.parentNode.childNodes =
      this.parentNode.childNodes.filter(child => child !== this);
  }
  replaceChildren(...children) {
    this.childNodes = [];
    children.forEach(child => this.add(child));
  }
  cloneNode() {
    const copy = new Element(this.tag, {...this.attributes});
    this.childNodes.forEach(child => copy.add(child.cloneNode()));
    return copy;
  }
  addEventListener(kind, listener) { this.listeners[kind] = listener; }
  getBoundingClientRect() {
    return {left: 0, top: 0, width: 420, height: 280};
  }
  matches(selector) {
    const [, tag, klass, without, attribute] =
      /^(\w*)(?:\.(\w+))?(?::not\(\.(\w+)\))?(?:\[([\w-]+)\])?$/.exec(selector);
    const classes = (this.attributes.class || "").split(" ");
    return (!tag || this.tag === tag) && (!klass || classes.includes(klass)) &&
      !(without && classes.includes(without)) &&
      !(attribute && !(attribute.slice(5) in this.dataset));
  }
  closest(selector) {
    for (let at = this; at; at = at.parentNode)
      if (at.matches(selector))
        return at;
    return null;
  }
  *all() {
    for (const child of this.childNodes)
      if (child instanceof Element) {
        yield child;
        yield* child.all();
      }
  }
  querySelectorAll(selector) {
    const parts = selector.split(" ");
    return [...this.all()].filter(element => element.matches(parts.at(-1)) &&
      (parts.length === 1 || element.closest(parts[0])));
  }
  querySelector(selector) { return this.querySelectorAll(selector)[0] || null; }
}

class Text {
  constructor(text) { this.textContent = text; }
  cloneNode() { return new Text(this.textContent); }
}

const entities = {amp: "&", lt: "<", gt: ">", quot: '"'};
const unescape = text => text.replace(/&(#?\w+);/g, (all, name) =>
  name in entities ? entities[name] : String.fromCodePoint(name.slice(1)));

/** The document of a page, which is XML. */
function parse(page) {
  const root = new Element("#document", {});
  const open = [root];
  for (const [, tag, text] of page.matchAll(
    /<([^<>]*)>|([^<>]+(?:[<>][^<>]*)*?)(?=<|$)/g)) {
    const top = open.at(-1);
    if (text !== undefined) {
      top.add(new Text(unescape(text)));
    } else if (tag.startsWith("/")) {
      open.pop();
    } else if (!tag.startsWith("!")) {
      const attributes = {};
      for (const [, name, value] of tag.matchAll(/([\w:-]+)="([^"]*)"/g))
        attributes[name] = unescape(value);
      const element = new Element(/^\w+/.exec(tag)[0], attributes);
      top.add(element);
      if (!tag.endsWith("/"))
        open.push(element);
    }
  }
  return root;
}

/** Loads a page; `dark` is the system's theme. */
function load(page, dark = false) {
  const begin = page.indexOf("<script>") + 8, end = page.indexOf("</script>");
  const script = page.slice(begin, end);
  const root = parse(page.slice(0, begin) + page.slice(end));
  const html = root.querySelector("html");
  const context = vm.createContext({
    document: {documentElement: html,
               getElementById: id =>
                 [...root.all()].find(element => element.id === id) || null},
    matchMedia: () => ({matches: dark}),
    innerWidth: 1280, innerHeight: 800, console,
  });
  vm.runInContext(script, context, {filename: "page.js"});
  const byId = id => [...root.all()].find(element => element.id === id);
  const figures = () => Object.fromEntries(
    byId("view").querySelectorAll("svg.fig")
      .map(figure => [figure.attributes["aria-label"], figure]));
  /** What the tip says over a place of a figure. */
  const hover = (target, clientX, clientY) => {
    byId("view").listeners.pointermove({target, clientX, clientY});
    return byId("tip").hidden ? "" : byId("tip").textContent;
  };
  return {html, byId, figures, hover};
}

// y = 3 a + group, and a category.
const rows = ["g,a,k,date,y"];
for (const group of ["one", "two & more", "<three>"])
  for (let i = 0; i < 60; ++i)
    rows.push([`"${group}"`, i / 10, i % 3,
               `2020-01-${String(1 + i % 28).padStart(2, "0")}`,
               3 * i / 10 + group.length + (i * 7 % 5) / 10].join(","));
fs.writeFileSync(path.join(folder, "train.csv"), rows.join("\n") + "\n");
run(tamc, "-f", "y ~ l(a, ap=-30) + c(k, n_cat=3) + te(s(a, k=4), c(k, n_cat=3))",
  "--group", "g", "-o", "model");
run("./model", "fit", "train.csv", "--inference", "-o", "w");
const page = run("./model", "plot", "train.csv", "--weights", "w", "-o", "-");
const names = ["all groups", "<three>", "one", "two & more"];

const tests = {
  "a list chooses the group": () => {
    const {byId, figures} = load(page);
    const chosen = byId("chosen");
    assert.deepStrictEqual(chosen.options.map(option => option.textContent),
      names);
    assert("Residuals by g" in figures());
    for (const [step, index] of [["next", 1], ["next", 2], ["previous", 1],
                                 ["previous", 0], ["previous", 3],
                                 ["next", 0]]) {
      byId(step).listeners.click();
      assert.strictEqual(chosen.selectedIndex, index);
      assert.strictEqual("Residuals by g" in figures(), index === 0);
      assert("l_a" in figures() || "a" in figures());
    }
    chosen.selectedIndex = 2;
    chosen.listeners.change();
    const before = byId("view").childNodes;
    chosen.listeners.change();
    assert.deepStrictEqual(byId("view").childNodes, before);
  },
  "the mouse reads a curve and its band": () => {
    const {byId, figures, hover} = load(page);
    byId("next").listeners.click();
    const figure = figures().l_a || figures().a;
    const [left, right] = figure.dataset.x.split(" ").map(Number);
    const text = hover(figure, (left + right) / 2, 100);
    const [, at, value, half] = /^([\d.]+): (-?[\d.]+) \u00b1 ([\d.]+)$/.exec(text);
    assert.strictEqual(Number(at), 2.95);
    assert(Math.abs(Number(value)) < 0.05, text);
    assert(Number(half) < 0.5, text);
    const end = hover(figure, right, 100);
    assert.match(end, /^5\.9: /);
    assert(Math.abs(Number(end.split(" ")[1]) - 3 * 2.95) < 0.3, end);
    // Outside of the axes there is nothing to say.
    assert.strictEqual(hover(figure, left - 20, 100), "");
    assert.strictEqual(hover(figure, 200, 275), "");
    byId("view").listeners.pointerleave();
    assert(byId("tip").hidden);
  },
  "the mouse reads dots, cells and boxes": () => {
    const {byId, figures, hover} = load(page);
    byId("next").listeners.click();
    const dots = figures().k || figures().c_k;
    assert(!dots.querySelector("title"));
    const dot = dots.querySelectorAll("path.p")[1];
    assert.match(hover(dot, 100, 100), /^1: -?[\d.e-]+ \u00b1 [\d.e-]+$/);
    const cell = figures().te_a_x_k.querySelector("path.h");
    assert.match(hover(cell, 100, 100), /^-?[\d.e-]+ to -?[\d.e-]+$/);
  },
  "the mouse finds the nearest of many curves": () => {
    const {byId, figures, hover} = load(page);
    const figure = figures().l_a || figures().a;
    const curves = figure.querySelectorAll("path.o");
    assert.strictEqual(curves.length, 3);
    assert.match(hover(figure, 200, 60),
      /^(<three>|one|two & more)\n[\d.]+: -?[\d.]+$/);
    // It alone is thicker, until the mouse leaves.
    const thick = () => curves.filter(curve => curve.style.strokeWidth);
    assert.strictEqual(thick().length, 1);
    const first = hover(figure, 200, 60).split("\n")[0];
    assert.strictEqual(thick()[0].dataset.n, first);
    byId("view").listeners.pointerleave();
    assert.strictEqual(thick().length, 0);
  },
  "the theme is the system's until it is changed": () => {
    for (const dark of [false, true]) {
      const {html, byId} = load(page, dark);
      assert.strictEqual(html.dataset.theme, undefined);
      byId("theme").listeners.click();
      assert.strictEqual(html.dataset.theme, dark ? "light" : "dark");
      byId("theme").listeners.click();
      assert.strictEqual(html.dataset.theme, dark ? "dark" : "light");
    }
  },
  "a page of one group has no list": () => {
    run(tamc, "-f", "y ~ l(a)", "-o", "plain");
    run("./plain", "fit", "train.csv", "-o", "p");
    const {byId, figures, hover} =
      load(run("./plain", "plot", "--weights", "p", "-o", "-"));
    assert.strictEqual(byId("chosen"), undefined);
    assert.match(hover(figures().a, 200, 100), /^[\d.]+: -?[\d.]+$/);
  },
  "numbers are short": () => {
    const script = /<script>([^]*)<\/script>/.exec(page)[1]
      .replace("\nstart();\n", "");
    const context = vm.createContext({});
    vm.runInContext(script, context);
    const ask = text => vm.runInContext(text, context);
    assert.strictEqual(ask("formatNumber(1234.5678, 100)"), "1234.6");
    assert.strictEqual(ask("formatNumber(1e-20, 1)"), "0");
    assert.strictEqual(ask("formatNumber(-0.98765, 1)"), "-0.988");
    assert.strictEqual(ask("formatTime(0, 1e9)"), "1970-01-01");
    assert.strictEqual(ask("formatTime(5400, 86400)"), "1970-01-01 01:30:00");
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
    console.log(`ok: ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
}
fs.rmSync(folder, {recursive: true});
process.exit(failed ? 1 : 0);
