//===- Subjects.cpp - the models of the suite -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Subjects.h"

#include "RandomFormula.h"

#include <functional>

using namespace tamc::cts;

namespace {

struct Named {
  std::string name, text;
};

/// How the sums over rows are computed.
enum class Sums { Kernels, Loops, LoopsWithoutPanels };

/// Whether a subject is added with and without row weights, or one of them:
/// maps of the features do not read weights.
enum class Weights { Both, One };

class Subjects {
public:
  void add(Subject subject, Sums sums = Sums::Kernels,
           Weights weights = Weights::Both) {
    subject.formula = "y ~ " + subject.formula;
    subject.hasLoops = sums != Sums::Kernels;
    subject.hasInference = subject.keys.find("solver: cg") == std::string::npos;
    if (sums == Sums::Kernels) {
      subject.name += "/kernels";
      subject.options.push_back("--fuse-rows=false");
    } else {
      subject.name += sums == Sums::Loops ? "/loops" : "/loops-without-panels";
      if (sums == Sums::LoopsWithoutPanels)
        subject.options.push_back("--panels=false");
    }
    // No, yes, yes, no, ...: both occur with kernels and with loops.
    const bool isWeighted = (all.size() + all.size() / 2) % 2 == 1;
    if (weights == Weights::Both || !isWeighted)
      all.push_back(subject);
    if (weights == Weights::Both || isWeighted) {
      subject.name += "/weighted";
      subject.keys += "weights: w\n";
      all.push_back(subject);
    }
  }

  void addPairs();
  void addMaps();
  void addProducts();
  void addLayouts();
  void addLevels();
  void addSolvers();
  void addModels();

  std::vector<Subject> all;
};

} // namespace

/// The encodings of a design matrix, each by two terms of different columns.
static const std::vector<std::pair<Named, std::string>> kEncodings = {
    {{"column", "l(a, ap=-1)"}, "l(b, ap=-2)"},
    {{"dense", "f(b, m=3, ap=-1)"}, "p(d, deg=4, ap=-1)"},
    {{"banded", "s(b, k=5, ap=-1)"}, "s(d, k=7, deg=2, ap=-1)"},
    {{"onehot", "c(k, n_cat=5, ap=-1)"},
     "c(m, n_cat=3, topo='ordinal', ap=-1)"},
    {{"multihot", "t(a, others='b', n_trees=9, max_depth=2, ap=-1)"},
     "t(d, n_trees=2, max_leaves=5, ap=-1)"},
    {{"sparse", "te(s(a, k=3, ap=-1), s(b, k=2, deg=2, ap=-1), ap=-1)"},
     "lt(e, max_depth=2, ap=-1)"},
};

/// Matrices that have kernels because they are wide, and one with columns for
/// each of the loops over the other matrix: of six, two and one.
static const Named kWide[] = {
    {"wide", "n(a, others='b', n_neurons=163, act='cos', ap=0)"},
    {"wide", "rbf(d, others='e', n_centers=161, gamma=2, ap=0)"}};
static const Named kRemainders = {
    "remainders", "n(a, others='b', n_neurons=21, act='cos', ap=0)"};

/// Each pair of encodings in both orders: the Gram matrices of each, their
/// cross products, right-hand sides, predictions.
void Subjects::addPairs() {
  for (const auto &[first, unused] : kEncodings)
    for (const auto &[second, text] : kEncodings)
      add({.name = "pairs/" + first.name + "-" + second.name,
           .formula = first.text + " + " + text});
  for (const auto &[first, second] : {std::pair(kRemainders, kWide[1]),
                                      std::pair(kWide[0], kEncodings[1].first),
                                      std::pair(kEncodings[1].first, kWide[0])})
    add({.name = "pairs/" + first.name + "-" + second.name,
         .formula = first.text + " + " + second.text});
  // Pairs that one launch sums, with and without columns side by side.
  add({.name = "pairs/sparse-joined",
       .formula = "te(c(k, n_cat=5, ap=-1), s(a, k=3, ap=-1), ap=-1)"
                  " + lt(e, max_depth=2, ap=-1)"
                  " + te(s(b, k=2, ap=-1), s(d, k=3, ap=-1), ap=-1)"
                  " + te(c(k, n_cat=5, ap=-1), c(m, n_cat=3, ap=-1), ap=-1)"},
      Sums::Loops);
}

