// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One plan in one space: the load, the map and the axes. The map is drawn into
// an image, over several frames if it takes long. Until it is finished, the
// previous image is shown, moved and stretched to fit the view.
"use strict";

const LEFT = 84, RIGHT = 10, TOP = 8, LOAD = 80, GAP = 14, BOTTOM = 24;

function cssColour(name) {
  return getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name).trim();
}

/** "#rrggbb" as 0xBBGGRR. */
function pixelOf(colour) {
  const rgb = parseInt(colour.slice(1), 16);
  return (rgb & 255) << 16 | rgb & 0xff00 | rgb >> 16;
}

const COLOURS = [
  "#8dd3c7", "#fdb462", "#80b1d3", "#fb8072", "#bebada", "#b3de69", "#f7b6d2",
  "#ffd92f", "#9edae5", "#d9b08c", "#98c379", "#c7b0e8"].map(pixelOf);

/** Round values in [from, to], about `count`. */
function ticks(from, to, count, binary) {
  const raw = Math.max((to - from) / count, Number.MIN_VALUE);
  let step = binary ? 2 ** Math.ceil(Math.log2(raw))
                    : 10 ** Math.floor(Math.log10(raw));
  if (!binary)
    step *= [1, 2, 5, 10].find(factor => step * factor >= raw);
  step = Math.max(step, 1);
  const values = [];
  for (let i = Math.ceil(from / step); i * step <= to && values.length < 50;
       ++i)
    values.push(i * step);
  return values;
}

class Panel {
  constructor(plan, space, views, theme) {
    Object.assign(this, {plan, space, views, theme, job: null, shown: null});
    this.scene = sceneOf(plan, space);
    this.root = document.createElement("section");
    this.root.className = "panel";
    this.heading = this.root.appendChild(document.createElement("h2"));
    this.reason = this.root.appendChild(document.createElement("p"));
    this.view = this.root.appendChild(document.createElement("div"));
    this.view.className = "view";
    this.canvas = this.view.appendChild(document.createElement("canvas"));
    this.canvas.className = "map";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.top = this.view.appendChild(document.createElement("canvas"));
    this.top.className = "top";
    this.picture = document.createElement("canvas");
    this.describe();
  }

  describe() {
    const {strategy, status, reason, peak, bound} = meta.plans[this.plan];
    const space = meta.spaces[this.space];
    const small = document.createElement("small");
    const facts = [];
    if (meta.spaces.length > 1)
      facts.push("space " + space.name);
    if (peak.length) {
      facts.push("peak " + describeBytes(peak[this.space]));
      const low = Number(bound[this.space]), high = Number(peak[this.space]);
      facts.push(high === low ? "at the bound"
        : low ? `gap ${(100 * (high - low) / low).toFixed(3)}%` : "");
    } else {
      facts.push("no plan");
    }
    if (space.capacity)
      facts.push("capacity " + describeBytes(space.capacity));
    small.textContent = facts.filter(fact => fact).join(", ");
    const state = document.createElement("span");
    state.textContent = status;
    if (status !== "optimal" && status !== "feasible") {
      state.className = "bad";
      this.reason.textContent = reason;
    }
    this.heading.replaceChildren(strategy, ", ", state, " ", small);
    this.heading.title = small.textContent;
    this.canvas.setAttribute("aria-label",
      `Memory plan by ${strategy}, ${status}: ${small.textContent}. ` +
      `${reason} Time across, addresses up.`);
  }

