# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random formulas of all thirteen terms, and random rows for them: small enough
for the oracle, with penalties that give a well-conditioned system."""

MODES = ("continue", "constant", "linear", "saturation")
# Columns of numbers, and the levels of the column k.
FEATURES = ("a", "b", "d")
LEVELS = 5


class Formula:
    """Draws 1 to `terms` terms of about 40 columns each, or, if there are more
    than five, of about 200 columns in total."""

    def __init__(self, rng, terms=5):
        self.rng = rng
        self.terms = terms

    def text(self):
        count = self.rng.randint(1, self.terms)
        columns = 40 if count <= 5 else 200 // count
        terms = [self.term(columns) for _ in range(count)]
        return "y ~ " + " + ".join(term for term, _ in terms)

    def term(self, most, depth=0):
        """A term of at most about `most` columns, and its number of columns."""
        draws = [self.linear, self.fourier, self.spline, self.category,
                 self.polynomial, self.wavelet, self.neural, self.radial,
                 self.tree, self.linear_tree, self.physics, self.pid]
        if depth < 2 and most >= 6:
            draws += [self.tensor] * 3
        while True:
            draw = self.rng.choice(draws)
            found = draw(most) if draw != self.tensor else draw(most, depth)
            if found[1] <= most:
                return found

    def ap(self):
        return f"ap={self.rng.choice((-2.5, -2, -1.5, -1, 0))}"

    def mode(self, modes=MODES):
        """Often the term's own default."""
        if self.rng.random() < .3:
            return ""
        return f", extrapolate='{self.rng.choice(modes)}'"

    def feature(self):
        return self.rng.choice(FEATURES)

    def others(self, first):
        """Often none; the feature itself may be among them."""
        if self.rng.random() < .4:
            return ""
        names = self.rng.sample(FEATURES, self.rng.randint(1, 2))
        return f", others='{'|'.join(n for n in names)}'"

    def linear(self, most):
        return (f"l({self.feature()}, scaled={self.rng.uniform(.5, 4):.3f}, "
                f"{self.ap()}{self.mode()})", 1)

    def fourier(self, most):
        m = self.rng.randint(1, 6)
        period = self.rng.choice(("", "", ", cyclic=True", ", period='auto'",
                                  ", period=(-3, 9.5)"))
        return (f"f({self.feature()}, m={m}, s={self.rng.choice((0, 1, 2))}"
                f"{period}, {self.ap()}{self.mode()})", 2 * m)

    def spline(self, most):
        k, deg = self.rng.randint(1, 12), self.rng.randint(1, 4)
        order = self.rng.randint(0, min(2, k + deg - 1))
        return (f"s({self.feature()}, k={k}, deg={deg}, p={order}, "
                f"{self.ap()}{self.mode()})",
                k + deg)

    def category(self, most):
        topo = self.rng.choice(("nominal", "ordinal", "fourier"))
        levels = self.rng.choice((f", n_cat={LEVELS}", ""))
        return f"c(k{levels}, topo='{topo}', {self.ap()})", LEVELS

    def polynomial(self, most):
        deg = self.rng.randint(1, 7)
        return (f"p({self.feature()}, deg={deg}, s={self.rng.choice((0, 1))}, "
                f"{self.ap()}{self.mode()})", deg)

    def wavelet(self, most):
        scales, locations = self.rng.randint(1, 3), self.rng.randint(1, 8)
        return (f"w({self.feature()}, n_scales={scales}, "
                f"n_locations={locations}, {self.ap()}{self.mode()})",
                scales * locations)

    def neural(self, most):
        neurons = self.rng.randint(1, 20)
        act = self.rng.choice(("relu", "cos", "tanh"))
        name = self.feature()
        return (f"n({name}{self.others(name)}, n_neurons={neurons}, "
                f"act='{act}', n_hidden_layers={self.rng.randint(1, 3)}, "
                f"seed={self.rng.randint(0, 10 ** 6)}, {self.ap()}"
                f"{self.mode()})", neurons)

    def radial(self, most):
        centers = self.rng.randint(1, 12)
        gamma = self.rng.choice(("", f", gamma={self.rng.uniform(.1, 4):.3f}"))
        nu = self.rng.choice(("", ", nu=0.5", ", nu=1.5", ", nu=2.5",
                              f", nu={self.rng.uniform(.2, 6):.2f}"))
        name = self.feature()
        return (f"rbf({name}{self.others(name)}, n_centers={centers}{gamma}"
                f"{nu}, seed={self.rng.randint(0, 10 ** 6)}, {self.ap()}"
                f"{self.mode()})", centers)

    def tree_shape(self):
        """Parameters that t and lt have in common, leaves, whether oblivious."""
        split = self.rng.choice(("uniform", "quantile"))
        alpha = self.rng.choice(("", ", sp_alpha=0.5", ", sp_alpha=1"))
        tail = (f"split_strategy='{split}'{alpha}, "
                f"seed={self.rng.randint(0, 10 ** 6)}, {self.ap()}")
        if self.rng.random() < .5:
            depth = self.rng.randint(1, 3)
            return f"max_depth={depth}, {tail}", 2 ** depth, True
        leaves = self.rng.randint(2, 6)
        return f"max_leaves={leaves}, {tail}", leaves, False

    def tree(self, most):
        trees = self.rng.randint(1, 6)
        shape, leaves, oblivious = self.tree_shape()
        name = self.feature()
        others = self.others(name)
        # A flat tree has a slope at the border only if it has one input.
        modes = MODES if oblivious or not others else ("continue", "constant")
        return (f"t({name}{others}, n_trees={trees}, {shape}"
                f"{self.mode(modes)})", trees * leaves)

    def linear_tree(self, most):
        shape, leaves, _ = self.tree_shape()
        name = self.feature()
        slope = self.rng.choice(("", f", slope='{self.feature()}'"))
        return (f"lt({name}{self.others(name)}{slope}, {shape}{self.mode()})",
                2 * leaves)

    def physics(self, most):
        weights = "".join(f", D{order}={self.rng.uniform(.2, 2):.2f}"
                          for order in range(4) if self.rng.random() < .4)
        name = self.feature()
        if self.rng.random() < .5:
            m = self.rng.randint(1, 6)
            return (f"phys({name}, basis='fourier', n_coeffs={2 * m}{weights}, "
                    f"{self.ap()}{self.mode()})", 2 * m)
        k, degree = self.rng.randint(4, 12), self.rng.randint(1, 3)
        return (f"phys({name}, k={k}, spline_degree={degree}{weights}, "
                f"{self.ap()}{self.mode()})", k + degree)

    def pid(self, most):
        return (f"pid({self.feature()}, w={self.rng.randint(0, 9)}, "
                f"d_pen={self.rng.uniform(.5, 20):.2f}, {self.ap()})", 3)

    def tensor(self, most, depth):
        factors, columns = [], 1
        for _ in range(self.rng.choice((2, 2, 3))):
            room = most // columns
            if factors and len(factors) > 1 and room < 2:
                break
            text, count = self.term(max(room // 2, 1), depth + 1)
            factors.append(text)
            columns *= count
        inner = ", ".join(factors)
        mode = "" if "pid(" in inner else self.mode()
        return f"te({inner}, {self.ap()}{mode})", columns


def random_rows(rng, groups, most, spread):
    """2 to `most` rows per group, shuffled; weights w."""
    rows = []
    for group in groups:
        for day in range(rng.randint(2, most)):
            row = {"day": day, "g": group, "w": repr(rng.uniform(.1, 3)),
                   "k": rng.randint(0, LEVELS - 1),
                   "y": repr(rng.gauss(1, 2))}
            for mean, name in zip((5, 0, -2), FEATURES):
                row[name] = repr(rng.gauss(mean, spread))
            rows.append(row)
    rng.shuffle(rows)
    return rows


def with_all_levels(rows):
    """The rows, of which the first have each level of k: so both sides know all
    codes."""
    for level, row in zip(range(LEVELS), rows):
        row["k"] = level
    return rows


def random_model(rng, terms=5, rows=80, formula=None):
    """A formula of up to `terms` terms and rows to fit and to predict it with,
    in the same one to four groups. The formula is drawn unless given."""
    formula = formula or Formula(rng, terms).text()
    groups = [str(n) for n in range(9, 9 + rng.randint(1, 4))]
    train = with_all_levels(random_rows(rng, groups, rows, 1))
    return formula, train, random_rows(rng, groups, 20, 3)