/// Maps of one variable, for which X stands, that have all modes of
/// extrapolation.
static const std::vector<Named> kMaps = {
    {"linear", "l(X, scaled=1.5, ap=-1"},
    {"fourier", "f(X, m=3, ap=-1"},
    {"fourier-cyclic", "f(X, m=5, s=0, cyclic=True, ap=-1"},
    {"fourier-period", "f(X, m=2, period=(-3, 9.5), ap=-1"},
    {"fourier-auto", "f(X, m=2, period='auto', ap=-1"},
    {"spline-degree-0", "s(X, k=6, deg=0, p=1, ap=-1"},
    {"spline-degree-1", "s(X, k=6, deg=1, p=1, ap=-1"},
    {"spline-degree-2", "s(X, k=1, deg=2, p=0, ap=-1"},
    {"spline-degree-3", "s(X, k=6, ap=-1"},
    {"spline-degree-3-one-interval", "s(X, k=1, ap=-1"},
    {"spline-degree-4", "s(X, k=3, deg=4, p=3, ap=-1"},
    {"polynomial", "p(X, deg=6, s=1, ap=-1"},
    {"wavelet", "w(X, n_scales=2, n_locations=5, ap=-1"},
    {"neural-relu", "n(X, n_neurons=7, act='relu', ap=-1"},
    {"neural-cos", "n(X, n_neurons=8, act='cos', n_hidden_layers=2, ap=-1"},
    {"neural-tanh", "n(X, others='a|b', n_neurons=5, act='tanh', ap=-1"},
    {"radial-gauss", "rbf(X, n_centers=6, ap=-1"},
    {"radial-matern-1", "rbf(X, n_centers=5, gamma=0.7, nu=0.5, ap=-1"},
    {"radial-matern-3", "rbf(X, others='e', n_centers=5, nu=1.5, ap=-1"},
    {"radial-matern-5", "rbf(X, n_centers=5, nu=2.5, ap=-1"},
    {"radial-bessel", "rbf(X, n_centers=2, nu=0.8, ap=-1"},
    {"tree-oblivious", "t(X, n_trees=3, max_depth=2, ap=-1"},
    {"tree-quantile", "t(X, others='e', n_trees=2, max_depth=3, "
                      "split_strategy='quantile', ap=-1"},
    {"tree-flat", "t(X, n_trees=4, max_leaves=5, ap=-1"},
    {"tree-learnt-penalty", "t(X, n_trees=3, max_depth=2, sp_alpha=0.5, ap=-1"},
    {"linear-tree", "lt(X, others='a', max_depth=2, ap=-1"},
    {"linear-tree-flat", "lt(X, max_leaves=4, slope='b', sp_alpha=1, ap=-1"},
    {"physics-spline", "phys(X, k=5, D0=0.5, D2=1, ap=-1"},
    {"physics-fourier", "phys(X, basis='fourier', n_coeffs=6, D1=0.5, ap=-1"},
    {"product-dense", "te(f(X, m=1), p(b, deg=2), ap=-1"},
    {"product-banded", "te(s(X, k=3, ap=-1), s(b, k=2, ap=-1), ap=-1"},
    {"product-of-level", "te(s(X, k=3, ap=-1), c(m, n_cat=3), ap=-1"},
    {"product-of-three", "te(s(X, k=2, ap=-1), te(c(q, n_cat=2), l(b)), ap=-1"},
};
/// Maps that have modes of their own, or none.
static const std::vector<Named> kOtherMaps = {
    {"codes-nominal", "c(k, n_cat=5, ap=-1) + c(m, n_cat=4)"},
    {"codes-ordinal", "c(k, n_cat=5, topo='ordinal', ap=-1)"},
    {"codes-fourier", "c(k, n_cat=5, topo='fourier', ap=-1)"},
    {"levels-edge", "c(day, n_cat=3, levels=True, ap=-1)"},
    {"levels-mean", "c(day, n_cat=4, levels=True, unseen='mean', ap=-1)"},
    {"levels-zero", "c(day, n_cat=3, levels=True, unseen='zero', ap=-1)"},
    {"product-of-mean", "te(c(day, n_cat=4, levels=True, unseen='mean'), "
                        "s(a, k=2, ap=-1), ap=-1)"},
    {"flat-trees", "t(a, others='b', n_trees=2, max_leaves=4, ap=-1, "
                   "extrapolate='constant')"},
    {"recursion-all", "pid(a, w=0, ap=-1)"},
    {"recursion-window", "pid(b, w=1, ap=-1) + pid(a, w=130, ap=-1)"},
    {"product-of-recursion", "te(pid(a, w=3), c(m, n_cat=3), ap=-1)"},
};

