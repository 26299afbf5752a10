#!/usr/bin/env node
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// predict.mjs MODEL.json NEW.csv: the predictions of `model predict` from what
// `model export` writes (docs/export.md). Needs nothing but node.
import {readFileSync} from "node:fs";

const range = (n, f) => Array.from({length: n}, (_, i) => f(i));
const sum = list => list.reduce((a, b) => a + b, 0);
const clip = (v, low, high) => Math.max(low, Math.min(v, high));

function turn(t) { // cosine and sine of pi t
  const quarter = Math.round(2 * t), angle = Math.PI * (t - quarter / 2);
  const c = Math.cos(angle), s = Math.sin(angle);
  return [[c, s], [-s, c], [-c, -s], [s, -c]][((quarter % 4) + 4) % 4];
}

function hot(n, places, value = 1) {
  const row = new Array(n).fill(0);
  for (const place of places)
    row[place] = value;
  return row;
}

function fourier(map, x) {
  const turns = range(map.columns / 2, k => turn(map.frequency * (k + 1) * x));
  return [...turns.map(t => t[0]), ...turns.map(t => t[1])];
}

function spline({knots, degree, columns}, at) { // Cox-de Boor
  const x = Math.max(knots[0], Math.min(at, knots[knots.length - 1] - 1e-6));
  let j = degree, end = columns;
  while (end - j > 1) { // knots[j] <= x < knots[end]
    const middle = (j + end) >> 1;
    if (knots[middle] <= x)
      j = middle;
    else
      end = middle;
  }
  const values = [1];
  for (let p = 1; p <= degree; ++p) {
    let carried = 0;
    for (let i = 0; i < p; ++i) {
      const low = knots[j + 1 - p + i], high = knots[j + 1 + i];
      const share = high - low > 1e-8 ? values[i] / (high - low) : 0;
      values[i] = carried + (high - x) * share;
      carried = (x - low) * share;
    }
    values.push(carried);
  }
  const row = new Array(columns).fill(0);
  row.splice(j - degree, degree + 1, ...values);
  return row;
}

function chebyshev(map, x) {
  const values = [1, x];
  while (values.length <= map.columns)
    values.push(2 * x * values.at(-1) - values.at(-2));
  return values.slice(1);
}

function codes(map, x) {
  const last = map.columns - 1, whole = 1.5 * 2 ** 52; // rounds half to even
  return hot(last + 1, [clip((x + 1) / 2 * last, 0, last) + whole - whole]);
}

const wavelet = (map, x) => map.scales.flatMap(a => map.centers.map(b => {
  const u = Math.min(((x - b) / a) ** 2, 1500);
  return (1 - u) * Math.exp(-u / 2) / Math.sqrt(a);
}));

function neural(map, ...x) {
  const act = {relu: v => Math.max(v, 0), cos: Math.cos, tanh: Math.tanh};
  let h = x;
  for (const {weights, biases} of map.layers)
    h = biases.map((b, j) => act[map.activation](
        sum(h.map((v, i) => v * weights[i][j])) + b));
  return h.map(v => v / Math.sqrt(h.length));
}

function integral(nu, q) { // of exp(nu s - e^s - q e^-s): its logarithm
  const step = .4 / Math.sqrt(nu + 4), high = Math.log(1500 + 2 * nu);
  const low = q > 0 ? Math.log(q / (1500 + 2 * nu)) : -50;
  const parts = range(Math.floor((high - low) / step) + 1, i => {
    const s = low + step * i;
    return nu * s - Math.exp(s) - q * Math.exp(-s);
  });
  const most = parts.reduce((a, b) => Math.max(a, b));
  return most + Math.log(step * sum(parts.map(v => Math.exp(v - most))));
}

function matern(nu, r) {
  if (nu == .5 || nu == 1.5 || nu == 2.5)
    return Math.exp(-r) *
           (nu == .5 ? 1 : nu == 1.5 ? 1 + r : 1 + r + r * r / 3);
  // Gamma(nu + 1) is nu Gamma(nu).
  return r == 0 ? 1 : nu * Math.exp(integral(nu, r * r / 4) -
                                    integral(nu + 1, 0));
}

const radial = (map, ...x) => map.centers.map(center => {
  const square = sum(x.map((v, i) => (v - center[i]) * (v - center[i])));
  if (map.nu === null)
    return Math.exp(-map.gamma * square);
  const r = Math.sqrt(2 * map.nu * map.gamma) * Math.sqrt(square);
  return matern(map.nu, Math.min(r, 1000));
});

function trees(map, leafOf) {
  const count = map.thresholds.length, leaves = map.columns / count;
  return hot(map.columns, map.thresholds.map((tree, b) =>
      b * leaves + leafOf(map.features[b], tree)), 1 / Math.sqrt(count));
}

const MAPS = {
  constant: () => [1],
  linear: (map, x) => [map.factor * x],
  levels: (map, places) => hot(map.columns, places, 1 / places.length),
  fourier, spline, chebyshev, codes, wavelet, neural, radial,
  oblivious_trees: (map, ...x) => trees(map, (features, thresholds) =>
      sum(thresholds.map((t, j) => x[features[j]] > t ? 2 ** j : 0))),
  flat_trees: (map, ...x) => trees(map, (feature, thresholds) =>
      thresholds.filter(t => t < x[feature]).length),
  linear_tree: (map, ...x) => {
    const slope = x.pop(), tree = {...map, columns: map.columns / 2};
    const leaf = MAPS[map.tree](tree, ...x);
    return [...leaf, ...leaf.map(v => map.factor * slope * v)];
  },
};