  /** Adopts the size of its element; true if it has changed. */
  resize() {
    const {clientWidth: width, clientHeight: height} = this.view;
    const ratio = window.devicePixelRatio || 1;
    if (this.width === width && this.height === height && this.ratio === ratio)
      return false;
    Object.assign(this, {width, height, ratio});
    this.mapWidth = Math.max(width - LEFT - RIGHT, 20);
    this.mapTop = TOP + LOAD + GAP;
    this.mapHeight = Math.max(height - this.mapTop - BOTTOM, 20);
    for (const canvas of [this.canvas, this.top]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.wanted = null;
    return true;
  }

  get range() {
    const {t0, t1} = this.views.time, {a0, a1} = this.views.address[this.space];
    return {t0, t1, a0, a1};
  }
  xOf(time) {
    const {t0, t1} = this.range;
    return LEFT + (time - t0) / (t1 - t0) * this.mapWidth;
  }
  yOf(address) {
    const {a0, a1} = this.range;
    return this.mapTop + (a1 - address) / (a1 - a0) * this.mapHeight;
  }
  timeAt(x) {
    const {t0, t1} = this.range;
    return t0 + (x - LEFT) / this.mapWidth * (t1 - t0);
  }
  addressAt(y) {
    const {a0, a1} = this.range;
    return a1 - (y - this.mapTop) / this.mapHeight * (a1 - a0);
  }

  /** Draws the map's image until `deadline`; true if it is finished. */
  work(deadline, mask) {
    const {t0, t1, a0, a1} = this.range;
    const wanted = [t0, t1, a0, a1, this.theme.version, mask ? mask.version
                                                             : 0].join();
    if (!this.job) {
      if (this.wanted === wanted)
        return true;
      const width = Math.round(this.mapWidth * this.ratio);
      const height = Math.round(this.mapHeight * this.ratio);
      const data = new ImageData(width, height);
      const view = {t0, t1, a0, a1};
      const style = {paper: pixelOf(this.theme.paper),
                     dim: pixelOf(this.theme.dim), colours: COLOURS};
      this.job = {
        data, view, wanted,
        steps: rasterize(this.scene, view, width, height,
          new Uint32Array(data.data.buffer), style, mask && mask.found,
          this.ratio),
      };
    }
    do {
      const step = this.job.steps.next();
      if (step.done) {
        this.finish(this.job, step.value);
        this.wanted = this.job.wanted;
        this.job = null;
        return this.wanted === wanted;
      }
    } while (performance.now() < deadline);
    return false;
  }

  finish({data, view}, {labels, pins, lines}) {
    const {picture, ratio} = this;
    picture.width = data.width;
    picture.height = data.height;
    const context = picture.getContext("2d");
    context.putImageData(data, 0, 0);
    context.strokeStyle = context.fillStyle = this.theme.ink;
    context.lineWidth = 2 * ratio;
    for (const [x, y, width, height] of pins)
      context.strokeRect(x + ratio, y + ratio, width - 2 * ratio,
        height - 2 * ratio);
    for (const [x, y, width, height] of lines)
      context.fillRect(x - (width ? 0 : ratio), y - (height ? 0 : 2 * ratio),
        Math.max(width, 2 * ratio), Math.max(height, 2 * ratio));
    context.fillStyle = "#111";
    context.font = `${11 * ratio}px system-ui,sans-serif`;
    context.textBaseline = "middle";
    for (const [x, y, width, height, piece] of labels) {
      const left = Math.max(x, 0), right = Math.min(x + width, data.width);
      const top = Math.max(y, 0), bottom = Math.min(y + height, data.height);
      const room = right - left - 8 * ratio;
      if (room < 18 * ratio || bottom - top < 11 * ratio)
        continue;
      const name = names.get(this.scene.owner[piece]);
      const most = Math.floor(room / (6.2 * ratio));
      const text = name.length <= most ? name : name.slice(0, most - 1) + "…";
      context.fillText(text, left + 4 * ratio, (top + bottom) / 2, room);
    }
    this.shown = view;
  }

  paint() {
    const context = this.canvas.getContext("2d");
    const {theme, mapTop, mapWidth, mapHeight, width, height, ratio} = this;
    const {a0, a1, t0, t1} = this.range;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, height);
    if (this.shown) {
      context.save();
      context.beginPath();
      context.rect(LEFT, mapTop, mapWidth, mapHeight);
      context.clip();
      const shown = this.shown;
      const exact = ["t0", "t1", "a0", "a1"].every(
        key => shown[key] === this.range[key]);
      context.imageSmoothingEnabled = !exact;
      const x = this.xOf(shown.t0), y = this.yOf(shown.a1);
      context.drawImage(this.picture, exact ? LEFT : x, exact ? mapTop : y,
        exact ? mapWidth : this.xOf(shown.t1) - x,
        exact ? mapHeight : this.yOf(shown.a0) - y);
      context.restore();
    }
    this.axes(context, t0, t1, a0, a1);
    this.load(context);
    this.levels(context);
  }

