//===- SpecParser.cpp - a model's YAML ------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecParser.h"

#include "Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace tamc::spec {

bool isDevice(llvm::StringRef text) {
  // LibTorch has devices of several kinds: torch:cpu, torch:xpu:0.
  text.consume_front("torch:");
  auto [name, index] = text.split(':');
  bool indexed = text.contains(':');
  auto letter = [](char c) {
    return llvm::isLower(c) || llvm::isDigit(c) || c == '_' || c == '-';
  };
  return !name.empty() && llvm::isLower(name[0]) &&
         llvm::all_of(name, letter) &&
         (!indexed || (!index.empty() && index.size() < 10 &&
                       llvm::all_of(index, llvm::isDigit)));
}

namespace {

/// A longer file is certainly not a spec.
constexpr size_t maximumSpecBytes = 1 << 20;

constexpr llvm::StringRef keys[] = {
    "name",      "formula", "group",    "date",       "weights",
    "solver",    "device",  "defaults", "chunk_rows", "oracle",
    "placement", "adapt",   "grid",     "state"};

std::optional<Solver> toSolver(llvm::StringRef word) {
  for (Solver solver : {Solver::Auto, Solver::Direct, Solver::CG})
    if (word == toString(solver))
      return solver;
  return std::nullopt;
}

/// The values of `device`, for messages. Only at run time is it known whether
/// there is such a device.
constexpr llvm::StringRef devices = "auto, cpu or a device such as cuda:1";

llvm::SMRange rangeAt(const char *at, size_t bytes) {
  return llvm::SMRange(llvm::SMLoc::getFromPointer(at),
                       llvm::SMLoc::getFromPointer(at + bytes));
}

/// The stem of the file's name, or "model".
std::string defaultName(llvm::StringRef identifier) {
  llvm::StringRef stem = llvm::sys::path::stem(identifier);
  if (stem.empty() || stem == "-" || stem.starts_with("<") ||
      findUnprintable(stem) != llvm::StringRef::npos)
    return "model";
  return stem.str();
}

/// Checks that `text` is UTF-8; it may start with a BOM.
bool checkEncoding(llvm::StringRef text, Diagnostics &diagnostics) {
  size_t bad = findNotText(text);
  if (bad == llvm::StringRef::npos)
    return true;
  diagnostics.error(rangeAt(text.begin() + bad, 1),
                    "expected UTF-8 text, got the byte 0x" +
                        llvm::utohexstr(static_cast<unsigned char>(text[bad]),
                                        /*LowerCase=*/true, /*Width=*/2));
  return false;
}

/// LLVM's reader recurses once for each of several commas in a row in a flow
/// collection, and would run out of stack. No spec has many in a row.
bool checkCommas(llvm::StringRef text, Diagnostics &diagnostics) {
  constexpr unsigned most = 256;
  unsigned run = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && run != 0) {
      // A comment does not end the run.
      i = text.find_first_of("\r\n", i);
      if (i == llvm::StringRef::npos)
        break;
    } else if (text[i] == ',') {
      if (++run > most) {
        diagnostics.error(rangeAt(text.begin() + i, 1),
                          "expected text between commas, got " +
                              llvm::Twine(run) + " commas in a row");
        return false;
      }
    } else if (!isSpace(text[i])) {
      run = 0;
    }
  }
  return true;
}

bool checkSize(llvm::StringRef text, Diagnostics &diagnostics) {
  if (text.size() <= maximumSpecBytes)
    return true;
  diagnostics.error(rangeAt(text.begin(), 0),
                    "expected a spec of at most " +
                        llvm::Twine(maximumSpecBytes) + " bytes, got " +
                        llvm::Twine(text.size()));
  return false;
}

} // namespace

/// Keeps the first message: later ones are its consequences.
void SpecParser::captureError(const llvm::SMDiagnostic &error, void *self) {
  auto *parser = static_cast<SpecParser *>(self);
  if (!parser->yamlError.empty())
    return;
  parser->yamlErrorPlace = error.getLoc().getPointer();
  // "Could not find closing ]!" -> "could not find closing ]"
  std::string text = error.getMessage().rtrim(".!").str();
  if (!text.empty())
    text[0] = llvm::toLower(text[0]);
  parser->yamlError = text.empty() ? "unexpected text" : text;
}

