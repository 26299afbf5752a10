//===- RandomFormula.cpp - random formulas of all terms -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RandomFormula.h"

#include <algorithm>

using namespace tamc::reference;

/// Most columns of one term.
static constexpr int64_t kMaxColumns = 36;

namespace {

/// A term and the number of its columns.
struct Term {
  std::string text;
  int64_t columns;
};

class Formula {
public:
  explicit Formula(Random &random)
      : random(random), isFusible(random.integer(0, 2) == 0) {}

  Term term(int64_t most, int depth);
  Term linear();
  Term category();

private:
  Term draw(int depth);
  Term spline();
  Term physics();
  Term tree();
  Term product(int64_t most, int depth);

  std::string feature() {
    return random.pick<std::string>({"a", "b", "d", "h", "h"});
  }
  /// Often none.
  std::string others() {
    return random.flip() ? "" : ", others='" + feature() + "'";
  }
  std::string number(const char *key, int64_t lo, int64_t hi) {
    return std::string(", ") + key + "=" +
           std::to_string(value = integer(lo, hi));
  }
  int64_t integer(int64_t lo, int64_t hi) { return random.integer(lo, hi); }
  /// Penalty, and often a mode of extrapolation.
  std::string end() {
    std::string text = ", ap=" + random.pick<std::string>({"-2", "-1", "0"});
    if (random.flip())
      text += ", extrapolate='" +
              random.pick<std::string>(
                  {"continue", "constant", "linear", "saturation"}) +
              "'";
    return text + ")";
  }

  Random &random;
  /// Only terms that one loop over the rows supports: passes do more with
  /// these.
  bool isFusible;
  /// The last number that was written.
  int64_t value = 0;
};

} // namespace

Term Formula::linear() {
  return {"l(" + feature() + ", scaled=" + toText(random.uniform(0.5, 4)) +
              end(),
          1};
}

/// Mostly cubic: only these have layouts of their own.
Term Formula::spline() {
  std::string text = "s(" + feature() + number("k", 1, 9);
  int64_t intervals = value;
  text += number("deg", 1, 4);
  int64_t degree = value;
  if (random.flip()) {
    degree = 3;
    text = text.substr(0, text.rfind('=')) + "=3";
  }
  text += number("p", 0, std::min<int64_t>(2, intervals + degree - 1));
  return {text + end(), intervals + degree};
}

Term Formula::category() {
  bool isCounted = !isFusible && random.flip();
  std::string text = "c(day";
  if (!isCounted)
    text = random.pick<std::string>({"c(k", "c(m"}) + number("n_cat", 2, 5);
  return {text + ", topo='" + random.pick<std::string>({"nominal", "ordinal"}) +
              "', ap=-1)",
          isCounted ? 3 : value};
}

Term Formula::physics() {
  if (random.flip()) {
    int64_t m = integer(1, 3);
    return {"phys(" + feature() + ", basis='fourier', n_coeffs=" +
                std::to_string(2 * m) + ", D2=0.5" + end(),
            2 * m};
  }
  std::string text = "phys(" + feature() + number("k", 4, 6);
  int64_t intervals = value;
  text += number("spline_degree", 1, 3);
  return {text + ", D1=0.5" + end(), intervals + value};
}

Term Formula::tree() {
  bool isOblivious = random.flip();
  std::string shape =
      isOblivious ? number("max_depth", 1, 2) : number("max_leaves", 2, 4);
  int64_t leaves = isOblivious ? int64_t(1) << value : value;
  shape += random.pick<std::string>(
      {"", ", split_strategy='uniform'", ", sp_alpha=0.5"});
  if (random.flip())
    return {"lt(" + feature() + shape + end(), 2 * leaves};
  return {"t(" + feature() + number("n_trees", 1, 3) + shape + end(),
          value * leaves};
}