static std::string replace(std::string text, char from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, 1, to);
  return text;
}

/// Each map once for each mode, beside the same maps in other modes.
void Subjects::addMaps() {
  const std::vector<Named> modes = {{"a", "continue"},
                                    {"b", "constant"},
                                    {"d", "linear"},
                                    {"e", "saturation"}};
  for (const Named &map : kMaps) {
    std::string formula;
    for (const Named &mode : modes)
      formula += (formula.empty() ? "" : " + ") +
                 replace(map.text, 'X', mode.name) + ", extrapolate='" +
                 mode.text + "')";
    Subject subject{.name = "maps/" + map.name, .formula = formula};
    // The two programs compute Bessel functions differently, and the slope at
    // the border, a difference over 1e-5, multiplies what they differ by.
    if (map.name == "radial-bessel")
      subject.tolerance = 1e-7;
    add(subject, Sums::Kernels, Weights::One);
    // The loops over rows have code of their own for these.
    if (map.text.find("s(") == 0 || map.text.find("l(") == 0 ||
        map.text.find("te(s(") == 0)
      add(subject, Sums::Loops, Weights::One);
  }
  for (const Named &map : kOtherMaps)
    for (Sums sums : {Sums::Kernels, Sums::Loops})
      add({.name = "maps/" + map.name, .formula = map.text}, sums,
          Weights::One);
}

/// Pairs of factors of a product, and dense storage of everything.
void Subjects::addProducts() {
  const std::vector<Named> factors = {
      {"column", "l(a)"},
      {"dense", "f(b, m=2)"},
      {"banded", "s(d, k=2, deg=2)"},
      {"onehot", "c(m, n_cat=3)"},
      {"multihot", "t(e, n_trees=2, max_depth=1)"},
      {"sparse", "lt(a, max_depth=1)"},
  };
  for (const Named &first : factors)
    for (const Named &second : factors)
      add({.name = "products/" + first.name + "-" + second.name,
           .formula = "te(" + first.text + ", " + second.text + ", ap=-1)"},
          Sums::Kernels, Weights::One);
  for (const auto &[encoding, other] : kEncodings)
    add({.name = "dense/" + encoding.name,
         .formula = encoding.text + " + " + other,
         .options = {"--dense"}});
}