/// Whether the YAML reader found an error; reports it.
bool SpecParser::failed() {
  if (!stream.failed() && yamlError.empty())
    return false;
  if (diagnostics.hasErrors())
    return true;
  llvm::StringRef text = buffer.getBuffer();
  const char *at = yamlErrorPlace ? yamlErrorPlace : text.end();
  if (at < text.begin() || at > text.end())
    at = text.end();
  diagnostics.error(rangeAt(at, at == text.end() ? 0 : 1),
                    "malformed YAML: " + (yamlError.empty()
                                              ? std::string("unexpected text")
                                              : yamlError));
  return true;
}

/// `node` as a scalar. Any other node, and missing text, is an error.
std::optional<Scalar> SpecParser::scalar(llvm::yaml::Node *node, const Key &key,
                                         llvm::StringRef expected) {
  if (failed())
    return std::nullopt;
  auto complain = [&](llvm::SMRange range, llvm::StringRef got) {
    diagnostics.error(range, "expected " + expected + " for '" + key.text +
                                 "', got " + got);
    return std::nullopt;
  };
  if (!node || llvm::isa<llvm::yaml::NullNode>(node))
    return complain(key.range, "nothing");
  if (!node->getRawTag().empty())
    return complain(key.range, "the YAML tag " + node->getRawTag().str());
  Scalar scalar;
  scalar.range = node->getSourceRange();
  llvm::StringRef raw(scalar.range.Start.getPointer(),
                      scalar.range.End.getPointer() -
                          scalar.range.Start.getPointer());
  if (auto *plain = llvm::dyn_cast<llvm::yaml::ScalarNode>(node)) {
    llvm::SmallString<128> storage;
    llvm::StringRef value = plain->getValue(storage);
    if (failed())
      return std::nullopt;
    scalar.quoted = raw.starts_with("'") || raw.starts_with("\"");
    if (!scalar.quoted) {
      raw = raw.rtrim();
      scalar.range = rangeAt(raw.begin(), raw.size());
      if (value == "~" || value.equals_insensitive("null"))
        return complain(scalar.range, "nothing");
    }
    scalar.source = SourceText(value, raw);
    return scalar;
  }
  if (auto *block = llvm::dyn_cast<llvm::yaml::BlockScalarNode>(node)) {
    scalar.quoted = true;
    scalar.source = SourceText(block->getValue(), raw);
    return scalar;
  }
  llvm::StringRef kind = "an alias";
  if (llvm::isa<llvm::yaml::MappingNode>(node))
    kind = "a mapping";
  else if (llvm::isa<llvm::yaml::SequenceNode>(node))
    kind = "a list";
  return complain(key.range, kind);
}

/// Reads a text on one line that is not empty.
bool SpecParser::name(llvm::yaml::Node *node, const Key &key,
                      llvm::StringRef expected, std::string &result) {
  std::optional<Scalar> read = scalar(node, key, expected);
  if (!read)
    return false;
  llvm::StringRef text = read->text();
  if (text.empty()) {
    diagnostics.error(read->range, "expected " + expected + " for '" +
                                       key.text + "', got empty text");
    return true;
  }
  size_t bad = findUnprintable(text);
  if (bad != llvm::StringRef::npos) {
    diagnostics.error(read->source.range(bad, bad + 1),
                      "expected " + expected + " for '" + key.text +
                          "', got a line break or control character in it");
    return true;
  }
  result = text.str();
  return true;
}

bool SpecParser::chunkRows(llvm::yaml::Node *node, const Key &key) {
  std::optional<Scalar> read = scalar(node, key, "a positive integer or all");
  if (!read)
    return false;
  if (read->text() == "all") {
    spec.chunkRows = allRows;
    return true;
  }
  std::optional<int64_t> rows = parseInteger(read->text());
  if (rows && *rows > 0 && !read->quoted)
    spec.chunkRows = *rows;
  else
    diagnostics.error(read->range, "expected a positive integer or all for "
                                   "'chunk_rows', got '" +
                                       read->text() + "'");
  return true;
}