Term Formula::product(int64_t most, int depth) {
  Term first = term(most / 2, depth + 1);
  Term second = term(most / first.columns, depth + 1);
  Term both{"te(" + first.text + ", " + second.text,
            first.columns * second.columns};
  if (depth == 0 && both.columns * 2 <= most && random.flip()) {
    Term third = term(most / both.columns, depth + 1);
    both = {both.text + ", " + third.text, both.columns * third.columns};
  }
  // A recursion in time has only one mode.
  bool hasPid = both.text.find("pid(") != std::string::npos;
  return {both.text + (hasPid ? ", ap=-1)" : end()), both.columns};
}

Term Formula::draw(int depth) {
  int64_t last = depth < 2 ? 13 : 10;
  switch (isFusible ? random.pick<int64_t>({0, 9, 9, 10, 10, last})
                    : integer(0, last)) {
  case 0:
    return linear();
  case 1: {
    int64_t m = integer(1, 4);
    return {"f(" + feature() + ", m=" + std::to_string(m) +
                random.pick<std::string>(
                    {"", ", cyclic=True", ", period=(-3, 9.5)"}) +
                end(),
            2 * m};
  }
  case 2: {
    std::string text = "p(" + feature() + number("deg", 1, 5);
    return {text + end(), value};
  }
  case 3: {
    int64_t scales = integer(1, 2), places = integer(1, 4);
    return {"w(" + feature() + ", n_scales=" + std::to_string(scales) +
                ", n_locations=" + std::to_string(places) + end(),
            scales * places};
  }
  case 4: {
    std::string text = "n(" + feature() + others() + number("n_neurons", 1, 6);
    return {text + ", act='" +
                random.pick<std::string>({"relu", "cos", "tanh"}) + "'" + end(),
            value};
  }
  case 5: {
    std::string text =
        "rbf(" + feature() + others() + number("n_centers", 1, 6);
    return {text + random.pick<std::string>({"", ", nu=1.5"}) + end(), value};
  }
  case 6: {
    std::string text = "pid(" + feature() + number("w", 0, 5);
    return {text + ", ap=-1)", 3};
  }
  case 7:
    return tree();
  case 8:
    return physics();
  case 9:
    return category();
  case 10:
    return spline();
  default:
    // A product, or a term that one loop over the rows supports.
    return {"", 0};
  }
}

Term Formula::term(int64_t most, int depth) {
  while (true) {
    Term found = draw(depth);
    if (found.columns == 0)
      found = random.integer(0, 2) == 0   ? product(most, depth)
              : random.integer(0, 1) == 0 ? spline()
                                          : category();
    if (found.columns <= std::max<int64_t>(most, 1))
      return found;
  }
}

std::string tamc::reference::randomFormula(Random &random, int64_t terms) {
  Formula formula(random);
  std::string text = "y ~ ";
  for (int64_t i = 0, count = random.integer(1, terms); i < count; ++i) {
    text += (i ? " + " : "") + formula.term(kMaxColumns, 0).text;
    // Consecutive linear terms, and categories.
    bool isLinear = random.flip();
    for (int64_t more = random.integer(0, 3) == 0 ? random.integer(1, 4) : 0;
         more > 0; --more)
      text += " + " + (isLinear ? formula.linear() : formula.category()).text;
  }
  return text;
}

Table tamc::reference::randomRows(Random &random,
                                  const std::vector<std::string> &groups,
                                  int64_t rows, double spread) {
  Table table{{"g", "a", "b", "d", "h", "k", "m", "day", "w", "y"}, {}};
  for (const std::string &group : groups)
    for (int64_t i = random.integer(rows / 3, rows); i > 0; --i)
      table.rows.push_back({group, toText(5 + spread * random.normal()),
                            toText(random.uniform(-spread, 2 * spread)),
                            toText(spread * random.normal()),
                            toText(0.5 * double(random.integer(0, 11))),
                            std::to_string(random.integer(0, 4)),
                            std::to_string(random.integer(0, 2)),
                            random.pick<std::string>({"mon", "tue", "sun"}),
                            toText(random.uniform(0.05, 1)),
                            toText(2 + random.normal())});
  // Every level occurs.
  for (size_t i = 0; i < 5 && i < table.rows.size(); ++i) {
    table.rows[i][5] = std::to_string(i);
    table.rows[i][7] = std::vector<std::string>{"mon", "tue", "sun"}[i % 3];
  }
  return table;
}
