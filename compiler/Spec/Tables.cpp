//===- Tables.cpp - tables of a term --------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Spec/Tables.h"

#include "llvm/ADT/STLExtras.h"

namespace tamc::spec {
namespace {

std::vector<TableForm> neuralTables(const Term &term, int64_t inputs) {
  std::vector<TableForm> tables;
  int64_t neurons = term.getInt("n_neurons");
  for (int64_t layer = 1; layer <= term.getInt("n_hidden_layers"); ++layer) {
    std::string number = std::to_string(layer);
    tables.push_back({.name = "W" + number,
                      .shape = {layer == 1 ? inputs : neurons, neurons}});
    tables.push_back({.name = "b" + number, .shape = {neurons}});
  }
  return tables;
}

std::vector<TableForm> treeTables(const Term &term) {
  int64_t trees = treesOf(term), leaves = leavesOf(term);
  std::vector<TableForm> tables;
  if (isOblivious(term)) {
    int64_t depth = term.getInt("max_depth");
    tables = {{.name = "features",
               .shape = {trees, depth},
               .contents = TableContents::Feature},
              {.name = "thresholds", .shape = {trees, depth}}};
  } else {
    tables = {{.name = "features",
               .shape = {trees},
               .contents = TableContents::Feature},
              {.name = "thresholds",
               .shape = {trees, leaves - 1},
               .contents = TableContents::Ascending}};
  }
  if (term.getNumber("sp_alpha") != 0)
    tables.push_back({.name = "leaf_weights",
                      .shape = {trees, leaves},
                      .contents = TableContents::Weight});
  return tables;
}

} // namespace

int64_t TableForm::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

int64_t treesOf(const Term &term) {
  return term.kind == TermKind::Tree ? term.getInt("n_trees") : 1;
}

bool isOblivious(const Term &term) { return term.isNone("max_leaves"); }

int64_t leavesOf(const Term &term) {
  return isOblivious(term) ? int64_t(1) << term.getInt("max_depth")
                           : term.getInt("max_leaves");
}

std::vector<TableForm> tablesOf(const Term &term) {
  // The slope of an lt is not an input of its tree.
  int64_t inputs = 1 + static_cast<int64_t>(term.others.size());
  std::vector<TableForm> tables;
  switch (term.kind) {
  case TermKind::Wavelet:
    tables = {
        {.name = "range", .shape = {2}, .contents = TableContents::Ascending}};
    break;
  case TermKind::Neural:
    tables = neuralTables(term, inputs);
    break;
  case TermKind::RadialBasis:
    tables = {
        {.name = "centers", .shape = {term.getInt("n_centers"), inputs}},
        {.name = "gamma", .shape = {1}, .contents = TableContents::Positive}};
    if (!term.isNone("gamma"))
      tables.back().fixed = term.getNumber("gamma");
    break;
  case TermKind::Tree:
  case TermKind::LinearTree:
    tables = treeTables(term);
    break;
  default:
    break;
  }
  for (TableForm &table : tables)
    table.inputs = inputs;
  return tables;
}

std::vector<TableForm> allTablesOf(const Term &term) {
  std::vector<TableForm> tables;
  for (auto [index, factor] : llvm::enumerate(term.factors))
    for (TableForm &table : allTablesOf(factor)) {
      table.name = std::to_string(index) + "." + table.name;
      tables.push_back(std::move(table));
    }
  llvm::append_range(tables, tablesOf(term));
  return tables;
}

} // namespace tamc::spec