/// Calls `body` for every entry of the mapping `node`; keys must be text and
/// unique. False: an error was reported in the middle of a node, and reading
/// must stop.
bool SpecParser::eachEntry(
    llvm::yaml::Node *node, llvm::StringRef what, llvm::SMRange range,
    llvm::function_ref<bool(const Key &, llvm::yaml::Node *)> body) {
  auto *mapping = llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(node);
  if (failed())
    return false;
  if (!mapping) {
    diagnostics.error(range, "expected a mapping 'key: value' " + what);
    return false;
  }
  std::map<std::string, llvm::SMRange> seen;
  for (llvm::yaml::KeyValueNode &pair : *mapping) {
    llvm::yaml::Node *keyNode = pair.getKey();
    if (failed())
      return false;
    auto *scalarKey = llvm::dyn_cast_or_null<llvm::yaml::ScalarNode>(keyNode);
    if (!scalarKey) {
      diagnostics.error(keyNode ? keyNode->getSourceRange() : range,
                        "expected a key of plain text");
      return false;
    }
    llvm::SmallString<32> storage;
    Key key{scalarKey->getValue(storage).str(), scalarKey->getSourceRange()};
    if (failed())
      return false;
    auto [first, fresh] = seen.try_emplace(key.text, key.range);
    if (!fresh) {
      diagnostics.error(key.range, "'" + key.text + "' is given twice");
      diagnostics.note(first->second, "first given here");
      return false;
    }
    llvm::yaml::Node *value = pair.getValue();
    if (failed() || !body(key, value) || failed())
      return false;
  }
  return !failed();
}

/// One key of the document. False: stop reading.
bool SpecParser::entry(const Key &key, llvm::yaml::Node *node) {
  constexpr llvm::StringLiteral column = "a column name";
  if (key.text == "formula") {
    formula = scalar(node, key, "a formula");
    return formula.has_value();
  }
  if (key.text == "name")
    return name(node, key, "a name", spec.name);
  if (key.text == "group")
    return name(node, key, column, spec.group);
  if (key.text == "date")
    return name(node, key, column, spec.date);
  if (key.text == "weights")
    return name(node, key, column, spec.weights);
  if (key.text == "chunk_rows")
    return chunkRows(node, key);
  if (key.text == "defaults")
    return eachEntry(node, "for 'defaults'", key.range,
                     [&](const Key &term, llvm::yaml::Node *value) {
                       return defaultsOf(term, value);
                     });
  if (key.text == "state") {
    if (!llvm::isa_and_nonnull<llvm::yaml::MappingNode>(node))
      return (state.file = stateFile(node, key)).has_value();
    return eachEntry(node, "for 'state'", key.range,
                     [&](const Key &effect, llvm::yaml::Node *value) {
                       return stateOf(effect, value);
                     });
  }
  if (key.text == "solver" || key.text == "device") {
    bool isSolver = key.text == "solver";
    llvm::StringRef expected = isSolver ? "auto, direct or cg" : devices;
    std::optional<Scalar> read = scalar(node, key, expected);
    if (!read)
      return false;
    std::optional<Solver> solver = toSolver(read->text());
    if (isSolver && solver) {
      spec.solver = *solver;
    } else if (!isSolver && isDevice(read->text())) {
      spec.device = read->text().str();
    } else {
      diagnostics.error(read->range, "expected " + expected + " for '" +
                                         key.text + "', got '" + read->text() +
                                         "'");
      if (isSolver)
        diagnostics.suggest(read->range, read->text(), {"direct"});
    }
    return true;
  }
  if (key.text == "oracle") {
    spec.oracle.emplace();
    if (!llvm::isa_and_nonnull<llvm::yaml::MappingNode>(node))
      return oracleRule(node, key);
    return eachEntry(node, "for 'oracle'", key.range,
                     [&](const Key &setting, llvm::yaml::Node *value) {
                       return oracleEntry(setting, value);
                     });
  }
  if (key.text == "placement") {
    spec.placement.emplace();
    return eachEntry(node, "for 'placement'", key.range,
                     [&](const Key &step, llvm::yaml::Node *value) {
                       return placementEntry(step, value);
                     });
  }
  if (key.text == "adapt") {
    spec.adapt.emplace();
    adaptRange = key.range;
    return eachEntry(node, "for 'adapt'", key.range,
                     [&](const Key &setting, llvm::yaml::Node *value) {
                       return adaptEntry(setting, value);
                     });
  }
  if (key.text == "grid") {
    spec.grid.emplace();
    gridRange = key.range;
    return eachEntry(node, "for 'grid'", key.range,
                     [&](const Key &token, llvm::yaml::Node *value) {
                       return gridToken(token, value);
                     });
  }
  return unknownKey(key, "key", keys);
}

