// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problem and its plans, read from the data block of the page.
"use strict";

const meta = JSON.parse(document.getElementById("meta").textContent);
const columns = readColumns(meta.columns,
  fromBase64(document.getElementById("data").textContent));
document.getElementById("data").remove();

const PINNED = 1, OUTPUT = 2;
const NOTE_LINES = 12;
const bufferCount = meta.buffers;
const names = columns.name;

/** What all plans have in common: owner, life and bytes of each piece. */
const pieces = (() => {
  const {lower, length, from, bytes, pieces: counts} = columns;
  const count = lower.values.length;
  const owner = new Uint32Array(count);
  const first = new Uint32Array(bufferCount + 1);
  for (let buffer = 0, at = 0; buffer < bufferCount; ++buffer) {
    first[buffer] = at;
    for (let i = counts.values[buffer]; i > 0; --i)
      owner[at++] = buffer;
    first[buffer + 1] = at;
  }
  const upper = new Float64Array(count);
  for (let i = 0; i < count; ++i)
    upper[i] = lower.values[i] + length.values[i];
  return {owner, first, lower: lower.values, upper, from: from.values,
          bytes: bytes.values};
})();

const pinned = columns.flags.values.map(flags => flags & PINNED);

/** The pieces of each space. */
const listOf = meta.spaces.map(() => []);
if (meta.spaces.length === 1)
  listOf[0] = Uint32Array.from(pieces.owner, (_, i) => i);
else
  for (let i = 0; i < pieces.owner.length; ++i)
    listOf[columns.space.values[pieces.owner[i]]].push(i);

const scenes = new Map();

/** What is drawn of a plan in a space; made at the first call. */
function sceneOf(plan, space) {
  const key = plan + "/" + space;
  if (scenes.has(key))
    return scenes.get(key);
  const offsets = columns["offset" + plan];
  const list = offsets ? listOf[space] : [];
  const {owner, lower, upper, from, bytes} = pieces;
  let begin = new Float64Array(0), end = begin;
  const shared = scenes.get("addresses" + plan);
  if (shared) {
    ({begin, end} = shared);
  } else if (offsets) {
    begin = new Float64Array(owner.length);
    end = new Float64Array(owner.length);
    for (let i = 0; i < owner.length; ++i) {
      begin[i] = offsets.values[owner[i]] + from[i];
      end[i] = begin[i] + bytes[i];
    }
    scenes.set("addresses" + plan, {begin, end});
  }
  const scene = {list, owner, lower, upper, begin, end, pinned};
  scene.blocks = makeBlocks(scene);
  scenes.set(key, scene);
  return scene;
}

/** The load of a space: times and bytes of its steps. */
const loads = meta.spaces.map((_, i) => ({
  times: columns["loadTime" + i].values,
  bytes: columns["loadBytes" + i].values,
}));

const timeRange = (() => {
  let t0 = Infinity, t1 = -Infinity;
  for (let i = 0; i < pieces.owner.length; ++i) {
    t0 = Math.min(t0, pieces.lower[i]);
    t1 = Math.max(t1, pieces.upper[i]);
  }
  return t0 <= t1 ? {t0, t1: Math.max(t1, t0 + 1)} : {t0: 0, t1: 1};
})();

const loadTop = loads.map(
  load => load.bytes.reduce((most, bytes) => Math.max(most, bytes), 1));

/** The highest address that is shown of a space at first. A plan that needs
 * more than twice as much as another continues above it. */
function topOf(space, plans) {
  const peaks = plans.map(plan => Number(meta.plans[plan].peak[space] || 0));
  const least = Math.min(...peaks.filter(peak => peak > 0));
  const top = Math.max(1, Math.min(Math.max(...peaks), 2 * least),
    ...plans.map(plan => Number(meta.plans[plan].bound[space] || 0)));
  const capacity = Number(meta.spaces[space].capacity);
  return capacity <= 1.3 * top ? Math.max(top, capacity) : top;
}

/** The highest address of all plans, the limit of zooming out. */
const limitOf = meta.spaces.map((_, i) => meta.plans.reduce(
  (most, plan) => Math.max(most, Number(plan.peak[i] || 0)), loadTop[i]));

