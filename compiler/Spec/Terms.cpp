//===- Terms.cpp - table of the terms of the formula ----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Spec/Terms.h"

#include "Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

namespace tamc::spec {
namespace {

constexpr ParameterInfo parameterTable[] = {
#define ROW(kind, name, type, min, max, initial, words, doc)                   \
  {TermKind::kind,                                                             \
   llvm::StringLiteral(#name),                                                 \
   ParameterType::type,                                                        \
   min,                                                                        \
   max,                                                                        \
   initial,                                                                    \
   llvm::StringLiteral(words),                                                 \
   llvm::StringLiteral(doc)},
#define TAMC_INTEGER(kind, name, value, min, max, doc)                         \
  ROW(kind, name, Integer, min, max, value, "", doc)
#define TAMC_OPTIONAL_INTEGER(kind, name, min, max, doc)                       \
  ROW(kind, name, OptionalInteger, min, max, 0, "", doc)
#define TAMC_NUMBER(kind, name, value, min, max, doc)                          \
  ROW(kind, name, Number, min, max, value, "", doc)
#define TAMC_OPTIONAL_POSITIVE(kind, name, doc)                                \
  ROW(kind, name, OptionalPositive, 0, 0, 0, "", doc)
#define TAMC_FLAG(kind, name, value, doc)                                      \
  ROW(kind, name, Flag, 0, 0, value, "", doc)
#define TAMC_WORD(kind, name, words, doc)                                      \
  ROW(kind, name, Word, 0, 0, 0, words, doc)
#define TAMC_PERIOD(kind, name, doc) ROW(kind, name, Period, 0, 0, 0, "", doc)
#define TAMC_COLUMN(kind, name, doc) ROW(kind, name, Column, 0, 0, 0, "", doc)
#define TAMC_WEIGHTS(kind, name, max, doc)                                     \
  ROW(kind, name, Weights, 0, max, 0, "", doc)
#include "tamc/Spec/Terms.def"
#undef ROW
};

/// The rows of one term, which are neighbours.
llvm::ArrayRef<ParameterInfo> rowsOf(TermKind kind) {
  llvm::ArrayRef<ParameterInfo> rows(parameterTable);
  auto of = [&](const ParameterInfo &row) { return row.term == kind; };
  return rows.drop_until(of).take_while(of);
}

const std::vector<TermInfo> &termTable() {
  static const std::vector<TermInfo> table = {
#define TAMC_TERM(kind, name, title, extrapolate, others, doc)                 \
  {TermKind::kind,                                                             \
   llvm::StringLiteral(name),                                                  \
   llvm::StringLiteral(title),                                                 \
   Extrapolate::extrapolate,                                                   \
   others,                                                                     \
   llvm::StringLiteral(doc),                                                   \
   rowsOf(TermKind::kind)},
#include "tamc/Spec/Terms.def"
  };
  return table;
}

std::string range(const ParameterInfo &info) {
  return " from " + formatNumber(info.min) + " to " + formatNumber(info.max);
}

/// Spelling of the default in the reference.
std::string defaultText(const ParameterInfo &info) {
  if (info.type == ParameterType::Column)
    return "the feature";
  if (info.type == ParameterType::Weights)
    return "none";
  // The only default that is not a short decimal has a name.
  if (info.initial == 3.14159265358979323846)
    return "pi";
  return formatValue(info.defaultValue());
}

} // namespace

Value ParameterInfo::defaultValue() const {
  switch (type) {
  case ParameterType::Integer:
    return static_cast<int64_t>(initial);
  case ParameterType::Number:
    return initial;
  case ParameterType::Flag:
    return initial != 0;
  case ParameterType::Word:
    return wordList().front().str();
  case ParameterType::OptionalInteger:
  case ParameterType::OptionalPositive:
  case ParameterType::Period:
  case ParameterType::Column:
  case ParameterType::Weights:
    return std::monostate();
  }
  llvm_unreachable("all types are above");
}

llvm::SmallVector<llvm::StringRef, 3> ParameterInfo::wordList() const {
  llvm::SmallVector<llvm::StringRef, 3> list;
  llvm::StringRef(words).split(list, '|');
  return list;
}

std::string ParameterInfo::expected() const {
  switch (type) {
  case ParameterType::Integer:
    return "an integer" + range(*this);
  case ParameterType::OptionalInteger:
    return "None or an integer" + range(*this);
  case ParameterType::Number:
    return "a number" + range(*this);
  case ParameterType::OptionalPositive:
    return "None or a number above 0";
  case ParameterType::Flag:
    return "True or False";
  case ParameterType::Word:
    return listed(wordList(), "or");
  case ParameterType::Period:
    return "None, auto or (lo, hi)";
  case ParameterType::Column:
    return "a column name";
  case ParameterType::Weights:
    return "a finite number";
  }
  llvm_unreachable("all types are above");
}

const ParameterInfo *TermInfo::find(llvm::StringRef parameter) const {
  for (const ParameterInfo &info : parameters) {
    if (info.type != ParameterType::Weights) {
      if (info.name == parameter)
        return &info;
      continue;
    }
    llvm::StringRef order = parameter;
    unsigned number;
    if (!order.consume_front(info.name) || order.getAsInteger(10, number) ||
        number > info.max || llvm::Twine(number).str() != order)
      continue;
    return &info;
  }
  return nullptr;
}

llvm::ArrayRef<TermInfo> allTerms() { return termTable(); }

const TermInfo &termInfo(TermKind kind) {
  return termTable()[static_cast<size_t>(kind)];
}

const TermInfo *findTerm(llvm::StringRef name) {
  for (const TermInfo &info : allTerms())
    if (name.equals_insensitive(info.name))
      return &info;
  return nullptr;
}

llvm::StringRef toString(Extrapolate mode) {
  switch (mode) {
  case Extrapolate::Continue:
    return "continue";
  case Extrapolate::Constant:
    return "constant";
  case Extrapolate::Linear:
    return "linear";
  case Extrapolate::Saturation:
    return "saturation";
  }
  llvm_unreachable("all modes are above");
}

llvm::StringRef toString(Solver solver) {
  switch (solver) {
  case Solver::Auto:
    return "auto";
  case Solver::Direct:
    return "direct";
  case Solver::CG:
    return "cg";
  }
  llvm_unreachable("all solvers are above");
}

void writeTermsReference(llvm::raw_ostream &out) {
  out << "| term | meaning | parameters and defaults | beyond the training "
         "range |\n|---|---|---|---|\n";
  for (const TermInfo &term : allTerms()) {
    out << "| `" << term.name << "` " << term.title << " | " << term.doc
        << " | ";
    llvm::ListSeparator comma;
    for (const ParameterInfo &info : term.parameters) {
      out << comma << info.name;
      if (info.type == ParameterType::Weights)
        out << "0.." << info.name << formatNumber(info.max);
      else
        out << '=' << defaultText(info);
    }
    if (term.others)
      out << comma << "others";
    out << " | " << toString(term.extrapolate) << " |\n";
  }
  out << "\nEvery term takes `ap`, the log10 of its penalty (a number from "
      << formatNumber(minimumAp) << " to " << formatNumber(maximumAp)
      << ", default -9), and `extrapolate` (continue, constant, linear or "
         "saturation).\n";
  for (const TermInfo &term : allTerms()) {
    if (term.parameters.empty())
      continue;
    out << "\n### " << term.name << ": " << term.title << "\n\n"
        << "| parameter | expected | default | meaning |\n|---|---|---|---|\n";
    for (const ParameterInfo &info : term.parameters) {
      out << "| `" << info.name;
      if (info.type == ParameterType::Weights)
        out << "0`..`" << info.name << formatNumber(info.max);
      out << "` | " << info.expected() << " | " << defaultText(info) << " | "
          << info.doc << " |\n";
    }
    if (term.others)
      out << "| `others` | column names, separated by `\\|` | none | further "
             "inputs |\n";
  }
}

} // namespace tamc::spec
