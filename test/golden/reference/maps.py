# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feature maps of one point (docs/math.md section 3). A row of the design is a
list of (column, value); columns that are absent are 0."""

import math

EPS = 1e-5


def fourier(x, m, cyclic):
    step = math.pi * x if cyclic else math.pi * x / 2
    angles = [k * step for k in range(1, m + 1)]
    return ([(k, math.cos(a)) for k, a in enumerate(angles)]
            + [(m + k, math.sin(a)) for k, a in enumerate(angles)])


def spline(x, k, degree, lo, hi):
    step = (hi - lo) / k
    knots = ([lo] * (degree + 1) + [lo + i * step for i in range(1, k)]
             + [hi] * (degree + 1))
    x = min(max(x, lo), hi - 1e-6)
    basis = [1.0 if knots[i] <= x < knots[i + 1] else 0.0
             for i in range(len(knots) - 1)]
    for d in range(1, degree + 1):
        def part(numerator, gap, value):
            return 0.0 if gap <= 1e-8 else numerator / gap * value
        basis = [part(x - knots[i], knots[i + d] - knots[i], basis[i])
                 + part(knots[i + d + 1] - x, knots[i + d + 1] - knots[i + 1],
                        basis[i + 1])
                 for i in range(len(basis) - 1)]
    return [(i, value) for i, value in enumerate(basis) if value]


def chebyshev(x, degree):
    values = [1.0, x]
    while len(values) <= degree:
        values.append(2 * x * values[-1] - values[-2])
    return [(k - 1, values[k]) for k in range(1, degree + 1)]


def onehot(x, n, trained):
    """`trained` levels of the n have been seen in training."""
    if x == "mean":
        return [(i, 1.0 / trained) for i in range(trained)]
    if x == "zero":
        return []
    # round() of Python rounds half to even, as docs/math.md asks.
    return [(min(max(round((x + 1) / 2 * (n - 1)), 0), n - 1), 1.0)]


def linspace(lo, hi, count):
    if count == 1:
        return [lo]
    return [lo + (hi - lo) / (count - 1) * i for i in range(count - 1)] + [hi]


def wavelet(x, scales, locations, lo, hi):
    row = []
    for i in range(scales):
        a = 2.0 ** -i * 0.2 * (hi - lo if hi > lo else 1.0)
        for centre in linspace(lo, hi, locations):
            u = (x - centre) / a
            row.append((len(row), (1 - u * u) * math.exp(-u * u / 2)
                        / math.sqrt(a)))
    return row


ACTIVATIONS = {"relu": lambda v: max(v, 0.0), "cos": math.cos,
               "tanh": math.tanh}


def neural(point, layers, act):
    """`layers` are pairs of W (a list of rows) and b."""
    h = point
    for weights, bias in layers:
        h = [ACTIVATIONS[act](math.fsum(v * row[j]
                                        for v, row in zip(h, weights)) + b)
             for j, b in enumerate(bias)]
    return [(j, v / math.sqrt(len(h))) for j, v in enumerate(h)]


def matern(r, nu):
    """2^(1-nu)/Gamma(nu) r^nu K_nu(r), for any nu > 0.

    By its integral 1/Gamma(nu) * int_0^oo s^(nu-1) exp(-s - r^2/(4s)) ds. With
    s = e^v the integrand is analytic within |Im v| < pi/2 and decreases on both
    sides, so that the error of the trapezoidal rule with step h is about
    exp(-pi^2/h + nu + r). The peak has width 1/sqrt(nu + r) and needs a step
    proportional to it."""
    if r == 0:
        return 1.0

    def exponent(v):
        return nu * v - math.exp(v) - r * r / 4 * math.exp(-v)

    h = 0.2 / max(1.0, math.sqrt((nu + r) / 8))
    top = math.log((nu + math.hypot(nu, r)) / 2)
    terms = [exponent(top)]
    for direction in (-h, h):
        v = top
        while not terms[-1] < terms[0] - 50 or v == top:
            v += direction
            terms.append(exponent(v))
    return h * math.fsum(map(math.exp, (t - math.lgamma(nu) for t in terms)))


def radial(point, centers, gamma, nu):
    row = []
    for i, center in enumerate(centers):
        d2 = math.fsum((a - b) ** 2 for a, b in zip(point, center))
        if nu is None:
            value = math.exp(-gamma * d2)
        else:
            r = math.sqrt(2 * nu * gamma * d2)
            if nu == .5:
                value = math.exp(-r)
            elif nu == 1.5:
                value = (1 + r) * math.exp(-r)
            elif nu == 2.5:
                value = (1 + r + r * r / 3) * math.exp(-r)
            else:
                value = matern(r, nu)
        row.append((i, value))
    return row


def leaf_oblivious(point, features, thresholds):
    return sum(2 ** j for j, (feature, threshold)
               in enumerate(zip(features, thresholds))
               if point[feature] > threshold)


def leaf_flat(point, features, thresholds):
    return sum(threshold < point[features[0]] for threshold in thresholds)


def kronecker(rows, columns):
    """Row-wise product of sparse rows, the last fastest."""
    product = [(0, 1.0)]
    for row, n in zip(rows, columns):
        product = [(i * n + j, a * b) for i, a in product for j, b in row]
    return product


def beyond(phi, mode, point):
    """The row of `phi` at a point that may be outside of [-1, 1]^d."""
    def clamp(x):
        # An unseen level has no coordinate.
        return x if isinstance(x, str) else min(max(x, -1.0), 1.0)

    border = [clamp(x) for x in point]
    delta = [0.0 if x == b else x - b for x, b in zip(point, border)]
    r = math.sqrt(math.fsum(d * d for d in delta))
    if mode == "continue" or r == 0:
        return phi(point)
    inside = dict(phi(border))
    if mode == "constant":
        return sorted(inside.items())
    back = dict(phi([b - EPS * (d / r) if d else b
                     for b, d in zip(border, delta)]))
    reach = r if mode == "linear" else (1 - math.exp(-2 * r)) / 2
    return [(i, inside.get(i, 0.0) + reach *
             (inside.get(i, 0.0) - back.get(i, 0.0)) / EPS)
            for i in sorted(set(inside) | set(back))]
