#!/usr/bin/env python3
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""predict.py MODEL.json NEW.csv: the predictions of `model predict` from what
`model export` writes (docs/export.md). Needs nothing but Python."""
import bisect, csv, datetime, functools, json, math, sys  # noqa: E401
from decimal import Decimal, InvalidOperation


def turn(t):  # cosine and sine of pi t
    quarter = round(2 * t)
    c, s = (f(math.pi * (t - quarter / 2)) for f in (math.cos, math.sin))
    return [(c, s), (-s, c), (-c, -s), (s, -c)][quarter % 4]


def hot(n, places, value=1.0):
    row = [0.0] * n
    for place in places:
        row[place] = value
    return row


def fourier(map, x):
    turns = [turn(map["frequency"] * k * x)
             for k in range(1, map["columns"] // 2 + 1)]
    return [c for c, _ in turns] + [s for _, s in turns]


def spline(map, x):  # Cox-de Boor
    knots, degree, n = map["knots"], map["degree"], map["columns"]
    x = max(knots[0], min(x, knots[-1] - 1e-6))
    j = bisect.bisect_right(knots, x, degree + 1, n) - 1
    values = [1.0]
    for p in range(1, degree + 1):
        carried = 0.0
        for i in range(p):
            low, high = knots[j + 1 - p + i], knots[j + 1 + i]
            share = values[i] / (high - low) if high - low > 1e-8 else 0.0
            values[i] = carried + (high - x) * share
            carried = (x - low) * share
        values.append(carried)
    return [0.0] * (j - degree) + values + [0.0] * (n - 1 - j)


def chebyshev(map, x):
    values = [1.0, x]
    while len(values) <= map["columns"]:
        values.append(2 * x * values[-1] - values[-2])
    return values[1:]


def codes(map, x):
    last = map["columns"] - 1
    return hot(last + 1, [round(max(0, min(last, (x + 1) / 2 * last)))])


def wavelet(map, x):
    squares = [(a, min(((x - b) / a) ** 2, 1500))
               for a in map["scales"] for b in map["centers"]]
    return [(1 - u) * math.exp(-u / 2) / math.sqrt(a) for a, u in squares]


def neural(map, *h):
    act = {"relu": lambda v: max(v, 0), "cos": math.cos, "tanh": math.tanh}
    for layer in map["layers"]:
        h = [act[map["activation"]](sum(a * w for a, w in zip(h, column)) + b)
             for *column, b in zip(*layer["weights"], layer["biases"])]
    return [v / math.sqrt(len(h)) for v in h]


@functools.lru_cache(None)
def integral(nu, q):  # of exp(nu s - e^s - q e^-s): its logarithm
    step = .4 / math.sqrt(nu + 4)
    low = math.log(q / (1500 + 2 * nu)) if q > 0 else -50
    count = int((math.log(1500 + 2 * nu) - low) / step)
    points = [low + step * i for i in range(count + 1)]
    parts = [nu * s - math.exp(s) - q * math.exp(-s) for s in points]
    return max(parts) + math.log(
        step * sum(math.exp(part - max(parts)) for part in parts))


def radial(map, *x):
    def value(center):
        square = sum((a - b) * (a - b) for a, b in zip(x, center))
        if map["nu"] is None:
            return math.exp(-map["gamma"] * square)
        r = math.sqrt(2 * map["nu"] * map["gamma"]) * math.sqrt(square)
        r = min(r, 1000)
        if map["nu"] in (.5, 1.5, 2.5):
            factor = {.5: 1, 1.5: 1 + r, 2.5: 1 + r + r * r / 3}[map["nu"]]
            return factor * math.exp(-r)
        # Gamma(nu + 1) is nu Gamma(nu).
        return math.exp(integral(map["nu"], r * r / 4) -
                        integral(map["nu"] + 1, 0)) * map["nu"] if r else 1.0
    return [value(center) for center in map["centers"]]


def oblivious(map, *x):
    trees, n = map["thresholds"], map["columns"]
    leaves = [sum((x[f] > t) << j for j, (f, t) in enumerate(zip(*tree)))
              for tree in zip(map["features"], trees)]
    return hot(n, [b * (n // len(trees)) + leaf
                   for b, leaf in enumerate(leaves)], 1 / math.sqrt(len(trees)))


def flat(map, *x):
    trees, n = map["thresholds"], map["columns"]
    return hot(n, [b * (n // len(trees)) + sum(t < x[f] for t in tree)
                   for b, (f, tree) in enumerate(zip(map["features"], trees))],
               1 / math.sqrt(len(trees)))


def linear_tree(map, *x):
    leaf = MAPS[map["tree"]]({**map, "columns": map["columns"] // 2}, *x[:-1])
    return leaf + [map["factor"] * x[-1] * value for value in leaf]


MAPS = {"constant": lambda map: [1.0],
        "linear": lambda map, x: [map["factor"] * x],
        "levels": lambda map, places: hot(map["columns"], places,
                                          1 / max(len(places), 1)),
        "fourier": fourier, "spline": spline, "chebyshev": chebyshev,
        "codes": codes, "wavelet": wavelet, "neural": neural, "radial": radial,
        "oblivious_trees": oblivious, "flat_trees": flat,
        "linear_tree": linear_tree}


def pid(map, points):  # rows of a group in the order of time
    x = [point[0] for point in points]
    width = min(map["window"], len(x))
    return [[v, sum(x[max(0, i + 1 - width) if width else 0:i + 1]) /
             (width or 1), v - (x[i - 1] if i else 0)] for i, v in enumerate(x)]


def evaluate(map, points):  # without regard to the range
    if map["kind"] == "pid":
        return pid(map, points)
    if map["kind"] != "product":
        return [MAPS[map["kind"]](map, *point) for point in points]
    rows = [[1.0]] * len(points)
    for factor in map["factors"]:
        count = len(inputs_of(factor))
        columns = features(factor, [point[:count] for point in points])
        points = [point[count:] for point in points]
        rows = [[a * b for a in row for b in column]
                for row, column in zip(rows, columns)]
    return rows


def features(map, points):  # the columns of rows of a group
    mode = map["extrapolate"]
    if mode == "continue":
        return evaluate(map, points)
    border, inside, amounts = [], [], []
    for point in points:  # levels, which are lists, have no range
        edge = [v if isinstance(v, list) else max(-1.0, min(v, 1.0))
                for v in point]
        away = [0 if isinstance(v, list) else v - e
                for v, e in zip(point, edge)]
        most = max(abs(v) for v in away)
        r = most * math.sqrt(sum((v / most) ** 2 for v in away)) if most else 0
        border.append(edge)
        inside.append([e - 1e-5 * (v / r) if v else e
                       for e, v in zip(edge, away)])
        amounts.append({"constant": 0, "linear": r,
                        "saturation": (1 - math.exp(-2 * r)) / 2}[mode])
    return [[a + amount * ((a - b) / 1e-5) for a, b in zip(at, inner)]
            for at, inner, amount in zip(evaluate(map, border),
                                         evaluate(map, inside), amounts)]


def inputs_of(map):
    if map["kind"] != "product":
        return map["inputs"]
    return [i for factor in map["factors"] for i in inputs_of(factor)]


def decimal(text):
    try:
        return Decimal(text.strip())
    except InvalidOperation:
        return None


def find(text, names, numeric):  # the place of an equal text, else number
    if text in names or not numeric:
        return names.index(text) if text in names else None
    number = decimal(text)
    return next((i for i, name in enumerate(names)
                 if number is not None and Decimal(name) == number), None)


def value(each, text, group):  # a number, or a list of levels
    if each["kind"] == "number":
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(f"{each['column']}: expected a number, got {text}")
        return (number - each["center"][group]) / each["half_range"][group]
    place = find(text, each["levels"], each["numeric"])
    if place is None and each["unseen"] != "edge":
        n = len(each["levels"]) if each["unseen"] == "mean" else 0
        return list(range(n))
    if place is None and each["numeric"] and decimal(text) is not None:
        near = [abs(float(level) - float(text)) for level in each["levels"]]
        place = near.index(min(near))
    return [len(each["levels"]) - 1 if place is None else place]


def time_of(text):
    number = decimal(text)
    return datetime.datetime.fromisoformat(text) if number is None else number


def predict(model, rows):
    names, groups = model["columns"], {}
    for i, row in enumerate(rows):
        text = row[names["group"]] if names["group"] else ""
        group = find(text, model["groups"]["names"],
                     model["groups"]["numeric"])
        if group is None:
            raise ValueError(f"expected a group of the model, got {text}")
        groups.setdefault(group, []).append(i)
    predictions = [0.0] * len(rows)
    for group, places in groups.items():
        if names["date"]:
            places.sort(key=lambda i: time_of(rows[i][names["date"]]))
        values = [[value(each, rows[i][each["column"]], group)
                   for each in model["inputs"]] for i in places]
        for effect in model["effects"]:
            beta = effect["coefficients"][group]
            points = [[row[i] for i in inputs_of(effect["map"])]
                      for row in values]
            for i, row in zip(places, features(effect["map"], points)):
                predictions[i] += sum(a * b for a, b in zip(row, beta))
    return predictions


def main(model, data):
    with open(model, encoding="utf-8") as file:
        model = json.load(file)
    if model["format"] != "tamc-model" or model["version"] != 1:
        raise ValueError("expected a tamc-model of version 1")
    with open(data, newline="", encoding="utf-8-sig") as file:
        for prediction in predict(model, list(csv.DictReader(file))):
            print(prediction)


main(*sys.argv[1:])