  axes(context, t0, t1, a0, a1) {
    const {theme, mapTop, mapWidth, mapHeight} = this;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.strokeRect(LEFT + .5, mapTop + .5, mapWidth - 1, mapHeight - 1);
    context.fillStyle = theme.soft;
    context.font = "12px system-ui,sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    const tick = (x, y, dx, dy) => {
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + dx, y + dy);
      context.stroke();
    };
    const marks = ticks(a0, a1, mapHeight / 60, true);
    for (const bytes of marks) {
      const y = this.yOf(bytes);
      tick(LEFT - 5, y, 5, 0);
      context.fillText(tickBytes(bytes, marks.length > 1 ? marks[1] - marks[0]
                                                         : 1),
        LEFT - 8, y, LEFT - 12);
    }
    context.textAlign = "center";
    for (const time of ticks(t0, t1, mapWidth / 110, false)) {
      const x = this.xOf(time);
      tick(x, mapTop + mapHeight, 0, 5);
      const half = context.measureText(String(time)).width / 2;
      context.fillText(String(time), Math.min(x, this.width - half - 1),
        mapTop + mapHeight + 14);
    }
    context.textAlign = "left";
  }

  /** The load, as the maximum in each pixel, and the bound. */
  load(context) {
    const {theme, mapWidth} = this;
    const {times, bytes} = loads[this.space];
    const {t0, t1} = this.range;
    const bound = Number(meta.plans[this.plan].bound[this.space] || 0);
    const top = Math.max(loadTop[this.space], bound) * 1.05;
    const base = TOP + LOAD;
    const yOf = value => base - value / top * LOAD;
    const column = new Float64Array(Math.ceil(mapWidth));
    const perTime = mapWidth / (t1 - t0);
    let low = 0, high = times.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (times[middle] <= t0)
        low = middle + 1;
      else
        high = middle;
    }
    for (let i = Math.max(low - 1, 0); i < times.length && times[i] < t1; ++i) {
      if (bytes[i] === 0)
        continue;
      const until = i + 1 < times.length ? times[i + 1] : times[i];
      const first = Math.max((times[i] - t0) * perTime, 0) | 0;
      const last = Math.min((until - t0) * perTime, column.length);
      for (let x = first; x < last; ++x)
        column[x] = Math.max(column[x], bytes[i]);
    }
    context.fillStyle = theme.load;
    for (let x = 0; x < column.length;) {
      const from = x, value = column[x];
      while (x < column.length && column[x] === value)
        ++x;
      if (value > 0)
        context.fillRect(LEFT + from, yOf(value), x - from, base - yOf(value));
    }
    context.strokeStyle = theme.line;
    context.strokeRect(LEFT + .5, TOP + .5, mapWidth - 1, LOAD - 1);
    context.fillStyle = theme.ink;
    context.font = "12px system-ui,sans-serif";
    context.fillText("bytes alive", LEFT + 6, base - 9);
    context.fillStyle = theme.soft;
    context.textAlign = "right";
    const marks = ticks(0, top, 2.5, true);
    for (const value of marks)
      context.fillText(tickBytes(value, marks[1] - marks[0]), LEFT - 8,
        yOf(value), LEFT - 12);
    context.textAlign = "left";
    this.rule(context, yOf(bound), theme.bound, [6, 4]);
  }

  rule(context, y, colour, dash) {
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(LEFT, y);
    context.lineTo(LEFT + this.mapWidth, y);
    context.stroke();
    context.setLineDash([]);
  }

  /** Lines for peak, bound and capacity on the map. */
  levels(context) {
    const {peak, bound} = meta.plans[this.plan];
    const {capacity} = meta.spaces[this.space];
    const level = (value, colour, dash) => {
      const y = this.yOf(Number(value));
      if (value !== undefined && y >= this.mapTop &&
          y <= this.mapTop + this.mapHeight)
        this.rule(context, y, colour, dash);
    };
    level(capacity, this.theme.bound, []);
    level(peak[this.space], this.theme.ink, [2, 3]);
    level(bound[this.space], this.theme.bound, [6, 4]);
    if (Number(peak[this.space]) > this.range.a1 && this.range.a0 <= 0) {
      this.note(context, this.mapTop + 3,
        `\u2191 goes on to ${shortBytes(Number(peak[this.space]))}`);
    }
  }

  /** A line of text on the map, at its right edge. */
  note(context, y, text) {
    context.font = "12px system-ui,sans-serif";
    context.textBaseline = "middle";
    const width = Math.min(context.measureText(text).width + 12,
      this.mapWidth - 6);
    const x = LEFT + this.mapWidth - width - 3;
    context.fillStyle = this.theme.face;
    context.fillRect(x, y, width, 20);
    context.fillStyle = this.theme.ink;
    context.fillText(text, x + 6, y + 10, width - 12);
  }

  /** Outlines one buffer, or tells where it is if it is not in view. */
  mark(buffer) {
    const context = this.top.getContext("2d");
    const {ratio, mapTop, mapWidth, mapHeight} = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    if (buffer < 0 || !this.scene.begin.length ||
        columns.space.values[buffer] !== this.space)
      return;
    context.save();
    context.beginPath();
    context.rect(LEFT, mapTop, mapWidth, mapHeight);
    context.clip();
    const {lower, upper, begin, end} = this.scene;
    const first = pieces.first[buffer], last = pieces.first[buffer + 1];
    for (let i = first; i < last; ++i) {
      const x = this.xOf(lower[i]), y = this.yOf(end[i]);
      const width = Math.max(this.xOf(upper[i]) - x, 3);
      const height = Math.max(this.yOf(begin[i]) - y, 3);
      context.lineWidth = 4;
      context.strokeStyle = this.theme.paper;
      context.strokeRect(x - 1, y - 1, width + 2, height + 2);
      context.lineWidth = 2;
      context.strokeStyle = this.theme.ink;
      context.strokeRect(x - 1, y - 1, width + 2, height + 2);
    }
    context.restore();
    // In the other plan it may be outside the view.
    if (first === last)
      return;
    const offset = shortBytes(columns["offset" + this.plan].values[buffer]);
    const name = names.get(buffer);
    if (begin[first] > this.range.a1)
      this.note(context, mapTop + 26, `\u2191 ${name} is at ${offset}`);
    else if (end[first] < this.range.a0)
      this.note(context, mapTop + mapHeight - 23,
        `\u2193 ${name} is at ${offset}`);
  }
}