function pid(map, points) { // rows of a group in the order of time
  const x = points.map(point => point[0]);
  const width = Math.min(map.window, x.length);
  return x.map((v, i) => [
    v, sum(x.slice(width ? Math.max(0, i + 1 - width) : 0, i + 1)) /
           (width || 1), v - (i ? x[i - 1] : 0)]);
}

function evaluate(map, points) { // without regard to the range
  if (map.kind == "pid")
    return pid(map, points);
  if (map.kind != "product")
    return points.map(point => MAPS[map.kind](map, ...point));
  let rows = points.map(() => [1]), first = 0;
  for (const factor of map.factors) {
    const end = first + inputsOf(factor).length;
    const columns = features(factor, points.map(p => p.slice(first, end)));
    rows = rows.map((row, i) => row.flatMap(a => columns[i].map(b => a * b)));
    first = end;
  }
  return rows;
}

function beyond(point, mode) { // levels, which are lists, have no range
  const edge = point.map(v => Array.isArray(v) ? v : clip(v, -1, 1));
  const away = point.map((v, i) => Array.isArray(v) ? 0 : v - edge[i]);
  const most = Math.max(...away.map(Math.abs));
  const r = most ? most * Math.sqrt(sum(away.map(v => (v / most) ** 2))) : 0;
  const inside = edge.map((v, i) => away[i] ? v - 1e-5 * (away[i] / r) : v);
  const amount = {constant: 0, linear: r,
                  saturation: (1 - Math.exp(-2 * r)) / 2}[mode];
  return {edge, inside, amount};
}

function features(map, points) { // the columns of rows of a group
  if (map.extrapolate == "continue")
    return evaluate(map, points);
  const moved = points.map(point => beyond(point, map.extrapolate));
  const inside = evaluate(map, moved.map(row => row.inside));
  return evaluate(map, moved.map(row => row.edge)).map((row, i) =>
      row.map((a, k) => a + moved[i].amount * ((a - inside[i][k]) / 1e-5)));
}

function inputsOf(map) {
  return map.kind == "product" ? map.factors.flatMap(inputsOf) : map.inputs;
}

// The place of an equal text, else of an equal number. Numbers are compared as
// doubles, so numbers of more than 17 digits must be written as in the model.
function find(text, names, numeric) {
  const place = names.indexOf(text);
  return place >= 0 || !numeric || !text.trim()
      ? place : names.findIndex(name => Number(name) == Number(text));
}

function valueOf(input, text, group) { // a number, or a list of levels
  if (input.kind == "number") {
    if (!text.trim() || !Number.isFinite(Number(text)))
      throw Error(`${input.column}: expected a number, got '${text}'`);
    return (Number(text) - input.center[group]) / input.half_range[group];
  }
  const {levels, numeric, unseen} = input;
  const place = find(text, levels, numeric);
  if (place >= 0)
    return [place];
  if (unseen != "edge")
    return unseen == "mean" ? [...levels.keys()] : [];
  if (!numeric || Number.isNaN(Number(text)))
    return [levels.length - 1];
  const near = levels.map(level => Math.abs(Number(level) - Number(text)));
  return [near.indexOf(Math.min(...near))];
}

function timeOf(text) { // dates without an offset as if they had Z
  if (!Number.isNaN(Number(text)))
    return Number(text);
  const [, day, clock, offset] =
      /^([^ T]+)(?:[ T](.+?)(Z|[+-]\d.*)?)?$/.exec(text);
  return Date.parse(clock ? `${day}T${clock}${offset ?? "Z"}` : day);
}

function predict(model, rows) {
  const {group: groupColumn, date} = model.columns, groups = new Map();
  rows.forEach((row, i) => {
    const text = groupColumn === null ? "" : row[groupColumn];
    const group = find(text, model.groups.names, model.groups.numeric);
    if (group < 0)
      throw Error(`expected a group of the model, got '${text}'`);
    groups.set(group, [...groups.get(group) ?? [], i]);
  });
  const predictions = new Array(rows.length).fill(0);
  for (const [group, places] of groups) {
    if (date !== null)
      places.sort((a, b) => timeOf(rows[a][date]) - timeOf(rows[b][date]));
    const values = places.map(i => model.inputs.map(
        input => valueOf(input, rows[i][input.column], group)));
    for (const {map, coefficients} of model.effects) {
      const points = values.map(row => inputsOf(map).map(i => row[i]));
      features(map, points).forEach((row, i) => {
        predictions[places[i]] +=
            sum(row.map((v, k) => v * coefficients[group][k]));
      });
    }
  }
  return predictions;
}

function readCsv(text) { // RFC 4180
  const rows = [[]], field = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/y;
  while (field.lastIndex < text.length) {
    const [, quoted, plain, end] = field.exec(text);
    rows.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
    if (end != "," && field.lastIndex < text.length)
      rows.push([]);
  }
  const [names, ...data] = rows;
  return data.map(row => Object.fromEntries(names.map((n, i) => [n, row[i]])));
}

const [modelPath, dataPath] = process.argv.slice(2);
const model = JSON.parse(readFileSync(modelPath, "utf8"));
if (model.format != "tamc-model" || model.version != 1)
  throw Error("expected a tamc-model of version 1");
const data = readFileSync(dataPath, "utf8").replace(/^\ufeff/, "");
for (const prediction of predict(model, readCsv(data)))
  console.log(prediction);
