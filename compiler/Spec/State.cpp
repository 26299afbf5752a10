//===- State.cpp - tables that a spec gives -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "Safetensors.h"
#include "Text.h"

#include "tamc/Spec/Tables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

#include <cmath>

namespace tamc::spec {
namespace {

/// Prefix of the model's tables in a weights file.
constexpr llvm::StringLiteral filePrefix = "tables.";

/// Full name of a table: `W` and `b` are short for W1 and b1, in a factor too.
std::string fullName(llvm::StringRef name) {
  llvm::StringRef last = name.substr(name.rfind('.') + 1);
  return (name + (last == "W" || last == "b" ? "1" : "")).str();
}

/// "9 x 2".
std::string showExtents(llvm::ArrayRef<int64_t> shape,
                        llvm::StringRef between) {
  std::string text;
  llvm::ListSeparator separator(between);
  for (int64_t extent : shape) {
    text += llvm::StringRef(separator);
    text += std::to_string(extent);
  }
  return text;
}

/// "9 x 2 numbers", "1 number".
std::string showCount(llvm::ArrayRef<int64_t> shape) {
  bool one = shape.size() == 1 && shape[0] == 1;
  return showExtents(shape, " x ") + (one ? " number" : " numbers");
}

std::string showShape(llvm::ArrayRef<int64_t> shape) {
  return "[" + showExtents(shape, ", ") + "]";
}

std::string showNumber(double value) {
  if (std::isfinite(value))
    return formatNumber(value);
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

/// An invalid number of a table.
struct Fault {
  size_t index;
  std::string expected;
};

/// Finds the first number that `form` does not allow.
std::optional<Fault> findFault(const TableForm &form,
                               llvm::ArrayRef<double> values) {
  auto width = static_cast<size_t>(form.shape.back());
  for (auto [index, value] : llvm::enumerate(values)) {
    if (!std::isfinite(value))
      return Fault{index, "a finite number"};
    if (form.fixed && value != *form.fixed)
      return Fault{index, formatNumber(*form.fixed) + ", as the term has it,"};
    switch (form.contents) {
    case TableContents::Any:
      break;
    case TableContents::Feature:
      if (value < 0 || value >= static_cast<double>(form.inputs) ||
          value != std::trunc(value))
        return Fault{index, form.inputs == 1
                                ? "0, the number of the one input,"
                                : "the number of an input, 0 to " +
                                      std::to_string(form.inputs - 1) + ","};
      break;
    case TableContents::Ascending:
      if (index % width != 0 && value < values[index - 1])
        return Fault{index, "at least " + formatNumber(values[index - 1]) +
                                ", the number before it,"};
      break;
    case TableContents::Positive:
      if (!(value > 0))
        return Fault{index, "a number above 0"};
      break;
    case TableContents::Weight:
      if (value < 0)
        return Fault{index, "a number not below 0"};
      break;
    }
  }
  return std::nullopt;
}

class Resolver {
public:
  Resolver(llvm::StringRef folder, ModelSpec &spec, Diagnostics &diagnostics)
      : folder(folder), spec(spec), diagnostics(diagnostics) {
    std::vector<std::string> names = spec.effectNames();
    for (auto [term, name] :
         llvm::zip_equal(spec.terms, llvm::ArrayRef(names).drop_front()))
      for (TableForm &form : allTablesOf(term)) {
        std::string whole = name + "." + form.name;
        byName.try_emplace(whole, slots.size());
        slots.push_back({name, std::move(form), {}, {}});
      }
    effects = std::move(names);
  }

  void run(const WrittenState &written) {
    if (written.file)
      readFile(*written.file, nullptr);
    for (const WrittenEffect &effect : written.effects)
      readEffect(effect);
    for (Slot &slot : slots)
      if (slot.values)
        spec.state.push_back(
            {slot.effect, slot.form.name, std::move(*slot.values)});
  }

private:
  /// A table of the model, and its given contents.
  struct Slot {
    std::string effect;
    TableForm form;
    std::optional<std::vector<double>> values;
    llvm::SMRange range;
  };

  void readEffect(const WrittenEffect &effect);
  void readTable(const WrittenEffect &effect, const WrittenTable &table);
  void readFile(const WrittenFile &file, const WrittenEffect *effect);
  void readTensor(const WrittenFile &file, const WrittenEffect *effect,
                  const Tensor &tensor);
  Slot *find(llvm::StringRef effect, llvm::StringRef table);
  bool checkShape(const TableForm &form, const WrittenTable &table);
  void give(Slot &slot, std::vector<double> values, llvm::SMRange range);
  std::vector<llvm::StringRef> tablesOfEffect(llvm::StringRef effect) const;
  /// A note that lists `names`, or the one that `word` is close to.
  void suggest(llvm::SMRange range, llvm::StringRef word, llvm::StringRef what,
               llvm::ArrayRef<llvm::StringRef> names);

  llvm::StringRef folder;
  ModelSpec &spec;
  Diagnostics &diagnostics;
  std::vector<std::string> effects;
  std::vector<Slot> slots;
  /// Slots by the effect's name, a dot and the table's name.
  llvm::StringMap<size_t> byName;
};

Resolver::Slot *Resolver::find(llvm::StringRef effect, llvm::StringRef table) {
  auto found = byName.find((effect + "." + fullName(table)).str());
  return found == byName.end() ? nullptr : &slots[found->second];
}

std::vector<llvm::StringRef>
Resolver::tablesOfEffect(llvm::StringRef effect) const {
  std::vector<llvm::StringRef> names;
  for (const Slot &slot : slots)
    if (slot.effect == effect)
      names.push_back(slot.form.name);
  return names;
}

void Resolver::suggest(llvm::SMRange range, llvm::StringRef word,
                       llvm::StringRef what,
                       llvm::ArrayRef<llvm::StringRef> names) {
  constexpr size_t most = 12;
  llvm::StringRef near = closest(word, names);
  if (!near.empty())
    diagnostics.note(range, "did you mean '" + near + "'?");
  else if (names.empty())
    diagnostics.note(range, "no term of the formula has tables");
  else if (names.size() <= most)
    diagnostics.note(range, what + (names.size() == 1 ? " is " : " are ") +
                                listed(names, "and"));
}

void Resolver::readEffect(const WrittenEffect &effect) {
  if (!llvm::is_contained(effects, effect.name)) {
    std::vector<llvm::StringRef> names;
    for (const Slot &slot : slots)
      if (names.empty() || names.back() != slot.effect)
        names.push_back(slot.effect);
    diagnostics.error(effect.range, "unknown effect '" + effect.name + "'");
    suggest(effect.range, effect.name,
            names.size() == 1 ? "the effect with tables"
                              : "the effects with tables",
            names);
    return;
  }
  if (tablesOfEffect(effect.name).empty()) {
    diagnostics.error(effect.range,
                      "expected an effect with tables, got '" + effect.name +
                          "', for which a fit draws and learns none");
    return;
  }
  if (effect.file)
    readFile(*effect.file, &effect);
  for (const WrittenTable &table : effect.tables)
    readTable(effect, table);
}

void Resolver::readTable(const WrittenEffect &effect,
                         const WrittenTable &table) {
  Slot *slot = find(effect.name, table.name);
  if (!slot) {
    std::vector<llvm::StringRef> names = tablesOfEffect(effect.name);
    diagnostics.error(table.range, "unknown table '" + table.name +
                                       "' of effect '" + effect.name + "'");
    suggest(table.range, table.name,
            names.size() == 1 ? "its table" : "its tables", names);
    return;
  }
  if (!checkShape(slot->form, table))
    return;
  if (auto fault = findFault(slot->form, table.values)) {
    diagnostics.error(table.places[fault->index],
                      "expected " + fault->expected + " in '" + table.name +
                          "', got " + formatNumber(table.values[fault->index]));
    return;
  }
  give(*slot, table.values, table.range);
}

bool Resolver::checkShape(const TableForm &form, const WrittenTable &table) {
  if (!table.nested) {
    if (static_cast<int64_t>(table.values.size()) == form.elements())
      return true;
    diagnostics.error(table.range, "expected " + showCount(form.shape) +
                                       " for '" + table.name + "', got " +
                                       llvm::Twine(table.values.size()));
    return false;
  }
  // A vector may be given as a column.
  int64_t rows = form.shape[0];
  int64_t columns = form.shape.size() > 1 ? form.shape[1] : 1;
  if (static_cast<int64_t>(table.rows.size()) != rows) {
    diagnostics.error(table.range,
                      "expected " + showCount({rows, columns}) + " for '" +
                          table.name + "', got " +
                          llvm::Twine(table.rows.size()) +
                          (table.rows.size() == 1 ? " row" : " rows"));
    return false;
  }
  for (const auto &[index, row] : llvm::enumerate(table.rows))
    if (static_cast<int64_t>(row.count) != columns) {
      diagnostics.error(row.range, "expected " + showCount({rows, columns}) +
                                       " for '" + table.name + "', got " +
                                       llvm::Twine(row.count) + " in row " +
                                       llvm::Twine(index + 1));
      return false;
    }
  return true;
}

void Resolver::give(Slot &slot, std::vector<double> values,
                    llvm::SMRange range) {
  if (slot.values) {
    diagnostics.error(range, "table '" + slot.form.name + "' of effect '" +
                                 slot.effect + "' is given twice");
    diagnostics.note(slot.range, "first given here");
    return;
  }
  slot.values = std::move(values);
  slot.range = range;
}

/// Reads a file with the tables of `effect`, or of all effects if it is null.
void Resolver::readFile(const WrittenFile &file, const WrittenEffect *effect) {
  llvm::SmallString<256> path(file.name);
  if (llvm::sys::path::is_relative(path)) {
    path = folder;
    llvm::sys::path::append(path, file.name);
  }
  spec.stateFiles.push_back(path.str().str());
  llvm::Expected<TensorFile> read = TensorFile::read(spec.stateFiles.back());
  if (!read) {
    diagnostics.error(file.range,
                      file.name + ": " + llvm::toString(read.takeError()));
    return;
  }
  bool any = false;
  for (const Tensor &tensor : read->tensors()) {
    // The other tensors of a weights file are results of a fit.
    if (!effect && !llvm::StringRef(tensor.name).starts_with(filePrefix))
      continue;
    any = true;
    readTensor(file, effect, tensor);
  }
  if (!any)
    diagnostics.error(file.range,
                      file.name + ": expected tensors called " +
                          (effect ? "as tables of '" + effect->name + "'"
                                  : "'tables.<effect>.<table>'") +
                          ", got none");
}

void Resolver::readTensor(const WrittenFile &file, const WrittenEffect *effect,
                          const Tensor &tensor) {
  auto fail = [&](const llvm::Twine &message) {
    diagnostics.error(file.range,
                      file.name + ": tensor '" + tensor.name + "': " + message);
  };
  llvm::StringRef name = tensor.name;
  Slot *slot = nullptr;
  if (effect) {
    slot = find(effect->name, name);
  } else if (auto found =
                 byName.find(fullName(name.drop_front(filePrefix.size())));
             found != byName.end()) {
    slot = &slots[found->second];
  }
  if (!slot) {
    fail("expected a table of " +
         (effect ? "effect '" + effect->name + "'" : "the model") +
         ", got another");
    std::vector<llvm::StringRef> names;
    if (effect)
      names = tablesOfEffect(effect->name);
    else
      for (const auto &entry : byName)
        names.push_back(entry.getKey());
    llvm::sort(names);
    if (!effect)
      name = name.drop_front(filePrefix.size());
    suggest(file.range, name, "the tables", names);
    return;
  }
  if (llvm::ArrayRef(tensor.shape) != llvm::ArrayRef(slot->form.shape))
    return fail("expected shape " + showShape(slot->form.shape) + ", got " +
                showShape(tensor.shape));
  llvm::Expected<std::vector<double>> values = tensor.numbers();
  if (!values)
    return fail(llvm::toString(values.takeError()));
  if (auto fault = findFault(slot->form, *values)) {
    return fail("expected " + fault->expected + " at index " +
                llvm::Twine(fault->index) + ", got " +
                showNumber((*values)[fault->index]));
  }
  give(*slot, std::move(*values), file.range);
}

} // namespace

void resolveState(const WrittenState &written, llvm::StringRef folder,
                  ModelSpec &spec, Diagnostics &diagnostics) {
  Resolver(folder, spec, diagnostics).run(written);
}

} // namespace tamc::spec