/// Reports a key that is not in `known`. Returns false: the value may have any
/// form, and reading must stop.
bool SpecParser::unknownKey(const Key &key, llvm::StringRef what,
                            llvm::ArrayRef<llvm::StringRef> known) {
  diagnostics.error(key.range, "unknown " + what + " '" + key.text + "'");
  llvm::StringRef near = closest(key.text, known);
  if (near.empty())
    diagnostics.note(key.range,
                     "the " + what + "s are " + listed(known, "and"));
  else
    diagnostics.note(key.range, "did you mean '" + near + "'?");
  return false;
}

/// `[lo, hi]`.
std::optional<ParsedValue> SpecParser::yamlPair(llvm::yaml::SequenceNode *node,
                                                const Key &key) {
  std::vector<std::optional<double>> numbers;
  for (llvm::yaml::Node &item : *node) {
    if (numbers.size() == 2 || !llvm::isa<llvm::yaml::ScalarNode>(item)) {
      numbers.clear();
      break;
    }
    std::optional<Scalar> read = scalar(&item, key, "[number, number]");
    if (!read)
      return std::nullopt;
    numbers.push_back(parseNumber(read->text()));
  }
  if (failed())
    return std::nullopt;
  if (numbers.size() != 2 || !numbers[0] || !numbers[1]) {
    diagnostics.error(key.range,
                      "expected [number, number] for '" + key.text + "'");
    return std::nullopt;
  }
  ParsedValue parsed;
  parsed.value = Pair{*numbers[0], *numbers[1]};
  parsed.text = ("[" + llvm::Twine(formatNumber(*numbers[0])) + ", " +
                 formatNumber(*numbers[1]) + "]")
                    .str();
  parsed.range = key.range;
  return parsed;
}

/// Value of a default: in the formula's spelling, or in YAML's for True, False
/// and pairs.
std::optional<ParsedValue> SpecParser::yamlValue(llvm::yaml::Node *node,
                                                 const Key &key) {
  if (auto *list = llvm::dyn_cast_or_null<llvm::yaml::SequenceNode>(node))
    return yamlPair(list, key);
  std::optional<Scalar> read = scalar(node, key, "a value");
  if (!read)
    return std::nullopt;
  if (!read->quoted && read->text() != "true" && read->text() != "false")
    return parseValue(read->source, 0, read->text().size(), diagnostics);
  ParsedValue parsed;
  if (read->quoted)
    parsed.value = read->text().str();
  else
    parsed.value = read->text() == "true";
  parsed.quoted = read->quoted;
  parsed.text =
      read->quoted ? ("'" + read->text() + "'").str() : read->text().str();
  parsed.range = read->range;
  return parsed;
}