/** Operations that write and read each buffer; made at the first call. */
let uses = null;
function usesOf(buffer) {
  if (!columns.operation)
    return "";
  if (!uses) {
    uses = {writes: new Map(), reads: new Map()};
    for (const kind of ["writes", "reads"]) {
      const counts = columns[kind + "Count"].values;
      const buffers = columns[kind].values;
      for (let op = 0, at = 0; op < counts.length; ++op)
        for (let i = 0; i < counts[op]; ++i, ++at) {
          const list = uses[kind].get(buffers[at]) || [];
          list.push(op);
          uses[kind].set(buffers[at], list);
        }
    }
  }
  const say = (kind, what) => {
    const list = uses[kind].get(buffer);
    if (!list)
      return [];
    const more = list.length > 4 ? ` and ${list.length - 4} more` : "";
    return [what + " " +
            list.slice(0, 4).map(columns.operation.get).join(", ") + more];
  };
  return [...say("writes", "written by"), ...say("reads", "read by")]
    .join("\n");
}

/** The lines of each note: those from noteFirst[i] to noteFirst[i + 1]. */
const noteFirst = (() => {
  const counts = columns.noteCount ? columns.noteCount.values : [];
  const first = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i)
    first[i + 1] = first[i] + counts[i];
  return first;
})();

/** The first lines of a buffer's note, such as the stack that allocated it. */
function noteOf(buffer) {
  const note = columns.note ? columns.note.values[buffer] : -1;
  if (note < 0)
    return [];
  const first = noteFirst[note], more = noteFirst[note + 1] - first - NOTE_LINES;
  const lines = Array.from(
    columns.noteLines.values.subarray(first, noteFirst[note + 1])
      .subarray(0, NOTE_LINES), columns.noteText.get);
  return more > 0 ? [...lines, `and ${more} more lines`] : lines;
}

/** Adds the buffers whose notes contain the query to those found. */
function findNotes(query, found) {
  if (!columns.note)
    return;
  const lines = findTexts(columns.noteText, query);
  const notes = new Uint8Array(noteFirst.length - 1);
  for (let i = 0; i < notes.length; ++i)
    for (let j = noteFirst[i]; j < noteFirst[i + 1] && !notes[i]; ++j)
      notes[i] = lines[columns.noteLines.values[j]];
  for (let i = 0; i < found.length; ++i)
    found[i] |= notes[columns.note.values[i]];
}

/** The facts about a buffer in a plan, as lines of text, without its name. */
function factsOf(buffer, plan) {
  const {size, offset, lower, length, from, bytes} =
    {...columns, offset: columns["offset" + plan]};
  const lines = [describeBytes(size.exact(buffer))];
  if (offset)
    lines.push(`offset ${offset.exact(buffer)} to ` +
      (BigInt(offset.exact(buffer)) + BigInt(size.exact(buffer))));
  const lives = [];
  const last = pieces.first[buffer + 1];
  for (let i = pieces.first[buffer]; i < last; ++i) {
    if (lives.length === 6) {
      lives.push(`and ${last - i} more`);
      break;
    }
    const part = bytes.exact(i) === size.exact(buffer) ? ""
      : ` bytes [${from.exact(i)}, ` +
        `${BigInt(from.exact(i)) + BigInt(bytes.exact(i))})`;
    lives.push(`[${lower.exact(i)}, ` +
      `${BigInt(lower.exact(i)) + BigInt(length.exact(i))})${part}`);
  }
  lines.push("alive " + lives.join(" "));
  if (meta.spaces.length > 1)
    lines.push("space " + meta.spaces[columns.space.values[buffer]].name);
  if (columns.alignment.values[buffer] !== 1)
    lines.push("alignment " + columns.alignment.exact(buffer));
  if (pinned[buffer])
    lines.push("pinned");
  if (columns.alias.values[buffer] >= 0)
    lines.push("alias class " + columns.alias.exact(buffer));
  if (columns.outside && columns.outside.get(buffer))
    lines.push(columns.outside.get(buffer));
  if (columns.flags.values[buffer] & OUTPUT)
    lines.push("output");
  lines.push(...noteOf(buffer));
  const used = usesOf(buffer);
  return (used ? [...lines, used] : lines).join("\n");
}
