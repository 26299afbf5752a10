// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the columns that Columns.cpp wrote.
"use strict";

/** The bytes that a base64 text encodes. */
function fromBase64(text) {
  if (Uint8Array.fromBase64)
    return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i)
    bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** A column of integers: `values` are doubles, for drawing; `exact(i)` is the
 * number as text, which is exact even where a double is rounded. */
function readNumbers(entry, bytes) {
  const count = entry.count;
  const values = new Float64Array(count);
  if (entry.kind === "constant") {
    values.fill(Number(entry.value));
    return {values, exact: () => entry.value};
  }
  const delta = entry.kind === "delta";
  let at = entry.at;
  if (entry.wide) {
    const exact = new BigInt64Array(count);
    let before = 0n;
    for (let i = 0; i < count; ++i) {
      let code = 0n, shift = 0n, byte;
      do {
        byte = bytes[at++];
        code |= BigInt(byte & 127) << shift;
        shift += 7n;
      } while (byte > 127);
      const value = BigInt.asIntN(64, (code >> 1n) ^ -(code & 1n));
      before = delta ? BigInt.asIntN(64, before + value) : value;
      exact[i] = before;
      values[i] = Number(before);
    }
    return {values, exact: i => String(exact[i])};
  }
  let before = 0;
  for (let i = 0; i < count; ++i) {
    let byte = bytes[at++], code = byte & 127, factor = 128;
    while (byte > 127) {
      byte = bytes[at++];
      code += (byte & 127) * factor;
      factor *= 128;
    }
    const value = code % 2 ? -(code + 1) / 2 : code / 2;
    before = delta ? before + value : value;
    values[i] = before;
  }
  return {values, exact: i => String(values[i])};
}

/** A column of texts. It holds bytes, and decodes a text when it is read. */
function readTexts(entry, bytes) {
  const text = new Uint8Array(entry.size);
  const starts = new Uint32Array(entry.count + 1);
  let at = entry.at, to = 0;
  const number = () => {
    let byte = bytes[at++], value = byte & 127, factor = 128;
    while (byte > 127) {
      byte = bytes[at++];
      value += (byte & 127) * factor;
      factor *= 128;
    }
    return value;
  };
  for (let i = 0; i < entry.count; ++i) {
    const shared = number(), rest = number();
    const before = i ? starts[i - 1] : 0;
    starts[i] = to;
    for (let j = 0; j < shared; ++j)
      text[to++] = text[before + j];
    for (let j = 0; j < rest; ++j)
      text[to++] = bytes[at++];
  }
  starts[entry.count] = to;
  const decoder = new TextDecoder();
  return {
    text, starts,
    get: i => decoder.decode(text.subarray(starts[i], starts[i + 1])),
  };
}

/** All columns by name. */
function readColumns(directory, bytes) {
  const columns = {};
  for (const entry of directory)
    columns[entry.name] = entry.kind === "text" ? readTexts(entry, bytes)
                                                : readNumbers(entry, bytes);
  return columns;
}

/** 1 for each text with the query in it; the case of ASCII does not matter. */
function findTexts(texts, query) {
  const lower = byte => byte >= 65 && byte <= 90 ? byte + 32 : byte;
  if (!texts.lower)
    texts.lower = texts.text.map(lower);
  const wanted = new TextEncoder().encode(query).map(lower);
  const {lower: text, starts} = texts;
  const count = starts.length - 1, length = wanted.length;
  const found = new Uint8Array(count);
  const first = wanted[0];
  for (let i = 0; i < count; ++i) {
    const last = starts[i + 1] - length;
    for (let at = starts[i]; at <= last; ++at) {
      if (text[at] !== first)
        continue;
      let j = 1;
      while (j < length && text[at + j] === wanted[j])
        ++j;
      if (j === length) {
        found[i] = 1;
        break;
      }
    }
  }
  return found;
}

/** "1048576 bytes (1 MiB)", from an exact number as text. */
function describeBytes(exact) {
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let value = Number(exact);
  const text = exact + (exact === "1" ? " byte" : " bytes");
  if (value < 1024)
    return text;
  value /= 1024;
  let unit = 0;
  for (; value >= 1024 && unit < 5; ++unit)
    value /= 1024;
  return `${text} (${Number(value.toFixed(2))} ${units[unit]})`;
}

/** A number of bytes (a number or an exact text), short enough for an axis. */
function shortBytes(bytes) {
  const units = ["", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"];
  let value = Number(bytes), unit = 0;
  for (; value >= 1024 && unit < 6; ++unit)
    value /= 1024;
  return Number(value.toFixed(3)) + units[unit];
}

/** A number of bytes for an axis with steps of a power of two, in the largest
 * unit in which two decimals are exact. */
function tickBytes(value, step) {
  const units = [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"];
  let unit = 6;
  while (unit > 0 && step < 1024 ** unit / 4)
    --unit;
  return value === 0 ? "0" : value / 1024 ** unit + units[unit];
}