/// Layouts of sums in loops over rows.
void Subjects::addLayouts() {
  const std::vector<Named> layouts = {
      {"columns", "l(a, ap=-1) + l(b) + l(d) + l(e)"},
      {"spline", "s(a, k=6, ap=-1)"},
      {"splines", "s(a, k=6, ap=-1) + s(b, k=3, ap=-1) + s(d, k=1, ap=-1)"},
      {"degrees", "s(a, k=4, deg=1, ap=-1) + s(b, k=4, deg=2, ap=-1) + "
                  "s(d, k=3, deg=4, ap=-1)"},
      {"spline-columns", "s(a, k=6, ap=-1) + l(b) + l(d) + l(e)"},
      {"spline-level", "s(a, k=6, ap=-1) + c(k, n_cat=5, ap=-1)"},
      {"levels", "c(k, n_cat=5, ap=-1) + c(m, n_cat=3, ap=-1) + "
                 "c(q, n_cat=2, ap=-1) + l(a)"},
      {"product-splines", "te(s(a, k=3, ap=-1), s(b, k=2, ap=-1), ap=-1)"},
      {"product-columns",
       "te(s(a, k=3, ap=-1), s(b, k=2, ap=-1), ap=-1) + l(d) + s(e, k=4)"},
      {"product-levels", "te(c(k, n_cat=5), c(m, n_cat=3), ap=-1) + s(a, k=4)"},
      {"product-three", "te(s(a, k=2, ap=-1), s(b, k=2, ap=-1), c(q, n_cat=2), "
                        "ap=-1) + c(k, n_cat=5, ap=-1)"},
      {"beside-kernels", "s(a, k=6, ap=-1) + f(b, m=2, ap=-1) + l(d) + "
                         "t(e, n_trees=3, max_depth=2, ap=-1)"},
      {"beside-recursion", "s(a, k=6, ap=-1) + pid(b, w=3, ap=-1)"},
  };
  for (const Named &layout : layouts)
    for (Sums sums : {Sums::Loops, Sums::LoopsWithoutPanels, Sums::Kernels})
      add({.name = "layouts/" + layout.name, .formula = layout.text}, sums);
  // More effects than a loop of predictions has.
  std::string many = "s(a, k=6, ap=-1) + c(k, n_cat=5, ap=-1)";
  for (int i = 0; i < 70; ++i)
    many += std::string(" + l(") + "abde"[i % 4] + ", ap=-1)";
  many += " + s(b, k=4, ap=-1)";
  add({.name = "layouts/many", .formula = many}, Sums::Loops);
  add({.name = "layouts/bounded",
       .formula = layouts[2].text + " + c(k, n_cat=5, ap=-1)",
       .options = {"--row-words=20"}},
      Sums::Loops);
}

/// Columns on grids that are summed by their levels.
void Subjects::addLevels() {
  const std::vector<Named> levels = {
      {"spline", "s(h, k=4, ap=-1)"},
      {"fourier", "f(h, m=2, ap=-1)"},
      {"polynomial", "p(h, deg=3, ap=-1)"},
      {"wavelet", "w(h, n_scales=2, n_locations=3, ap=-1)"},
      {"two", "s(h, k=4, ap=-1) + s(j, k=3, deg=2, ap=-1)"},
      {"others", "s(h, k=4, ap=-1) + c(k, n_cat=5, ap=-1) + s(a, k=4, ap=-1) + "
                 "l(b)"},
      {"product", "te(s(h, k=3, ap=-1), c(m, n_cat=3), ap=-1) + l(a)"},
  };
  for (const Named &level : levels)
    for (Sums sums : {Sums::Loops, Sums::Kernels})
      add({.name = "levels/" + level.name,
           .formula = level.text,
           .options = {"--rows-per-level=1"},
           .hasProfile = true},
          sums);
}

