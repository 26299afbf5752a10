// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: node run_pages.js TAM_PLAN
//
// Writes pages by `tam-plan --emit=html` and runs their scripts as a browser
// would until the maps are drawn: nothing may throw, and what the page says
// about the plans has to be right. The document is a stub that lays out nothing.
"use strict";

const assert = require("node:assert");
const {spawnSync} = require("node:child_process");
const vm = require("node:vm");

const tamPlan = process.argv[2];

/** The page of a problem; the exit status may be that of a plan that does not
 * fit. */
function pageOf(problem, ...options) {
  const run = spawnSync(tamPlan, ["-", "--emit=html", ...options],
    {input: problem, encoding: "utf8", maxBuffer: 1 << 28});
  assert([0, 2].includes(run.status), run.stderr);
  return run.stdout;
}

/** An element that can be asked for anything the page asks of one. */
class Element {
  constructor(tag) {
    Object.assign(this, {tag, children: [], listeners: {}, dataset: {},
                         hidden: false, style: {}, value: "", text: "",
                         clientWidth: 600, clientHeight: 400});
  }
  appendChild(child) {
    this.children.push(child);
    return child;
  }
  replaceChildren(...children) {
    this.children = children;
    this.text = "";
    // A list of choices stands at its first one.
    if (this.tag === "select")
      this.value = children.length ? children[0].value : "";
  }
  get textContent() {
    return this.text + this.children.map(
      child => typeof child === "string" ? child : child.textContent).join("");
  }
  set textContent(text) {
    this.text = String(text);
    this.children = [];
  }
  addEventListener(kind, listener) {
    this.listeners[kind] = listener;
  }
  setAttribute(name, value) {
    this[name] = value;
  }
  getBoundingClientRect() {
    return {left: 0, top: 0, width: 600, height: 400};
  }
  setPointerCapture() {}
  focus() {}
  remove() {}
  getContext() {
    const written = this.written = [];
    return new Proxy({}, {
      get: (context, name) => name in context ? context[name]
        : name === "createImageData" ? (width, height) =>
            ({data: new Uint8ClampedArray(4 * width * height), width, height})
        : name === "measureText" ? text => ({width: 7 * text.length})
        : name === "fillText" ? text => written.push(text)
        : () => {},
    });
  }
}

/** Runs a page to its first complete picture; returns what runs in it. */
function load(page) {
  const between = (from, to) => {
    const begin = page.indexOf(from) + from.length;
    assert(begin >= from.length, from);
    return page.slice(begin, page.indexOf(to, begin));
  };
  const elements = {};
  for (const [, tag, attributes] of page.matchAll(/<(\w+)([^<>]*)>/g)) {
    const id = / id="([^"]*)"/.exec(attributes);
    if (id)
      elements[id[1]] = new Element(tag);
  }
  elements.meta.textContent =
    between('<script type="application/json" id="meta">', "</script>");
  elements.data.textContent =
    between('<script type="application/octet-stream" id="data">', "</script>");
  const root = new Element("html");
  const frames = [];
  const window = {
    devicePixelRatio: 1, innerWidth: 1200, innerHeight: 800, performance,
    TextDecoder, TextEncoder, atob, console,
    document: {
      documentElement: root, activeElement: null,
      getElementById: id => elements[id],
      createElement: tag => new Element(tag),
      addEventListener() {},
    },
    Option: class extends Element {
      constructor(text, value) {
        super("option");
        this.text = text;
        this.value = String(value);
      }
    },
    ImageData: class {
      constructor(data, width, height) {
        Object.assign(this, {data, width, height});
      }
    },
    getComputedStyle: () => ({getPropertyValue: () => "#808080"}),
    matchMedia: () => ({matches: false, addEventListener() {}}),
    requestAnimationFrame: callback => frames.push(callback),
    setTimeout: callback => callback(), clearTimeout() {},
  };
  window.window = window;
  const context = vm.createContext(window);
  const script = page.slice(page.lastIndexOf("<script>") + 8,
    page.lastIndexOf("</script>"));
  vm.runInContext(script, context, {filename: "page.js"});
  for (let i = 0; root.dataset.state !== "ready"; ++i) {
    assert(i < 1000 && frames.length, "the page does not become ready");
    frames.shift()(0);
  }
  return {elements, ask: text => vm.runInContext(text, context)};
}

const one = size => `id,lower,upper,size\na,0,2,${size}\nb,2,3,1\n`;

