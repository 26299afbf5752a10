// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws any number of rectangles into an image, a part of them at a time. A
// rectangle of at least three by three pixels is drawn on whole pixels. A
// smaller one adds its colour to each pixel in proportion to the area that it
// covers there; rectangles of a plan do not overlap, so the areas add up to the
// part of the pixel that is in use.
"use strict";

const BLOCK = 256;
const SLICE = 4096;

/** Bounding boxes of BLOCK rectangles each, to skip those outside the view. */
function makeBlocks(scene) {
  const {list, lower, upper, begin, end} = scene;
  const count = Math.ceil(list.length / BLOCK);
  const blocks = new Float64Array(4 * count);
  for (let block = 0; block < count; ++block) {
    let t0 = Infinity, t1 = -Infinity, a0 = Infinity, a1 = -Infinity;
    const last = Math.min(list.length, (block + 1) * BLOCK);
    for (let i = block * BLOCK; i < last; ++i) {
      const piece = list[i];
      t0 = Math.min(t0, lower[piece]);
      t1 = Math.max(t1, upper[piece]);
      a0 = Math.min(a0, begin[piece]);
      a1 = Math.max(a1, end[piece]);
    }
    blocks.set([t0, t1, a0, a1], 4 * block);
  }
  return blocks;
}

/** Calls each(piece) for those that may meet the times [t0, t1] and the
 * addresses [a0, a1], and yields from time to time. */
function* visit(scene, t0, t1, a0, a1, each) {
  const {list, blocks} = scene;
  let done = 0;
  for (let block = 0; 4 * block < blocks.length; ++block) {
    const b = 4 * block;
    if (blocks[b] > t1 || blocks[b + 1] < t0 || blocks[b + 2] > a1 ||
        blocks[b + 3] < a0)
      continue;
    const last = Math.min(list.length, (block + 1) * BLOCK);
    for (let i = block * BLOCK; i < last; ++i)
      each(list[i]);
    if ((done += BLOCK) >= SLICE) {
      done = 0;
      yield;
    }
  }
}

/** At most `most` pieces at a point, exact ones first. */
function piecesAt(scene, time, address, dt, da, most) {
  const {lower, upper, begin, end} = scene;
  const exact = [], near = [];
  const look = visit(scene, time - dt, time + dt, address - da, address + da,
    piece => {
      if (lower[piece] <= time && time < upper[piece] &&
          begin[piece] <= address && address < end[piece])
        exact.push(piece);
      else if (near.length < most && lower[piece] <= time + dt &&
               upper[piece] >= time - dt && begin[piece] <= address + da &&
               end[piece] >= address - da)
        near.push(piece);
    });
  while (!look.next().done);
  return (exact.length ? exact : near).slice(0, most);
}

/**
 * Fills image (Uint32Array of width * height pixels, ABGR) with the view
 * {t0, t1, a0, a1}. Yields while there is work left. Returns {labels, pins,
 * lines}: pixel boxes [x, y, width, height, piece] to label or to outline.
 * style: {paper, dim, colours} as 0xBBGGRR; mask, if there is one, is 0 for the
 * buffers to dim.
 */
function* rasterize(scene, view, width, height, image, style, mask, pixel) {
  const {lower, upper, begin, end, owner, pinned} = scene;
  const {t0, t1, a0, a1} = view;
  const kx = width / (t1 - t0), ky = height / (a1 - a0);
  const paper = (0xff000000 | style.paper) >>> 0;
  image.fill(paper);
  const sums = new Float32Array(4 * width * height);
  const {colours, dim} = style;
  const labels = [], pins = [], lines = [];
  yield;

  const add = (at, part, colour) => {
    at *= 4;
    sums[at] += part;
    sums[at + 1] += part * (colour & 255);
    sums[at + 2] += part * (colour >> 8 & 255);
    sums[at + 3] += part * (colour >> 16 & 255);
  };

  function draw(piece) {
    let x1 = (lower[piece] - t0) * kx, x2 = (upper[piece] - t0) * kx;
    let y1 = height - (end[piece] - a0) * ky;
    let y2 = height - (begin[piece] - a0) * ky;
    if (x2 < 0 || x1 > width || y2 < 0 || y1 > height)
      return;
    const buffer = owner[piece];
    if (x1 === x2 || y1 === y2) {
      if (lines.length < 4000 && (!mask || mask[buffer]))
        lines.push([x1, y1, x2 - x1, y2 - y1, piece]);
      return;
    }
    const colour = mask && !mask[buffer] ? dim
                                         : colours[buffer % colours.length];
    if (x2 - x1 >= 3 && y2 - y1 >= 3) {
      // If there is room, the left and the lower edge keep the background's
      // colour, to separate neighbours.
      const left = Math.round(x1), bottom = Math.round(y2);
      const right = Math.round(x2), top = Math.round(y1);
      const edge = x2 - x1 >= 5 && y2 - y1 >= 5 ? 1 : 0;
      const from = Math.max(left + edge, 0), to = Math.min(right, width);
      const last = Math.min(bottom - edge, height);
      const solid = (0xff000000 | colour) >>> 0;
      for (let y = Math.max(top, 0); y < last; ++y)
        image.fill(solid, y * width + from, y * width + Math.max(to, from));
      const box = [left, top, right - left, bottom - top, piece];
      if (box[2] >= 36 * pixel && box[3] >= 13 * pixel && labels.length < 3000)
        labels.push(box);
      if (pinned[buffer] && pins.length < 4000)
        pins.push(box);
      return;
    }
    x1 = Math.max(x1, 0);
    y1 = Math.max(y1, 0);
    x2 = Math.min(x2, width);
    y2 = Math.min(y2, height);
    const firstX = x1 | 0, firstY = y1 | 0;
    if (x2 <= firstX + 1 && y2 <= firstY + 1) {
      if (firstX < width && firstY < height)
        add(firstY * width + firstX, (x2 - x1) * (y2 - y1), colour);
      return;
    }
    for (let y = firstY; y < y2; ++y) {
      const high = Math.min(y2, y + 1) - Math.max(y1, y);
      for (let x = firstX; x < x2; ++x)
        add(y * width + x, high * (Math.min(x2, x + 1) - Math.max(x1, x)),
            colour);
    }
  }
  yield* visit(scene, t0, t1, a0, a1, draw);

  for (let at = 0; at < image.length; ++at) {
    if (at % (SLICE * 16) === 0)
      yield;
    const part = sums[4 * at];
    if (part === 0 || image[at] !== paper)
      continue;
    // The square root makes a lone small rectangle visible and keeps the order
    // by area. The colour is the mean, also where aliases overlap.
    const strength = Math.sqrt(Math.min(part, 1)), rest = 1 - strength;
    const scale = strength / part;
    const red = sums[4 * at + 1] * scale + rest * (paper & 255);
    const green = sums[4 * at + 2] * scale + rest * (paper >> 8 & 255);
    const blue = sums[4 * at + 3] * scale + rest * (paper >> 16 & 255);
    image[at] = (0xff000000 | blue << 16 | green << 8 | red) >>> 0;
  }
  return {labels, pins, lines};
}
