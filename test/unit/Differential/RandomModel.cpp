//===- RandomModel.cpp - random specs on random data ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RandomModel.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

using namespace tamc::reference;

//===----------------------------------------------------------------------===//
// Penalties
//===----------------------------------------------------------------------===//

static Matrix diagonal(const Vector &values) {
  Matrix p(values.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    p.at(i, i) = values[i];
  return p;
}

/// lambda * D'D, D the `order`-th difference of n numbers: D is built by taking
/// differences of the rows of the identity.
static Matrix differencePenalty(size_t n, int64_t order, double lambda) {
  std::vector<Vector> d(n, Vector(n));
  for (size_t i = 0; i < n; ++i)
    d[i][i] = 1;
  for (int64_t step = 0; step < order && !d.empty(); ++step) {
    for (size_t i = 0; i + 1 < d.size(); ++i)
      for (size_t j = 0; j < n; ++j)
        d[i][j] = d[i + 1][j] - d[i][j];
    d.pop_back();
  }
  Matrix p(n, n);
  for (const Vector &row : d)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        p.at(i, j) += lambda * row[i] * row[j];
  return p;
}

/// lambda * (1 + k^(2s)), k = 1..m.
static Vector sobolev(size_t m, double s, double lambda) {
  Vector values;
  for (size_t k = 1; k <= m; ++k)
    values.push_back(lambda * (1 + std::pow(double(k), 2 * s)));
  return values;
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

namespace {

/// Text of a term, parameter by parameter.
class Text {
public:
  Text(std::string kind, const std::string &feature)
      : text(std::move(kind) + "(" + feature) {}
  Text &add(const std::string &key, const std::string &value) {
    text += ", " + key + "=" + value;
    return *this;
  }
  Text &add(const std::string &key, int64_t value) {
    return add(key, std::to_string(value));
  }
  std::string str() const { return text + ")"; }

private:
  std::string text;
};

} // namespace

static double addPenaltyAndMode(Random &random, Text &text) {
  double ap = random.pick<double>({-6, -4, -3, -2.5, -1, 0});
  text.add("ap", toText(ap));
  // One time in five the term's own default.
  if (random.integer(0, 4) > 0)
    text.add("extrapolate",
             random.pick<std::string>(
                 {"continue", "'constant'", "linear", "\"saturation\""}));
  return std::pow(10.0, ap);
}

static const std::vector<std::string> kContinuous{"a", "b", "hour"};

static RandomTerm randomLinear(Random &random) {
  Text text("l", random.pick(kContinuous));
  if (random.flip())
    text.add("scaled", toText(random.uniform(-3, 3)));
  double lambda = addPenaltyAndMode(random, text);
  return {text.str(), [=](size_t) { return diagonal({lambda}); }};
}

static RandomTerm randomFourier(Random &random) {
  Text text("f", random.pick(kContinuous));
  double s = 1;
  text.add("m", random.integer(1, 6));
  if (random.flip()) {
    s = random.pick<double>({0, 0.5, 2});
    text.add("s", toText(s));
  }
  if (random.flip())
    text.add("cyclic", random.flip() ? "True" : "False");
  if (random.flip())
    text.add("period", random.pick<std::string>(
                           {"None", "'auto'", "(0, 24)", "(-1.5, 2.25)"}));
  double lambda = addPenaltyAndMode(random, text);
  return {text.str(), [=](size_t columns) {
            Vector both = sobolev(columns / 2, s, lambda), half = both;
            both.insert(both.end(), half.begin(), half.end());
            return diagonal(both);
          }};
}

static RandomTerm randomSpline(Random &random) {
  // At full hours a spline of degree 0 would jump.
  int64_t degree = random.integer(0, 4);
  Text text("s", degree == 0 ? "a" : random.pick(kContinuous));
  int64_t intervals = random.integer(1, 12);
  text.add("k", intervals).add("deg", degree);
  int64_t order = 2;
  if (random.flip() || intervals + degree <= order) {
    order = random.integer(0, std::min<int64_t>(3, intervals + degree - 1));
    text.add("p", order);
  }
  double lambda = addPenaltyAndMode(random, text);
  return {text.str(), [=](size_t columns) {
            return differencePenalty(columns, order, lambda);
          }};
}

static RandomTerm randomChebyshev(Random &random) {
  Text text("p", random.pick(kContinuous));
  text.add("deg", random.integer(1, 6));
  double s = 0;
  if (random.flip()) {
    s = random.pick<double>({0.5, 1, 2});
    text.add("s", toText(s));
  }
  double lambda = addPenaltyAndMode(random, text);
  return {text.str(), [=](size_t columns) {
            return diagonal(sobolev(columns, s, lambda));
          }};
}

static RandomTerm randomCategory(Random &random) {
  std::string topo =
      random.pick<std::string>({"nominal", "ordinal", "fourier"});
  // Without n_cat levels are counted, and may be text.
  bool isCounted = random.flip();
  std::string feature = random.pick<std::string>(
      isCounted && topo != "fourier" ? std::vector<std::string>{"code", "day"}
                                     : std::vector<std::string>{"code"});
  Text text("c", feature);
  if (!isCounted)
    // Fewer levels than codes, as many, and more.
    text.add("n_cat", random.integer(4, 7));
  int64_t order = 0;
  if (random.flip() || topo != "nominal")
    text.add("topo", "'" + topo + "'");
  if (topo == "ordinal") {
    order = random.integer(0, 3);
    text.add("p_order", order);
  }
  if (isCounted && topo != "fourier" && random.flip())
    text.add("unseen", random.pick<std::string>({"edge", "mean", "zero"}));
  // In mode continue, codes beyond the range are only clipped; all modes must
  // agree with that.
  double lambda = addPenaltyAndMode(random, text);
  if (topo == "fourier")
    return {text.str(), [=](size_t columns) {
              return diagonal(Vector(columns, 2 * lambda));
            }};
  return {text.str(), [=](size_t columns) {
            return differencePenalty(columns, order, lambda);
          }};
}

static RandomTerm randomTerm(Random &random) {
  switch (random.integer(0, 4)) {
  case 0:
    return randomLinear(random);
  case 1:
    return randomFourier(random);
  case 2:
    return randomSpline(random);
  case 3:
    return randomChebyshev(random);
  default:
    return randomCategory(random);
  }
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

static const std::vector<std::string> kColumns{"g",    "t",    "w",   "a", "b",
                                               "hour", "code", "day", "y"};
static const std::vector<std::string> kDays{"mon", "tue, wed", "a \"b\"",
                                            "sun"};

/// One row; `spread` widens the features beyond the training range.
static std::vector<std::string> randomRow(Random &random,
                                          const std::string &group,
                                          int64_t time, double spread) {
  double a = 5 + spread * random.normal();
  double b = (group.size() > 1 ? -40 : 3) * random.uniform(0, spread);
  int64_t hour = random.integer(0, 23);
  int64_t code = random.integer(0, 4);
  std::string day = random.pick(kDays);
  if (spread > 1) {
    // Codes and texts unseen in training.
    if (random.integer(0, 3) == 0)
      code = random.integer(-3, 9);
    if (random.integer(0, 3) == 0)
      day = random.pick<std::string>({"zzz", "aaa"});
  }
  double y = 3 + std::sin(a) + 0.1 * b + std::cos(double(hour) / 4) +
             double(code) + random.normal();
  return {group,
          std::to_string(time),
          toText(random.uniform(0.05, 4)),
          toText(a),
          toText(b),
          std::to_string(hour),
          std::to_string(code),
          day,
          toText(y)};
}

static Table randomTable(Random &random, const std::vector<std::string> &groups,
                         int64_t most, double spread) {
  Table table{kColumns, {}};
  for (const std::string &group : groups)
    for (int64_t time = 0, rows = random.integer(most / 4 + 1, most);
         time < rows; ++time)
      table.rows.push_back(randomRow(random, group, time, spread));
  for (size_t i = table.rows.size(); i > 1; --i)
    std::swap(table.rows[i - 1], table.rows[random.integer(0, i - 1)]);
  return table;
}

RandomModel::RandomModel(uint32_t seed) {
  Random random(seed);
  for (int64_t i = random.integer(1, 5); i > 0; --i)
    terms.push_back(randomTerm(random));
  // Groups that sort as numbers, and groups that sort as text.
  std::vector<std::string> groups =
      random.flip() ? std::vector<std::string>{"9", "10", "-1.5"}
                    : std::vector<std::string>{"b", "aa", "B"};
  groups.resize(random.integer(1, 3));
  if (groups.size() > 1 || random.flip())
    group = "g";
  if (random.flip())
    date = "t";
  if (random.flip())
    weights = "w";
  // One model in eight has groups of more than one segment.
  int64_t most = random.integer(0, 7) == 0 ? 6000 : random.integer(20, 300);
  train = randomTable(random, groups, most, 1);
  // Every level occurs in training.
  size_t code = train.column("code"), day = train.column("day");
  for (size_t i = 0; i < 5; ++i) {
    train.rows[i][code] = std::to_string(i);
    train.rows[i][day] = kDays[i % kDays.size()];
  }
  fresh = randomTable(random, groups, 60, 3);
  chunkRows = random.integer(1, most);
}

std::string RandomModel::formula() const {
  std::string text = "y ~ ";
  for (size_t i = 0; i < terms.size(); ++i)
    text += (i ? " + " : "") + terms[i].text;
  return text;
}

std::string RandomModel::yaml() const {
  std::string text = "name: random\nformula: >-\n  " + formula() + "\n";
  for (const auto &[key, value] :
       {std::pair("group", group), {"date", date}, {"weights", weights}})
    if (!value.empty())
      text += std::string(key) + ": " + value + "\n";
  return text;
}
