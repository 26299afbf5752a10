//===- Layouts.cpp - what encodings keep of a value -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Layouts.h"

#include "Algebra.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;
using tam::SumsLayout;

using Real = long double;
using Numbers = std::vector<Real>;

//===----------------------------------------------------------------------===//
// Design matrices
//===----------------------------------------------------------------------===//

/// Columns of a row that are not zero.
static std::vector<size_t> findNonZeros(const Matrix &design, size_t row) {
  std::vector<size_t> columns;
  for (size_t i = 0; i < design.columns; ++i)
    if (design.at(row, i) != 0)
      columns.push_back(i);
  return columns;
}

static bool isNear(double a, double b) { return std::abs(a - b) < 1e-12; }

/// Whether a row is empty, a single 1, or 1/m in the first m columns.
static bool isOneHot(const Matrix &design, size_t row,
                     const std::vector<size_t> &columns) {
  if (columns.size() == 1)
    return design.at(row, columns.front()) == 1;
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != i || !isNear(design.at(row, i), 1.0 / columns.size()))
      return false;
  return true;
}

/// The fewest runs of `width` neighbours that contain columns, which ascend.
static int64_t countBands(const std::vector<size_t> &columns, int64_t width) {
  int64_t count = 0;
  size_t end = 0;
  for (size_t column : columns)
    if (column >= end) {
      ++count;
      end = column + static_cast<size_t>(width);
    }
  return count;
}

static bool holds(Attribute encoding, const Matrix &design, size_t row) {
  std::vector<size_t> columns = findNonZeros(design, row);
  if (auto banded = dyn_cast<tam::BandedAttr>(encoding))
    return columns.empty() || columns.back() - columns.front() <
                                  static_cast<size_t>(banded.getWidth());
  if (auto bands = dyn_cast<tam::BandsAttr>(encoding))
    return countBands(columns, bands.getWidth()) <= bands.getCount();
  if (auto sparse = dyn_cast<tam::SparseAttr>(encoding))
    return columns.size() <= static_cast<size_t>(sparse.getWidth());
  if (isa<tam::OneHotAttr>(encoding))
    return isOneHot(design, row, columns);
  if (auto hot = dyn_cast<tam::MultiHotAttr>(encoding)) {
    // Numbers with the same column add up.
    double count = 0, scale = hot.getScale().getValueAsDouble();
    for (size_t column : columns) {
      double times = design.at(row, column) / scale;
      if (!isNear(times, std::round(times)))
        return false;
      count += std::round(times);
    }
    return count == static_cast<double>(hot.getCount());
  }
  return isa<tam::DenseAttr>(encoding) ||
         !isa<tam::DesignEncodingInterface>(encoding);
}