/// One parameter of `defaults:`; `info` is null for `all`.
bool SpecParser::defaultValue(const TermInfo *info, const Key &key,
                              llvm::yaml::Node *node) {
  bool common = key.text == "ap" || key.text == "extrapolate";
  const ParameterInfo *parameter = info ? info->find(key.text) : nullptr;
  // A column has no default: it belongs to one term.
  if (parameter && parameter->type == ParameterType::Column)
    parameter = nullptr;
  if (!common && !parameter) {
    llvm::StringRef owner = info ? llvm::StringRef(info->name) : "all";
    diagnostics.error(key.range,
                      "no default for '" + key.text + "' of " + owner);
    llvm::SmallVector<llvm::StringRef> names;
    if (info)
      for (const ParameterInfo &known : info->parameters)
        if (known.type != ParameterType::Column)
          names.push_back(known.name);
    names.append({"ap", "extrapolate"});
    llvm::StringRef near = closest(key.text, names);
    if (near.empty())
      diagnostics.note(key.range,
                       "defaults of " + owner + " are " + listed(names, "and"));
    else
      diagnostics.note(key.range, "did you mean '" + near + "'?");
    return false;
  }
  std::optional<ParsedValue> value = yamlValue(node, key);
  if (!value)
    return false;
  if (!checkNoToken(*value, diagnostics))
    return true;
  std::optional<Value> checked =
      common ? checkCommon(key.text, *value, diagnostics)
             : checkValue(*parameter, key.text, *value, diagnostics);
  if (!checked)
    return true;
  auto &entries = info ? defaults.terms[info->kind] : defaults.all;
  entries[key.text] = {*checked, value->range};
  return true;
}

bool SpecParser::defaultsOf(const Key &term, llvm::yaml::Node *node) {
  const TermInfo *info = findTerm(term.text);
  if (!info && term.text != "all") {
    llvm::SmallVector<llvm::StringRef> names = {"all"};
    for (const TermInfo &known : allTerms())
      names.push_back(known.name);
    diagnostics.error(term.range, "expected a term or all in 'defaults', got "
                                  "'" +
                                      term.text + "'");
    diagnostics.note(term.range,
                     "the terms are " +
                         listed(llvm::ArrayRef(names).drop_front(), "and"));
    return false;
  }
  if (info && defaults.terms.count(info->kind)) {
    // Names of terms ignore case, keys of a mapping do not.
    diagnostics.error(term.range, "'" + info->name + "' is given twice");
    return false;
  }
  if (info)
    defaults.terms[info->kind];
  return eachEntry(node, "for '" + term.text + "' of 'defaults'", term.range,
                   [&](const Key &key, llvm::yaml::Node *value) {
                     return defaultValue(info, key, value);
                   });
}

/// A file instead of a mapping.
std::optional<WrittenFile> SpecParser::stateFile(llvm::yaml::Node *node,
                                                 const Key &key) {
  constexpr llvm::StringLiteral expected =
      "a mapping or a file '*.safetensors'";
  std::optional<Scalar> read = scalar(node, key, expected);
  if (!read)
    return std::nullopt;
  if (!read->text().ends_with(".safetensors") ||
      findUnprintable(read->text()) != llvm::StringRef::npos) {
    diagnostics.error(read->range, "expected " + expected + " for '" +
                                       key.text + "', got '" + read->text() +
                                       "'");
    return std::nullopt;
  }
  return WrittenFile{read->text().str(), read->range};
}

bool SpecParser::stateOf(const Key &effect, llvm::yaml::Node *node) {
  WrittenEffect &written = state.effects.emplace_back();
  written.name = effect.text;
  written.range = effect.range;
  if (!llvm::isa_and_nonnull<llvm::yaml::MappingNode>(node))
    return (written.file = stateFile(node, effect)).has_value();
  return eachEntry(node, "for '" + effect.text + "' of 'state'", effect.range,
                   [&](const Key &key, llvm::yaml::Node *value) {
                     WrittenTable &table = written.tables.emplace_back();
                     table.name = key.text;
                     table.range = key.range;
                     return stateTable(key, value, table);
                   });
}