const tests = {
  /** Peaks on both sides of each unit, as headline and as choice. */
  "a plan of any size is shown": () => {
    for (const [size, short, long] of [
      [1, "1", "1 byte"], [12, "12", "12 bytes"], [1023, "1023", "1023 bytes"],
      [1024, "1 KiB", "1024 bytes (1 KiB)"],
      [1500, "1.465 KiB", "1500 bytes (1.46 KiB)"],
      [1 << 20, "1 MiB", "1048576 bytes (1 MiB)"],
      ["9223372036854775807", "8 EiB", "9223372036854775807 bytes (8 EiB)"]]) {
      const {elements, ask} = load(pageOf(one(size)));
      assert.match(elements.left.children[0].textContent,
        new RegExp(`\\(${short}\\)$`));
      const heading = ask("panels[0].heading.textContent");
      assert(heading.includes(`peak ${long}, at the bound`), heading);
      assert.strictEqual(ask("panels.length"), 1);
    }
  },
  "bytes are written the same way from numbers and texts": () => {
    const {ask} = load(pageOf(one(7)));
    for (const value of [0, 1, 999, 1023, 1024, 123456789, 2 ** 53]) {
      const number = ask(`shortBytes(${value})`);
      assert.strictEqual(ask(`shortBytes("${value}")`), number);
      assert.match(number, /^[0-9.]+( [KMGTPE]iB)?$/);
      assert.strictEqual(ask(`describeBytes("${value}")`).split(" ")[0],
        String(value));
    }
    assert.strictEqual(ask("tickBytes(512, 256)"), "0.5 KiB");
    assert.strictEqual(ask("tickBytes(0, 256)"), "0");
  },
  "nothing to show is shown": () => {
    for (const problem of ["id,lower,upper,size\n", one(0),
                           "id,lower,upper,size\na,1,1,8\n",
                           '{"buffers": [{"name": "a", "size": 1, "live": []}]}'])
      assert.strictEqual(load(pageOf(problem)).ask("panels.length"), 1);
  },
  "a plan that does not fit says so": () => {
    const {ask} = load(pageOf(one(7), "--capacity", "3"));
    assert.match(ask("panels[0].reason.textContent"), /at least 7 bytes/);
    assert.match(ask("panels[0].heading.textContent"), /capacity 3 bytes/);
  },
  "all plans, side by side": () => {
    const {elements, ask} = load(pageOf(
      "id,lower,upper,size,alignment,gaps,offset,alias\n" +
      "a,0,9,64,4,2-3 4-6@0:8,,\nb,3,5,16,,,128,\nc,6,9,10,,,,x\n" +
      "d,1,4,20,,,,x\n", "--compare"));
    assert.strictEqual(ask("panels.length"), 2);
    for (let plan = 0; plan < elements.left.children.length; ++plan) {
      elements.left.value = String(plan);
      elements.left.listeners.change();
      ask("frame(0)");
      for (let buffer = 0; buffer < 4; ++buffer)
        assert.match(ask(`factsOf(${buffer}, ${plan})`), /^[0-9]+ bytes\noffset/);
    }
  },
  "moving about and searching": () => {
    const {elements, ask} = load(pageOf(one(100)));
    const {canvas} = ask("panels")[0];
    const at = {clientX: 300, clientY: 250, pointerId: 1, deltaY: -120,
                preventDefault() {}};
    for (const kind of ["wheel", "pointermove", "pointerdown", "pointermove",
                        "pointerup", "dblclick", "pointerleave"])
      canvas.listeners[kind](at);
    for (const key of ["ArrowLeft", "ArrowUp", "+", "-", "0"])
      canvas.listeners.keydown({...at, key});
    elements.find.value = "B";
    elements.find.listeners.input();
    assert.strictEqual(elements.found.textContent, "1 buffer");
    elements.next.listeners.click();
    assert.strictEqual(elements.found.textContent, "1 of 1");
    ask("frame(0)");
    elements.theme.listeners.click();
    ask("frame(0)");
  },
  "of many spaces the highest ones are shown": () => {
    let problem = "id,lower,upper,size,space\n";
    for (let i = 0; i < 100; ++i)
      problem += `b${i},0,1,${1 + (i * 37) % 100},s${i}\n`;
    const {elements, ask} = load(pageOf(problem));
    assert.strictEqual(ask("panels.length"), 16);
    assert.strictEqual(elements.space.children.length, 101);
    assert.strictEqual(elements.space.children[0].textContent,
      "the 16 highest");
    elements.space.value = "99";
    elements.space.listeners.change();
    assert.strictEqual(ask("panels.length"), 1);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests))
  try {
    test();
    console.log(`ok: ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
process.exit(failed ? 1 : 0);
