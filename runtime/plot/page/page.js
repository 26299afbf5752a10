"use strict";
// The page is also XML: this text has no ampersand and no less-than sign.

// The numbers of a path: a first point, then relative moves; in pixels.
function pointsOf(path) {
  if (!path.points) {
    const numbers = path.getAttribute("d").match(/-?\d+/g).map(Number);
    let x = 0, y = 0;
    path.points = [];
    for (let i = 0; numbers.length > i + 1; i += 2) {
      x += numbers[i] / 10;
      y += numbers[i + 1] / 10;
      path.points.push([x, y]);
    }
  }
  return path.points;
}

// The y of a polyline of ascending x at `at`; undefined outside.
function heightAt(points, at) {
  let low = 0, high = points.length - 1;
  if (points[0][0] > at + 0.1 || at - 0.1 > points[high][0]) return undefined;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] > at) high = middle; else low = middle;
  }
  const [x1, y1] = points[low], [x2, y2] = points[high];
  const t = x2 > x1 ? Math.min(Math.max((at - x1) / (x2 - x1), 0), 1) : 0;
  return y1 + t * (y2 - y1);
}

// The ends of an axis: two pixels and their values.
function axisOf(figure, name) {
  const [from, to, low, high] = figure.dataset[name].split(" ").map(Number);
  return {
    size: Math.abs(high - low),
    value: (at) => low + (at - from) / (to - from) * (high - low),
    isInside: (at) => 1e-3 > (at - from) * (at - to) / (from - to) ** 2,
  };
}

// As many digits as tell 1/1000 of `size` apart.
function formatNumber(value, size) {
  if (!(Math.abs(value) > size * 1e-6)) return "0";
  const digits = Math.floor(Math.log10(Math.abs(value)))
    - Math.floor(Math.log10(size)) + 4;
  return String(Number(value.toPrecision(Math.min(Math.max(digits, 1), 15))));
}

function formatTime(seconds, size) {
  const text = new Date(seconds * 1000).toISOString();
  return size > 20 * 86400 ? text.slice(0, 10)
    : text.slice(0, 19).replace("T", " ");
}

// The curve that is read, of several.
let near = null;

function mark(path) {
  if (near) near.style.strokeWidth = "";
  near = path;
  if (near) near.style.strokeWidth = "4";
}

// What the picture says about a place in it, given in its own pixels.
function describe(figure, atX, atY) {
  if (!figure.dataset.x) return "";
  const x = axisOf(figure, "x"), y = axisOf(figure, "y");
  if (!x.isInside(atX) || !y.isInside(atY)) return "";
  const where = figure.dataset.kind === "2"
    ? formatTime(x.value(atX), x.size) : formatNumber(x.value(atX), x.size);
  let best, bestAway = Infinity;
  for (const path of figure.querySelectorAll("path.c:not(.m)")) {
    const height = heightAt(pointsOf(path), atX);
    if (height === undefined) continue;
    const away = Math.abs(height - atY);
    if (bestAway > away) {
      bestAway = away;
      best = { path, height };
    }
  }
  if (!best) return "";
  const name = best.path.dataset.n;
  if (name) mark(best.path);
  let text = (name ? name + "\n" : "") + where + ": "
    + formatNumber(y.value(best.height), y.size);
  const band = figure.querySelector("path.b");
  if (band) {
    const points = pointsOf(band), half = points.length / 2;
    const upper = heightAt(points.slice(0, half), atX);
    const lower = heightAt(points.slice(half).reverse(), atX);
    text += " \u00b1 " + formatNumber(
      Math.abs(y.value(upper) - y.value(lower)) / 2, y.size);
  }
  return text;
}

// Native tips come late and not on touch screens: their text moves to
// attributes.
function adopt(view) {
  for (const title of view.querySelectorAll(".fig title")) {
    title.parentNode.dataset.tip = title.textContent;
    title.remove();
  }
}

function start() {
  const view = document.getElementById("view");
  const tip = document.getElementById("tip");
  const chosen = document.getElementById("chosen");
  const root = document.documentElement;
  adopt(view);

  document.getElementById("theme").addEventListener("click", () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });

  if (chosen) {
    const views = [[...view.childNodes]];
    const show = () => {
      const i = chosen.selectedIndex;
      if (!views[i]) {
        const copy = document.getElementById("view" + i).content.cloneNode(true);
        adopt(copy);
        views[i] = [...copy.childNodes];
      }
      view.replaceChildren(...views[i]);
      tip.hidden = true;
    };
    chosen.addEventListener("change", show);
    for (const [id, by] of [["previous", -1], ["next", 1]])
      document.getElementById(id).addEventListener("click", () => {
        const count = chosen.options.length;
        chosen.selectedIndex = (chosen.selectedIndex + by + count) % count;
        show();
      });
    // The browser may remember a choice when it loads the page again.
    if (chosen.selectedIndex > 0) show();
  }

  view.addEventListener("pointermove", (event) => {
    const figure = event.target.closest("svg.fig");
    const named = event.target.closest("[data-tip]");
    let text = "";
    mark(null);
    if (named) {
      text = named.dataset.tip;
    } else if (figure) {
      const place = figure.getBoundingClientRect();
      const scale = figure.viewBox.baseVal.width / place.width;
      text = describe(figure, (event.clientX - place.left) * scale,
                      (event.clientY - place.top) * scale);
    }
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const size = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 14,
      innerWidth - size.width - 6)) + "px";
    tip.style.top = (event.clientY + size.height + 22 > innerHeight
      ? event.clientY - size.height - 12 : event.clientY + 16) + "px";
  });
  view.addEventListener("pointerleave", () => {
    tip.hidden = true;
    mark(null);
  });
}

start();