/// Reads numbers, or rows of numbers; a single number may be without brackets.
bool SpecParser::stateTable(const Key &key, llvm::yaml::Node *node,
                            WrittenTable &table) {
  auto *list = llvm::dyn_cast_or_null<llvm::yaml::SequenceNode>(node);
  if (!list) {
    std::optional<Scalar> read = scalar(node, key, "a list of numbers");
    return read && stateNumber(key, *read, table);
  }
  bool flat = false;
  for (llvm::yaml::Node &item : *list) {
    auto *row = llvm::dyn_cast<llvm::yaml::SequenceNode>(&item);
    (row ? table.nested : flat) = true;
    if (table.nested && flat) {
      diagnostics.error(key.range, "expected numbers or rows of numbers for '" +
                                       key.text + "', got both");
      return false;
    }
    if (!row) {
      std::optional<Scalar> read = scalar(&item, key, "a list of numbers");
      if (!read || !stateNumber(key, *read, table))
        return false;
      continue;
    }
    size_t first = table.values.size();
    for (llvm::yaml::Node &number : *row) {
      std::optional<Scalar> read = scalar(&number, key, "rows of numbers");
      if (!read || !stateNumber(key, *read, table))
        return false;
    }
    size_t count = table.values.size() - first;
    table.rows.push_back({count ? table.places[first] : key.range, count});
  }
  return !failed();
}

bool SpecParser::stateNumber(const Key &key, const Scalar &scalar,
                             WrittenTable &table) {
  std::optional<double> number =
      scalar.quoted ? std::nullopt : parseNumber(scalar.text());
  if (!number) {
    diagnostics.error(scalar.range, "expected a finite number in '" + key.text +
                                        "', got '" + scalar.text() + "'");
    return !failed();
  }
  table.values.push_back(*number);
  table.places.push_back(scalar.range);
  return true;
}

bool SpecParser::readDocument() {
  llvm::StringRef text = buffer.getBuffer();
  llvm::yaml::document_iterator document = stream.begin();
  if (failed())
    return false;
  llvm::yaml::Node *root = document->getRoot();
  if (failed())
    return false;
  if (!root || llvm::isa<llvm::yaml::NullNode>(root)) {
    diagnostics.error(rangeAt(text.begin(), 0),
                      "expected a spec with the key 'formula', got an empty "
                      "document");
    return false;
  }
  if (!eachEntry(root, "with the key 'formula'", root->getSourceRange(),
                 [&](const Key &key, llvm::yaml::Node *value) {
                   return entry(key, value);
                 }))
    return false;
  ++document;
  if (failed())
    return false;
  if (document != stream.end()) {
    llvm::yaml::Node *second = document->getRoot();
    if (failed())
      return false;
    // `...` or `---` at the end opens a document without content.
    bool content = second && !llvm::isa<llvm::yaml::NullNode>(second);
    diagnostics.error(content ? second->getSourceRange()
                              : rangeAt(text.end(), 0),
                      "expected one document, got another");
    return false;
  }
  return true;
}

/// Checks that the target has no other role: a prediction has no target to
/// read.
static void checkTarget(const ModelSpec &spec, Diagnostics &diagnostics) {
  if (spec.target.empty())
    return;
  const std::string target = "the target '" + spec.target + "'";
  for (const Term &term : spec.terms)
    if (llvm::is_contained(term.features(), spec.target)) {
      diagnostics.error(term.range,
                        "expected features other than " + target + ", got it");
      diagnostics.note(term.range, "values of the target that are known when "
                                   "it is predicted, such as those of the day "
                                   "before, make a column of their own");
    }
  auto check = [&](llvm::StringRef column, llvm::StringRef what) {
    if (column == spec.target)
      diagnostics.error(spec.formulaRange, "expected a column other than " +
                                               target + " as " + what +
                                               ", got it");
  };
  check(spec.group, "group");
  check(spec.weights, "weights");
}