void Subjects::addSolvers() {
  const std::string small =
      "s(a, k=6, ap=-1) + f(b, m=3, ap=-1) + c(k, n_cat=5, ap=-1) + "
      "t(d, n_trees=6, max_depth=2, ap=-1) + pid(e, w=3, ap=-1)";
  const std::string learnt =
      "t(a, others='b', n_trees=5, max_depth=2, sp_alpha=0.5, ap=-1) + "
      "s(d, k=6, ap=-1)";
  const std::string large = "s(a, k=60, ap=-1) + f(b, m=40, ap=-1) + "
                            "te(s(d, k=5, ap=-1), s(e, k=5, ap=-1), ap=-1)";
  const std::string linear =
      "l(a) + l(b, extrapolate='constant') + l(d, extrapolate='linear') + "
      "l(e, extrapolate='saturation') + l(h) + l(j) + s(a, k=4, ap=-1)";
  const std::string categories =
      "c(k, n_cat=5, ap=-1) + c(m, n_cat=3, ap=-1) + c(q, n_cat=2, ap=-1) + "
      "s(a, k=6, ap=-1) + f(b, m=3, ap=-1)";
  const std::string splines =
      "c(k, n_cat=5, ap=-1) + s(a, k=6, ap=-1) + s(b, k=4, ap=-1) + "
      "s(d, k=5, deg=1, p=1, ap=-1) + c(m, n_cat=3, ap=-1) + f(e, m=3, ap=-1)";
  struct Solver {
    std::string name, keys;
    std::vector<std::string> options;
  };
  const std::vector<Solver> solvers = {
      {"direct", "solver: direct\n", {}},
      {"cg", "solver: cg\n", {}},
      {"cg-penalties", "solver: cg\n", {"--block-limit=8"}},
      {"cg-without-factors", "solver: cg\n", {"--block-limit=1"}},
      {"auto", "solver: auto\n", {"--min-cg=0", "--small-block-limit=8"}},
  };
  for (const Solver &solver : solvers) {
    for (const auto &[name, formula] :
         {Named{"small", small}, Named{"learnt", learnt}})
      for (Sums sums : {Sums::Kernels, Sums::Loops})
        add({.name = "solvers/" + name + "-" + solver.name,
             .formula = formula,
             .keys = solver.keys,
             .options = solver.options},
            sums, Weights::One);
  }
  add({.name = "solvers/large-direct",
       .formula = large,
       .keys = solvers[0].keys});
  add({.name = "solvers/large-cg", .formula = large, .keys = solvers[1].keys});
  for (Sums sums : {Sums::Kernels, Sums::Loops})
    add({.name = "solvers/merged-columns",
         .formula = linear,
         .options = {"--merge-columns=2"}},
        sums);
  for (Sums sums : {Sums::Kernels, Sums::Loops})
    add({.name = "solvers/merged-categories",
         .formula = categories,
         .options = {"--merge-columns=2", "--row-words=2"}},
        sums);
  // The diagonal of merged columns, of all sums and of the penalties alone.
  for (const auto &[limit, sums] :
       {std::pair("2", Sums::Loops), std::pair("512", Sums::Loops),
        std::pair("512", Sums::Kernels)})
    add({.name = std::string("solvers/merged-columns-cg-") + limit,
         .formula = linear,
         .keys = "solver: cg\n",
         .options = {"--merge-columns=2", std::string("--block-limit=") + limit,
                     "--small-block-limit=4"}},
        sums);
  // Bands meet each encoding, before and after them; Fourier terms and
  // polynomials become one dense matrix.
  const std::string bands =
      "c(k, n_cat=5, ap=-1) + s(a, k=6, ap=-1) + s(b, k=4, ap=-1) + "
      "t(d, n_trees=3, max_depth=2, ap=-1) + s(d, k=5, deg=1, p=1, ap=-1) + "
      "s(d, k=3, ap=-1) + s(e, k=5, ap=-1) + "
      "te(s(a, k=2, ap=-1), c(m, n_cat=3), ap=-1) + f(e, m=2, ap=-1) + "
      "p(b, deg=3, ap=-1)";
  for (Sums sums : {Sums::Kernels, Sums::Loops})
    add({.name = "solvers/merged-bands",
         .formula = bands,
         .options = {"--merge-columns=2", "--row-words=2"}},
        sums);
  add({.name = "solvers/merged-splines",
       .formula = splines,
       .options = {"--merge-columns=2"}},
      Sums::Kernels);
}

/// Whole models: random formulas, dates.
void Subjects::addModels() {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    tamc::reference::Random random(1000 + seed);
    std::string formula = tamc::reference::randomFormula(random, 6);
    add({.name = "models/" + std::to_string(seed),
         .formula = formula.substr(formula.find('~') + 2),
         .keys = "date: t\n",
         .hasProfile = true},
        seed % 2 ? Sums::Loops : Sums::Kernels, Weights::One);
  }
}

std::vector<Subject> tamc::cts::allSubjects() {
  Subjects subjects;
  subjects.addPairs();
  subjects.addMaps();
  subjects.addProducts();
  subjects.addLayouts();
  subjects.addLevels();
  subjects.addSolvers();
  subjects.addModels();
  return std::move(subjects.all);
}