std::optional<size_t> tamc::reference::findMisfit(const Matrix &design,
                                                  Attribute encoding) {
  for (size_t row = 0; encoding && row < design.rows; ++row)
    if (!holds(encoding, design, row))
      return row;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bands
//===----------------------------------------------------------------------===//

namespace {

/// The band of a row: the index of the tuple of the factors' starts, with the
/// last factor fastest, and the numbers of the band.
struct Band {
  size_t start = 0;
  Vector numbers;
};

/// The bands of the rows of a product of factors.
class Bands {
public:
  Bands(ArrayRef<int64_t> widths, ArrayRef<int64_t> columns, size_t all)
      : widths(widths.begin(), widths.end()),
        columns(columns.empty()
                    ? std::vector<size_t>{all}
                    : std::vector<size_t>(columns.begin(), columns.end())) {
    for (size_t f = 0; f < this->widths.size(); ++f) {
      size *= this->widths[f];
      places.push_back(this->columns[f] - this->widths[f] + 1);
      starts *= places.back();
    }
    for (size_t start = 0; start < starts; ++start)
      bases.push_back(join(split(start, places)));
    for (size_t i = 0; i < size; ++i)
      offsets.push_back(join(split(i, this->widths)));
  }

  /// The band of a row; nullopt if a number lies outside.
  std::optional<Band> find(const Matrix &design, size_t row) const {
    std::vector<size_t> nonZeros = findNonZeros(design, row);
    std::vector<size_t> first(widths.size());
    for (size_t f = 0; f < widths.size(); ++f) {
      first[f] = columns[f] - widths[f];
      for (size_t column : nonZeros)
        first[f] = std::min(first[f], split(column, columns)[f]);
    }
    Band band;
    for (size_t f = 0; f < widths.size(); ++f)
      band.start = band.start * places[f] + first[f];
    size_t found = 0;
    for (size_t i = 0; i < size; ++i) {
      band.numbers.push_back(design.at(row, columnOf(band.start, i)));
      found += band.numbers.back() != 0;
    }
    if (found != nonZeros.size())
      return std::nullopt;
    return band;
  }

  /// The column of number `i` of the bands that begin at `start`.
  size_t columnOf(size_t start, size_t i) const {
    return bases[start] + offsets[i];
  }

  /// The tuple with index `index`, the last element fastest.
  static std::vector<size_t> split(size_t index,
                                   const std::vector<size_t> &sizes) {
    std::vector<size_t> tuple(sizes.size());
    for (size_t f = sizes.size(); f-- > 0; index /= sizes[f])
      tuple[f] = index % sizes[f];
    return tuple;
  }

  std::vector<size_t> widths, columns;
  /// Numbers of a band, and how many tuples of starts there are.
  size_t size = 1, starts = 1;

private:
  /// The column for a tuple of columns of the factors.
  size_t join(const std::vector<size_t> &tuple) const {
    size_t column = 0;
    for (size_t f = 0; f < tuple.size(); ++f)
      column = column * columns[f] + tuple[f];
    return column;
  }

  std::vector<size_t> places, bases, offsets;
};

} // namespace

/// Sums of products of bands with plain rows.
static std::optional<size_t> addPanels(const Bands &bands, const Matrix &along,
                                       const Matrix &other,
                                       const Vector *weights, Numbers &words) {
  words.assign(bands.starts * bands.size * other.columns, 0);
  for (size_t row = 0; row < along.rows; ++row) {
    auto band = bands.find(along, row);
    if (!band)
      return row;
    for (size_t j = 0; j < other.columns; ++j)
      for (size_t i = 0; i < bands.size; ++i)
        words[(band->start * other.columns + j) * bands.size + i] +=
            Real(weights ? (*weights)[row] : 1) * band->numbers[i] *
            other.at(row, j);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bands with themselves
//===----------------------------------------------------------------------===//

namespace {

/// The numbers that one panel of `upper_panels` or `cubic_panels` keeps: each
/// is the product of two numbers of the band.
struct Products {
  Products(const Bands &bands, size_t words) {
    size_t word = 0;
    for (size_t f = 1; f < bands.widths.size(); ++f)
      if (bands.widths[f] >= bands.widths[word])
        word = f;
    size_t width = bands.widths[word];
    for (size_t first = 0; first < bands.size; ++first)
      for (size_t second = 0; second < bands.size; ++second) {
        auto i = Bands::split(first, bands.widths);
        auto k = Bands::split(second, bands.widths);
        // A pair of each other factor, in order; for the word factor, the
        // distance from the first number to the second, at most half the width.
        std::vector<size_t> key;
        for (size_t f = 0; f < i.size(); ++f)
          if (f != word)
            key.insert(key.end(), {std::min(i[f], k[f]), std::max(i[f], k[f])});
        size_t r = (k[word] + width - i[word]) % width, lane = i[word];
        if (2 * r > width || (2 * r == width && k[word] < i[word])) {
          r = width - r;
          lane = k[word];
        }
        if (r >= words)
          continue;
        key.insert(key.end(), {r, lane});
        auto [place, isNew] = places.try_emplace(key, pairs.size());
        if (isNew)
          pairs.push_back({first, second});
        index[{first, second}] = place->second;
      }
  }

  std::map<std::vector<size_t>, size_t> places;
  /// The two numbers of each product, and the reverse; without an index if it
  /// is not stored.
  std::vector<std::pair<size_t, size_t>> pairs;
  std::map<std::pair<size_t, size_t>, size_t> index;
};

/// For the four cubic splines that are not zero on a span, the products 0*2 and
/// 1*3 as combinations of the stored ones: all are polynomials of degree six,
/// compared at seven points.
class CubicSpan {
public:
  /// Of no products.
  CubicSpan() = default;
  CubicSpan(const Products &products, int64_t intervals, size_t span) {
    constexpr size_t points = 7;
    size_t kept = products.pairs.size();
    std::vector<Numbers> rows;
    for (size_t p = 0; p < points; ++p) {
      std::array<Real, 4> b =
          evaluate(intervals, span, Real(span) + (Real(p) + 1) / (points + 1));
      Numbers row;
      for (auto [i, k] : products.pairs)
        row.push_back(b[i] * b[k]);
      row.push_back(b[0] * b[2]);
      row.push_back(b[1] * b[3]);
      rows.push_back(row);
    }
    // Gauss-Jordan elimination with complete pivoting. Remaining unknowns get
    // the coefficient zero.
    std::vector<size_t> solved(points, kept);
    for (size_t step = 0; step < points; ++step) {
      size_t row = step, column = 0;
      for (size_t r = step; r < points; ++r)
        for (size_t c = 0; c < kept; ++c)
          if (std::abs(rows[r][c]) > std::abs(rows[row][column])) {
            row = r;
            column = c;
          }
      std::swap(rows[step], rows[row]);
      solved[step] = column;
      Real pivot = rows[step][column];
      for (Real &value : rows[step])
        value /= pivot;
      for (size_t r = 0; r < points; ++r) {
        Real factor = rows[r][column];
        for (size_t c = 0; r != step && c < rows[r].size(); ++c)
          rows[r][c] -= factor * rows[step][c];
      }
    }
    for (size_t which = 0; which < 2; ++which) {
      coefficients[which].assign(kept, 0);
      for (size_t step = 0; step < points; ++step)
        coefficients[which][solved[step]] = rows[step][kept + which];
    }
  }

  /// Product 0*2 or 1*3, from the kept ones.
  Real combine(size_t which, const Real *kept) const {
    Real sum = 0;
    for (size_t i = 0; i < coefficients[which].size(); ++i)
      sum += coefficients[which][i] * kept[i];
    return sum;
  }

private:
  /// The four splines of a span at x, in units of intervals, by the triangle of
  /// de Boor: knots 0, 1, .. intervals, the ends four times.
  static std::array<Real, 4> evaluate(int64_t intervals, size_t span, Real x) {
    auto knot = [&](int64_t i) {
      return Real(std::clamp<int64_t>(i - 3, 0, intervals));
    };
    int64_t last = static_cast<int64_t>(span) + 3;
    std::array<Real, 4> b{1, 0, 0, 0};
    for (int64_t degree = 1; degree <= 3; ++degree) {
      Real saved = 0;
      for (int64_t i = 0; i < degree; ++i) {
        Real right = knot(last + i + 1), left = knot(last + i + 1 - degree);
        Real part = b[i] / (right - left);
        b[i] = saved + (right - x) * part;
        saved = (x - left) * part;
      }
      b[degree] = saved;
    }
    return b;
  }

  std::array<Numbers, 2> coefficients;
};

} // namespace

static std::optional<size_t> addProducts(const Bands &bands, SumsLayout layout,
                                         const Matrix &a, const Vector *weights,
                                         int64_t intervals, Matrix &sum) {
  bool isCubic = layout == SumsLayout::CubicPanels;
  Products products(bands, isCubic ? 2 : SIZE_MAX);
  size_t count = products.pairs.size();
  Numbers words(bands.starts * count);
  for (size_t row = 0; row < a.rows; ++row) {
    auto band = bands.find(a, row);
    if (!band)
      return row;
    for (size_t n = 0; n < count; ++n) {
      auto [first, second] = products.pairs[n];
      words[band->start * count + n] += Real(weights ? (*weights)[row] : 1) *
                                        band->numbers[first] *
                                        band->numbers[second];
    }
  }
  for (size_t start = 0; start < bands.starts; ++start) {
    const Real *panel = words.data() + start * count;
    const CubicSpan span =
        isCubic ? CubicSpan(products, intervals, start) : CubicSpan();
    for (size_t i = 0; i < bands.size; ++i)
      for (size_t k = 0; k < bands.size; ++k) {
        auto it = products.index.find({i, k});
        Real value = it != products.index.end()
                         ? panel[it->second]
                         : span.combine(std::min(i, k), panel);
        sum.at(bands.columnOf(start, i), bands.columnOf(start, k)) +=
            static_cast<double>(value);
      }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Frequencies
//===----------------------------------------------------------------------===//

static std::optional<size_t>
addFrequencies(const Matrix &a, const Vector *weights, Matrix &sum) {
  size_t m = a.columns / 2;
  Numbers cosines(2 * m + 1), sines(2 * m + 1);
  for (size_t row = 0; row < a.rows; ++row) {
    auto cosine = [&](size_t k) { return k ? Real(a.at(row, k - 1)) : 1; };
    auto sine = [&](size_t k) { return k ? Real(a.at(row, m + k - 1)) : 0; };
    Real weight = weights ? (*weights)[row] : 1;
    for (size_t k = 0; k <= 2 * m; ++k) {
      size_t i = std::min(k, m), j = k - i;
      if (std::abs(cosine(i) * cosine(i) + sine(i) * sine(i) - 1) > 1e-9)
        return row;
      cosines[k] += weight * (cosine(i) * cosine(j) - sine(i) * sine(j));
      sines[k] += weight * (sine(i) * cosine(j) + cosine(i) * sine(j));
    }
  }
  for (size_t i = 1; i <= m; ++i)
    for (size_t j = 1; j <= m; ++j) {
      size_t apart = std::max(i, j) - std::min(i, j);
      Real difference = j < i ? -sines[apart] : sines[apart];
      auto half = [](Real value) { return static_cast<double>(value / 2); };
      sum.at(i - 1, j - 1) += half(cosines[apart] + cosines[i + j]);
      sum.at(m + i - 1, m + j - 1) += half(cosines[apart] - cosines[i + j]);
      sum.at(i - 1, m + j - 1) += half(sines[i + j] + difference);
      sum.at(m + j - 1, i - 1) += half(sines[i + j] + difference);
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

void tamc::reference::reduceTo(tam::SumsAttr layout, Matrix &sum) {
  if (!layout)
    return;
  for (size_t i = 0; i < sum.rows; ++i)
    for (size_t j = 0; j < sum.columns; ++j) {
      if (layout.getLayout() == SumsLayout::Diagonal && i != j)
        sum.at(i, j) = 0;
      if (layout.getLayout() == SumsLayout::Upper && i > j)
        sum.at(i, j) = sum.at(j, i);
    }
}

std::optional<size_t>
tamc::reference::addThrough(tam::SumsAttr layout, const Matrix &a,
                            const Matrix &b, const Vector *weights,
                            int64_t intervals, Matrix &sum) {
  SumsLayout kind = layout ? layout.getLayout() : SumsLayout::Full;
  bool isTransposed = kind == SumsLayout::TransposedPanels;
  auto bandsOf = [&](const Matrix &along) {
    return Bands(layout.getWidths(), layout.getColumns(), along.columns);
  };
  switch (kind) {
  case SumsLayout::Full:
  case SumsLayout::Transposed:
    addGram(a, b, weights, sum);
    return std::nullopt;
  case SumsLayout::Upper:
  case SumsLayout::Diagonal: {
    addGram(a, b, weights, sum);
    reduceTo(layout, sum);
    return std::nullopt;
  }
  case SumsLayout::Frequencies:
    return addFrequencies(a, weights, sum);
  case SumsLayout::UpperPanels:
  case SumsLayout::CubicPanels:
    return addProducts(bandsOf(a), kind, a, weights, intervals, sum);
  case SumsLayout::Panels:
  case SumsLayout::TransposedPanels: {
    const Matrix &along = isTransposed ? b : a, &other = isTransposed ? a : b;
    Bands bands = bandsOf(along);
    Numbers words;
    if (auto row = addPanels(bands, along, other, weights, words))
      return row;
    for (size_t start = 0; start < bands.starts; ++start)
      for (size_t j = 0; j < other.columns; ++j)
        for (size_t i = 0; i < bands.size; ++i) {
          size_t column = bands.columnOf(start, i);
          double value = words[(start * other.columns + j) * bands.size + i];
          (isTransposed ? sum.at(j, column) : sum.at(column, j)) += value;
        }
    return std::nullopt;
  }
  }
  llvm_unreachable("all layouts are listed");
}