std::optional<ModelSpec> SpecParser::run() {
  bool whole = readDocument();
  llvm::StringRef text = buffer.getBuffer();
  if (whole && !formula)
    diagnostics.error(rangeAt(text.begin(), 0),
                      "expected the key 'formula', got none");
  // Report the formula's errors even if the rest has errors.
  if (formula) {
    ParsedFormula parsed = parseFormula(formula->source, diagnostics);
    spec.formula = formula->text().trim().str();
    spec.formulaRange = formula->range;
    spec.target = parsed.target;
    for (const ParsedTerm &term : parsed.terms)
      if (gridRange)
        addChoices(term);
      else if (auto checked = checkTerm(term, defaults, diagnostics))
        spec.terms.push_back(std::move(*checked));
    checkTarget(spec, diagnostics);
  }
  if (whole && gridRange)
    finishGrid();
  // Its features may be effects of the formula.
  if (whole && spec.adapt)
    finishAdapt();
  // The tables' names and shapes follow from the terms.
  llvm::StringRef file = buffer.getBufferIdentifier();
  if (!diagnostics.hasErrors())
    resolveState(state, llvm::sys::path::parent_path(file), spec, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  if (spec.name.empty())
    spec.name = defaultName(file);
  return std::move(spec);
}

/// Sets a name given on the command line.
static void overrideName(llvm::StringRef option,
                         const std::optional<std::string> &text,
                         std::string &result, Diagnostics &diagnostics) {
  if (!text)
    return;
  if (text->empty() || findUnprintable(*text) != llvm::StringRef::npos)
    diagnostics.error({}, "expected a name of printable text for --" + option +
                              ", got '" + *text + "'");
  else
    result = *text;
}

std::optional<ModelSpec> parseSpec(llvm::SourceMgr &sources,
                                   unsigned bufferID) {
  Diagnostics diagnostics(sources);
  llvm::MemoryBufferRef buffer = *sources.getMemoryBuffer(bufferID);
  llvm::StringRef text = buffer.getBuffer();
  if (!checkSize(text, diagnostics) || !checkEncoding(text, diagnostics) ||
      !checkCommas(text, diagnostics))
    return std::nullopt;
  return SpecParser(buffer, diagnostics).run();
}

bool applyOverrides(llvm::SourceMgr &sources, ModelSpec &spec,
                    const SpecOverrides &overrides) {
  Diagnostics diagnostics(sources);
  overrideName("name", overrides.name, spec.name, diagnostics);
  overrideName("group", overrides.group, spec.group, diagnostics);
  overrideName("date", overrides.date, spec.date, diagnostics);
  overrideName("weights", overrides.weights, spec.weights, diagnostics);
  if (overrides.solver) {
    if (auto solver = toSolver(*overrides.solver))
      spec.solver = *solver;
    else
      diagnostics.error({}, "expected auto, direct or cg for --solver, got '" +
                                *overrides.solver + "'");
  }
  if (spec.grid && spec.solver == Solver::CG)
    diagnostics.error({}, "expected the direct solver for a formula with "
                          "tokens, got cg");
  if (overrides.device) {
    if (isDevice(*overrides.device))
      spec.device = *overrides.device;
    else
      diagnostics.error({}, "expected " + devices + " for --device, got '" +
                                *overrides.device + "'");
  }
  checkTarget(spec, diagnostics);
  return !diagnostics.hasErrors();
}

std::optional<ModelSpec> parseFormulaSpec(llvm::SourceMgr &sources,
                                          unsigned bufferID,
                                          const SpecOverrides &overrides) {
  Diagnostics diagnostics(sources);
  llvm::MemoryBufferRef buffer = *sources.getMemoryBuffer(bufferID);
  llvm::StringRef text = buffer.getBuffer();
  if (!checkSize(text, diagnostics) || !checkEncoding(text, diagnostics))
    return std::nullopt;
  ModelSpec spec;
  spec.formula = text.trim().str();
  spec.formulaRange = rangeAt(text.begin(), text.size());
  SourceText source(text);
  ParsedFormula parsed = parseFormula(source, diagnostics);
  spec.target = parsed.target;
  for (const ParsedTerm &term : parsed.terms)
    if (auto checked = checkTerm(term, TermDefaults(), diagnostics))
      spec.terms.push_back(std::move(*checked));
  bool overridden = applyOverrides(sources, spec, overrides);
  if (diagnostics.hasErrors() || !overridden)
    return std::nullopt;
  if (spec.name.empty())
    spec.name = defaultName(buffer.getBufferIdentifier());
  return spec;
}

} // namespace tamc::spec
