# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The learnt numbers, the map and the penalty of each term (docs/math.md
section 3).

Every effect has `columns`, `penalty`, points(rows, group): the point of every
row, in the time order of the group, and row(point): its part of the design.
`training` is {group: rows}, groups and rows in order; `state` replaces drawn
numbers: W1, b1, .. (W and b for one layer), centers, gamma, features,
thresholds."""

import math

from . import data, maps, penalties
from .generator import Generator


class Effect:
    """A term of normalised inputs, one coordinate each."""

    def __init__(self, term, inputs):
        self.term = term
        self.inputs = inputs
        self.scale = 10.0 ** term["ap"]

    def points(self, rows, group):
        columns = [each.column(rows, group) for each in self.inputs]
        return [list(point) for point in zip(*columns)]

    def training_points(self, training):
        return [point for name, rows in training.items()
                for point in self.points(rows, name)]

    def row(self, point):
        # Choice: a flat tree with `others` takes the whole vector as well.
        # Thresholds are within the range, so both choices are nearly the same.
        return maps.beyond(self.map, self.term["extrapolate"], point)


def _plain_inputs(term, training):
    return [data.plain_input(training, feature)
            for feature in [term["feature"], *term.get("others", [])]]


def _widened(lo, hi):
    return (lo - 1e-3, hi + 1e-3) if lo == hi else (lo, hi)


class Linear(Effect):
    def __init__(self, term, training, state):
        super().__init__(term, _plain_inputs(term, training))
        self.columns, self.penalty = 1, penalties.diagonal([self.scale])

    def map(self, point):
        return [(0, self.term["scaled"] * point[0])]


class Fourier(Effect):
    def __init__(self, term, training, state):
        if term["period"] is None:
            inputs = _plain_inputs(term, training)
        else:
            inputs = [data.period_input(training, term["feature"],
                                        term["period"])]
        super().__init__(term, inputs)
        self.columns = 2 * term["m"]
        self.penalty = penalties.diagonal(
            2 * penalties.sobolev(term["m"], term["s"], self.scale))

    def map(self, point):
        return maps.fourier(point[0], self.term["m"], self.term["cyclic"])


class Spline(Effect):
    def __init__(self, term, training, state):
        super().__init__(term, _plain_inputs(term, training))
        xs = [point[0] for point in self.training_points(training)]
        self.lo, self.hi = _widened(min(xs), max(xs))
        physical = term["kind"] == "phys"
        self.degree = term["spline_degree" if physical else "deg"]
        self.columns = term["k"] + self.degree
        self.penalty = (
            penalties.differential(self.columns, term["weights"], self.scale)
            if physical else
            penalties.difference(self.columns, term["p"], self.scale))

    def map(self, point):
        return maps.spline(point[0], self.term["k"], self.degree, self.lo,
                           self.hi)


class Harmonic(Effect):
    """phys with basis='fourier'."""

    def __init__(self, term, training, state):
        super().__init__(term, _plain_inputs(term, training))
        self.columns = term["n_coeffs"]
        self.penalty = penalties.harmonic(self.columns // 2, term["weights"],
                                          self.scale)

    def map(self, point):
        return maps.fourier(point[0], self.columns // 2, self.term["cyclic"])


class Categorical(Effect):
    def __init__(self, term, training, state):
        feature, n, topo = term["feature"], term["n_cat"], term["topo"]
        self.trained = None
        if topo == "fourier" and n is None:
            n = 1 + int(max(float(row[feature]) for rows in training.values()
                            for row in rows))
        if n is None or term["levels"]:
            source = data.Levels(training, feature, n, term["unseen"])
            n, self.trained = source.n, len(source.levels)
        else:
            source = data.code_input(training, feature, n)
        super().__init__(term, [source])
        self.n = n
        if topo == "fourier":
            self.columns = 2 * (n // 2 + n % 2)
            self.penalty = penalties.diagonal(
                [2 * self.scale] * self.columns)
        else:
            self.columns = n
            order = term["p_order"] if topo == "ordinal" else 0
            self.penalty = penalties.difference(n, order, self.scale)

    def map(self, point):
        if self.term["topo"] == "fourier":
            return maps.fourier(point[0], self.columns // 2, False)
        return maps.onehot(point[0], self.n, self.trained)


class Chebyshev(Effect):
    def __init__(self, term, training, state):
        super().__init__(term, _plain_inputs(term, training))
        self.columns = term["deg"]
        self.penalty = penalties.diagonal(
            penalties.sobolev(self.columns, term["s"], self.scale))

    def map(self, point):
        return maps.chebyshev(point[0], self.columns)


class Wavelet(Effect):
    def __init__(self, term, training, state):
        super().__init__(term, _plain_inputs(term, training))
        # Choice: the range of the normalised training values of all groups, as
        # for s, but not widened when they are all equal: "span 1 when hi = lo".
        xs = [point[0] for point in self.training_points(training)]
        self.lo, self.hi = min(xs), max(xs)
        self.columns = term["n_scales"] * term["n_locations"]
        self.penalty = penalties.diagonal(
            self.scale * 4.0 ** i for i in range(term["n_scales"])
            for _ in range(term["n_locations"]))

    def map(self, point):
        return maps.wavelet(point[0], self.term["n_scales"],
                            self.term["n_locations"], self.lo, self.hi)


class Neural(Effect):
    def __init__(self, term, training, state):
        super().__init__(term, _plain_inputs(term, training))
        n = self.columns = term["n_neurons"]
        self.penalty = penalties.diagonal([self.scale] * n)
        generator = Generator(term["seed"])
        self.layers = []
        fan = len(self.inputs)
        for layer in range(1, term["n_hidden_layers"] + 1):
            shrink = 1.0 if layer == 1 else 1 / math.sqrt(n)
            drawn = [value * shrink for value in generator.normals(fan * n)]
            weights = [drawn[i * n:(i + 1) * n] for i in range(fan)]
            if term["act"] == "cos":
                bias = [2 * math.pi * generator.uniform() for _ in range(n)]
            else:
                bias = generator.normals(n)
            if layer == 1:
                state = dict({"W1": state.get("W"), "b1": state.get("b")},
                             **state)
            self.layers.append((state.get(f"W{layer}") or weights,
                                state.get(f"b{layer}") or bias))
            fan = n

    def map(self, point):
        return maps.neural(point, self.layers, self.term["act"])


class Radial(Effect):
    def __init__(self, term, training, state):
        super().__init__(term, _plain_inputs(term, training))
        m = self.columns = term["n_centers"]
        self.penalty = penalties.diagonal([self.scale] * m)
        rows = self.training_points(training)
        self.centers = state.get("centers")
        if self.centers is None:
            generator = Generator(term["seed"])
            drawn = (generator.permutation(len(rows))[:m] if len(rows) > m
                     else [generator.below(len(rows)) for _ in range(m)])
            self.centers = [rows[i] for i in drawn]
        self.gamma = (term["gamma"] or state.get("gamma")
                      or self._typical_gamma(rows[:1000]))

    @staticmethod
    def _typical_gamma(rows):
        n = len(rows)
        # Of all ordered pairs: n zeros, then every distance twice.
        place = (n * n - 1) // 2
        median = 0.0
        if place >= n:
            pairs = sorted(math.dist(rows[i], rows[j]) for i in range(n)
                           for j in range(i))
            median = pairs[(place - n) // 2]
        return 1 / median ** 2 if median else 1.0

    def map(self, point):
        return maps.radial(point, self.centers, self.gamma, self.term["nu"])


def quantile(ordered, level):
    h = level * (len(ordered) - 1)
    i = math.floor(h)
    t = h - i
    a, b = ordered[i], ordered[min(i + 1, len(ordered) - 1)]
    return a + (b - a) * t if t < .5 else b - (b - a) * (1 - t)


class Tree(Effect):
    """t, and the trees of lt."""

    def __init__(self, term, training, state):
        super().__init__(term, _plain_inputs(term, training))
        self.flat = term["max_leaves"] is not None
        self.leaves = term["max_leaves"] or 2 ** term["max_depth"]
        self.trees = term["n_trees"]
        rows = self.training_points(training)
        self._draw(rows)
        self.features = state.get("features") or self.features
        self.thresholds = state.get("thresholds") or self.thresholds
        self.columns = self.trees * self.leaves
        self.weights = [1.0] * self.columns
        if term["sp_alpha"]:
            # Choice: C counts the rows of all groups, unweighted; every tree
            # has the same mean(C), so it does not matter which is used.
            counts = [0] * self.columns
            for point in rows:
                for leaf in self.leaves_of(point):
                    counts[leaf] += 1
            mean = sum(counts) / len(counts)
            self.weights = [((count + 1) / mean) ** -term["sp_alpha"]
                            for count in counts]
        self.penalty = penalties.diagonal(self.scale * w for w in self.weights)

    def _draw(self, rows):
        generator = Generator(self.term["seed"])
        inputs = len(self.inputs)
        per_tree = 1 if self.flat else self.term["max_depth"]
        self.features = [[generator.below(inputs) for _ in range(per_tree)]
                         for _ in range(self.trees)]
        if self.term["split_strategy"] == "quantile":
            ordered = [sorted(column) for column in zip(*rows)]

            def place(feature, level):
                return quantile(ordered[feature], level)
        else:
            values = [x for point in rows for x in point]
            lo, hi = _widened(min(values), max(values))

            def place(feature, level):
                return (hi - lo) * level + lo
        if not self.flat:
            self.thresholds = [[place(feature, generator.uniform())
                                for feature in tree]
                               for tree in self.features]
        elif self.trees == 1:
            # Choice: levels i/M. No golden number tells lo + i*(hi-lo)/M from
            # (hi-lo)*(i/M) + lo, nor may a tie with a training value.
            feature = self.features[0][0]
            self.thresholds = [[place(feature, i / self.leaves)
                                for i in range(1, self.leaves)]]
        else:
            self.thresholds = [
                sorted(place(tree[0], generator.uniform())
                       for _ in range(self.leaves - 1))
                for tree in self.features]

    def leaves_of(self, point):
        """The columns of the leaves, one per tree."""
        find = maps.leaf_flat if self.flat else maps.leaf_oblivious
        return [b * self.leaves + find(point, features, thresholds)
                for b, (features, thresholds)
                in enumerate(zip(self.features, self.thresholds))]

    def map(self, point):
        return [(leaf, 1 / math.sqrt(self.trees))
                for leaf in self.leaves_of(point)]


class LinearTree(Effect):
    def __init__(self, term, training, state):
        self.tree = Tree(term, training, state)
        # Choice: the slope's coordinate comes last, after `others`, also when
        # it repeats one; it takes part in the distance beyond the range.
        super().__init__(term, self.tree.inputs
                         + [data.plain_input(training, term["slope"])])
        m = self.tree.leaves
        self.columns = 2 * m
        weights = self.tree.weights
        self.penalty = penalties.diagonal(
            [self.scale * w for w in weights]
            + [self.scale * (w + 1) for w in weights])

    def map(self, point):
        (leaf, one), = self.tree.map(point[:-1])
        return [(leaf, one), (self.tree.leaves + leaf,
                              one * (math.pi * point[-1]))]


class Pid(Effect):
    """Its point is x, the integral and the derivative."""

    def __init__(self, term, training, state):
        super().__init__(term, _plain_inputs(term, training))
        self.columns = 3
        self.penalty = penalties.diagonal(
            [self.scale, self.scale, self.scale * term["d_pen"]])

    def points(self, rows, group):
        xs = self.inputs[0].column(rows, group)
        window = min(self.term["w"], len(xs))
        points = []
        for t, x in enumerate(xs):
            if window:
                integral = math.fsum(xs[max(0, t - window + 1):t + 1]) / window
            else:
                integral = math.fsum(xs[:t + 1])
            # Choice: the value before the first is 0, not the first itself.
            points.append([x, integral, x - (xs[t - 1] if t else 0.0)])
        return points

    def map(self, point):
        return list(enumerate(point))


class Tensor(Effect):
    """A point consists of those of its factors, one after another."""

    def __init__(self, term, training, state):
        super().__init__(term, [])
        # Choice: the state of a factor is state["0"], state["1"], ...
        self.factors = [make(factor, training, state.get(str(i), {}))
                        for i, factor in enumerate(term["factors"])]
        sizes = [factor.columns for factor in self.factors]
        self.columns = math.prod(sizes)
        self.penalty = penalties.tensor(
            [factor.penalty for factor in self.factors], sizes, self.scale)
        some = {name: rows[:1] for name, rows in training.items()}
        self.widths = [len(factor.training_points(some)[0])
                       for factor in self.factors]

    def points(self, rows, group):
        parts = [factor.points(rows, group) for factor in self.factors]
        return [[x for part in point for x in part] for point in zip(*parts)]

    def map(self, point):
        rows, first = [], 0
        for factor, width in zip(self.factors, self.widths):
            rows.append(factor.row(point[first:first + width]))
            first += width
        return maps.kronecker(rows, [f.columns for f in self.factors])


KINDS = {"l": Linear, "f": Fourier, "s": Spline, "c": Categorical,
         "p": Chebyshev, "w": Wavelet, "n": Neural, "rbf": Radial, "t": Tree,
         "lt": LinearTree, "te": Tensor, "pid": Pid}


def make(term, training, state):
    if term["kind"] == "phys":
        kind = Spline if term["basis"] == "spline" else Harmonic
    else:
        kind = KINDS[term["kind"]]
    return kind(term, training, state)
