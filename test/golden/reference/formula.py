# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formula (docs/math.md section 1)."""

import math
import re


def split(text, separator):
    """Splits at `separator` outside parentheses and quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == separator and depth == 0:
            parts.append("")
            continue
        else:
            depth += {"(": 1, ")": -1}.get(character, 0)
        parts[-1] += character
    return [part.strip() for part in parts]


def parse_value(text):
    if text[0] in "'\"":
        return text[1:-1]
    if text[0] == "(":
        return tuple(float(part) for part in text[1:-1].split(","))
    words = {"True": True, "False": False, "None": None}
    if text in words:
        return words[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


TREE = dict(max_depth=5, max_leaves=None, seed=42, sp_alpha=0,
            split_strategy="uniform", others=None)

DEFAULTS = {
    "l": dict(scaled=math.pi, extrapolate="continue"),
    "f": dict(m=10, s=1, cyclic=False, period=None, extrapolate="continue"),
    "s": dict(k=10, deg=3, p=2, extrapolate="linear"),
    "c": dict(n_cat=None, levels=False, topo="nominal", p_order=1,
              unseen="edge", extrapolate="continue"),
    "p": dict(deg=5, s=0, extrapolate="saturation"),
    "w": dict(n_scales=5, n_locations=20, extrapolate="continue"),
    "n": dict(n_neurons=500, act="relu", seed=42, n_hidden_layers=1,
              others=None, extrapolate="linear"),
    "rbf": dict(n_centers=50, gamma=None, nu=None, seed=42, others=None,
                extrapolate="continue"),
    "t": dict(TREE, n_trees=50, extrapolate="continue"),
    "lt": dict(TREE, slope=None, n_trees=1, extrapolate="linear"),
    "te": dict(extrapolate="continue"),
    "phys": dict(basis="spline", k=20, spline_degree=3, n_coeffs=20,
                 cyclic=False, extrapolate="continue"),
    "pid": dict(w=7, d_pen=10, extrapolate="continue"),
}


def parse_term(text):
    """A term as a dict: kind, feature, others, factors (of te), weights (of
    phys, by order) and the parameters by name."""
    name, arguments = re.fullmatch(r"(\w+)\s*\((.*)\)", text,
                                   re.DOTALL).groups()
    kind = name.lower()
    term = dict(DEFAULTS[kind], kind=kind, ap=-9, factors=[], weights={})
    arguments = split(arguments, ",")
    if kind != "te":
        term["feature"] = arguments.pop(0)
    for argument in arguments:
        if kind == "te" and re.fullmatch(r"\w+\s*\(.*\)", argument, re.DOTALL):
            term["factors"].append(parse_term(argument))
            continue
        key, value = (part.strip() for part in argument.split("=", 1))
        if kind == "phys" and re.fullmatch(r"D\d+", key):
            term["weights"][int(key[1:])] = parse_value(value)
        elif key in DEFAULTS[kind] and (kind, key) != ("lt", "n_trees") \
                or key == "ap":
            term[key] = parse_value(value)
        else:
            raise ValueError(f"unknown parameter {key}")
    if "others" in term:
        term["others"] = [name.strip()
                          for name in (term["others"] or "").split("|")
                          if name.strip()]
    if kind == "lt":
        term["slope"] = term["slope"] or term["feature"]
    if kind == "phys":
        term["weights"] = term["weights"] or {2: 1.0}
    if holds_pid(term) and term["extrapolate"] != "continue":
        raise ValueError("pid knows continue only")
    return term


def holds_pid(term):
    return term["kind"] == "pid" or any(map(holds_pid, term["factors"]))


def parse(formula):
    """The target and the terms."""
    target, right = split(formula, "~")
    return target, [parse_term(text) for text in split(right, "+")
                    if text != "1"]


def _product(term):
    if term["kind"] == "te":
        return "_x_".join(map(_product, term["factors"]))
    return term["feature"]


def effect_names(terms):
    """Names of the effects, the offset's first (section 4, decompose)."""
    features = ["offset"] + [term["feature"] for term in terms
                             if term["kind"] != "te"]
    names = ["offset"]
    for term in terms:
        base = _product(term)
        # Choice: the name of a te within a te is its factors, flat.
        if term["kind"] == "te":
            base = "te_" + base
        elif features.count(base) > 1:
            base = f"{term['kind']}_{base}"
        name, count = base, 2
        while name in names:
            name, count = f"{base}_{count}", count + 1
        names.append(name)
    return names


def penalties(terms):
    """Names of the penalties but the offset's, and their terms; a product comes
    before its factors (`fit --ap`)."""
    def walk(name, term):
        yield name, term
        for i, factor in enumerate(term["factors"]):
            yield from walk(f"{name}[{i}]", factor)

    for name, term in zip(effect_names(terms)[1:], terms, strict=True):
        yield from walk(name, term)
