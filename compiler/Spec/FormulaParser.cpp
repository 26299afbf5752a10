//===- FormulaParser.cpp - grammar of the formula -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormulaParser.h"

#include "Text.h"

#include "tamc/Spec/Terms.h"

#include "llvm/ADT/StringExtras.h"

namespace tamc::spec {
namespace {

/// Bytes [begin, end) of the formula.
struct Span {
  size_t begin, end;

  bool empty() const { return begin == end; }
};

/// The end of the quoted text that begins at `at`, after its closing quote, or
/// npos.
size_t skipQuoted(llvm::StringRef text, size_t at) {
  char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == quote)
      return at + 1;
  }
  return llvm::StringRef::npos;
}

bool isQuote(char c) { return c == '\'' || c == '"'; }

/// The text with one blank for each run of white space outside quotes: the form
/// in which a term is shown.
std::string onOneLine(llvm::StringRef text) {
  std::string line;
  for (size_t i = 0; i != text.size();) {
    size_t end = i + 1;
    if (isSpace(text[i])) {
      while (end != text.size() && isSpace(text[end]))
        ++end;
      line += ' ';
    } else {
      if (isQuote(text[i]))
        end = std::min(skipQuoted(text, i), text.size());
      line += text.slice(i, end);
    }
    i = end;
  }
  return line;
}

/// A name for a column with the values of `written`: log_y for log(y).
std::string columnFor(llvm::StringRef written) {
  std::string name;
  for (char c : written)
    if (isIdentifierBody(c))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  return !name.empty() && isIdentifierStart(name[0]) ? name : "x_" + name;
}

class Parser {
public:
  Parser(const SourceText &source, Diagnostics &diagnostics)
      : source(source), text(source.text()), diagnostics(diagnostics) {}

  ParsedFormula formula();
  std::optional<ParsedValue> value(Span span);

private:
  llvm::SMRange range(Span span) const {
    return source.range(span.begin, span.end);
  }
  llvm::SMRange at(size_t offset) const {
    return source.range(offset, offset < text.size() ? offset + 1 : offset);
  }
  llvm::StringRef slice(Span span) const {
    return text.slice(span.begin, span.end);
  }
  Span trim(Span span) const {
    while (!span.empty() && isSpace(text[span.begin]))
      ++span.begin;
    while (!span.empty() && isSpace(text[span.end - 1]))
      --span.end;
    return span;
  }

  bool checkBalance();
  std::vector<size_t> find(Span span, char separator) const;
  std::vector<Span> split(Span span, char separator) const;
  std::optional<std::string> column(Span span, llvm::StringRef what);
  std::optional<std::string> unquote(Span span);
  std::optional<ParsedValue> pair(Span span);
  void summands(Span span, std::list<ParsedTerm> &terms);
  std::optional<ParsedTerm> term(Span span, unsigned depth);
  void notATerm(Span span, size_t nameEnd);
  bool argument(Span span, ParsedTerm &term);
  void notAnArgument(Span span, const ParsedTerm &term);

  const SourceText &source;
  llvm::StringRef text;
  Diagnostics &diagnostics;
};

/// Checks that parentheses and quotes are balanced, which later functions rely
/// on when they split the text.
bool Parser::checkBalance() {
  std::vector<size_t> open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (isQuote(text[i])) {
      size_t end = skipQuoted(text, i);
      if (end == llvm::StringRef::npos) {
        diagnostics.error(at(i), llvm::Twine("this ") + text.substr(i, 1) +
                                     " is never closed");
        return false;
      }
      i = end - 1;
    } else if (text[i] == '(') {
      open.push_back(i);
      if (open.size() > maximumDepth) {
        diagnostics.error(at(i), "parentheses nest deeper than " +
                                     llvm::Twine(maximumDepth));
        return false;
      }
    } else if (text[i] == ')') {
      if (open.empty()) {
        diagnostics.error(at(i), "this ')' closes nothing");
        return false;
      }
      open.pop_back();
    }
  }
  if (open.empty())
    return true;
  diagnostics.error(at(open.back()), "this '(' is never closed");
  return false;
}

/// Offsets of `separator` outside parentheses and quotes.
std::vector<size_t> Parser::find(Span span, char separator) const {
  std::vector<size_t> places;
  unsigned depth = 0;
  for (size_t i = span.begin; i < span.end; ++i) {
    if (isQuote(text[i]))
      i = skipQuoted(text, i) - 1;
    else if (text[i] == '(')
      ++depth;
    else if (text[i] == ')')
      --depth;
    else if (text[i] == separator && depth == 0)
      places.push_back(i);
  }
  return places;
}

std::vector<Span> Parser::split(Span span, char separator) const {
  std::vector<Span> parts;
  for (size_t place : find(span, separator)) {
    parts.push_back(trim({span.begin, place}));
    span.begin = place + 1;
  }
  parts.push_back(trim(span));
  return parts;
}

/// The text between the quotes around `span`; the closing quote must be at its
/// end.
std::optional<std::string> Parser::unquote(Span span) {
  size_t end = skipQuoted(text, span.begin);
  if (end != span.end) {
    size_t rest = trim({end, span.end}).begin;
    diagnostics.error(at(rest), "unexpected '" + text.substr(rest, 1) +
                                    "' after a quoted text");
    return std::nullopt;
  }
  std::string value;
  for (size_t i = span.begin + 1; i != span.end - 1; ++i) {
    if (text[i] == '\\') {
      ++i;
      if (!isQuote(text[i]) && text[i] != '\\') {
        diagnostics.error(range({i - 1, i + 1}),
                          "expected a quote or a backslash after '\\'");
        return std::nullopt;
      }
    }
    value += text[i];
  }
  size_t bad = findUnprintable(slice({span.begin + 1, span.end - 1}));
  if (bad != llvm::StringRef::npos) {
    diagnostics.error(at(span.begin + 1 + bad),
                      "unexpected control character in a quoted text");
    return std::nullopt;
  }
  return value;
}

/// A column's name, bare or quoted. `what` describes it in messages: "a
/// column", "the target".
std::optional<std::string> Parser::column(Span span, llvm::StringRef what) {
  if (span.empty()) {
    diagnostics.error(at(span.begin), "expected " + what + ", got nothing");
    return std::nullopt;
  }
  llvm::StringRef name = slice(span);
  if (isQuote(name[0])) {
    std::optional<std::string> value = unquote(span);
    if (value && value->empty()) {
      diagnostics.error(range(span),
                        "expected " + what + ", got an empty name");
      return std::nullopt;
    }
    return value;
  }
  size_t bad =
      isIdentifierStart(name[0]) ? name.find_if_not(isIdentifierBody) : 0;
  if (bad == llvm::StringRef::npos) {
    bad = findUnprintable(name);
    if (bad == llvm::StringRef::npos)
      return name.str();
    diagnostics.error(at(span.begin + bad),
                      "unexpected control character in a name");
    return std::nullopt;
  }
  diagnostics.error(at(span.begin + bad), "expected " + what +
                                              ", got unexpected '" +
                                              name.substr(bad, 1) + "'");
  if (findUnprintable(name) != llvm::StringRef::npos)
    return std::nullopt;
  if (name.contains('('))
    diagnostics.note(range(span), "a formula computes nothing: put the values "
                                  "of " +
                                      onOneLine(name) +
                                      " into a column of the data, such as '" +
                                      columnFor(name) +
                                      "', and write its name");
  else
    diagnostics.note(range(span),
                     "quote a name that is no identifier: '" + name + "'");
  return std::nullopt;
}

/// `(lo, hi)`.
std::optional<ParsedValue> Parser::pair(Span span) {
  ParsedValue parsed;
  std::vector<Span> parts;
  if (text[span.end - 1] == ')')
    parts = split({span.begin + 1, span.end - 1}, ',');
  std::optional<double> numbers[2];
  for (size_t i = 0; i != parts.size() && i != 2; ++i)
    numbers[i] = parseNumber(slice(parts[i]));
  if (parts.size() != 2 || !numbers[0] || !numbers[1]) {
    diagnostics.error(range(span), "expected (number, number), got '" +
                                       onOneLine(slice(span)) + "'");
    return std::nullopt;
  }
  parsed.value = Pair{*numbers[0], *numbers[1]};
  return parsed;
}

std::optional<ParsedValue> Parser::value(Span span) {
  span = trim(span);
  if (span.empty()) {
    diagnostics.error(at(span.begin), "expected a value, got nothing");
    return std::nullopt;
  }
  llvm::StringRef written = slice(span);
  std::optional<ParsedValue> parsed = ParsedValue();
  if (isQuote(written[0])) {
    std::optional<std::string> content = unquote(span);
    if (!content)
      return std::nullopt;
    parsed->value = *content;
    parsed->quoted = true;
  } else if (written[0] == '(') {
    parsed = pair(span);
    if (!parsed)
      return std::nullopt;
  } else if (written[0] == '$' && isIdentifier(written.drop_front())) {
    parsed->token = written.drop_front().str();
  } else if (written == "True" || written == "False") {
    parsed->value = written == "True";
  } else if (written == "None") {
    parsed->value = std::monostate();
  } else if (auto integer = parseInteger(written)) {
    parsed->value = *integer;
  } else if (auto number = parseNumber(written)) {
    parsed->value = *number;
  } else if (llvm::StringRef("+-.0123456789").contains(written[0])) {
    diagnostics.error(range(span), "expected a finite number, got '" +
                                       onOneLine(written) + "'");
    return std::nullopt;
  } else {
    // A word, which may contain the bars of `others=x|y`.
    size_t bad = written.find_if_not(
        [](char c) { return isIdentifierBody(c) || c == '|'; });
    if (bad == llvm::StringRef::npos)
      bad = findUnprintable(written);
    if (bad != llvm::StringRef::npos) {
      diagnostics.error(at(span.begin + bad),
                        "expected a value, got unexpected '" +
                            written.substr(bad, 1) + "'");
      if (findUnprintable(written) == llvm::StringRef::npos)
        diagnostics.note(range(span), "text that is no word stands in quotes");
      return std::nullopt;
    }
    parsed->value = written.str();
  }
  parsed->text = onOneLine(written);
  parsed->range = range(span);
  return parsed;
}

/// Reports a summand or a part of `te` that is not a term.
void Parser::notATerm(Span span, size_t nameEnd) {
  llvm::StringRef written = slice(span);
  llvm::StringRef offset = "the offset is always part of the model";
  if (written == "0" || written == "-1") {
    diagnostics.error(range(span), "expected a term, got '" + written + "'");
    diagnostics.note(range(span), offset);
  } else if (isIdentifier(written) || isQuote(written[0])) {
    diagnostics.error(range(span), "expected a term such as s(x), got the bare "
                                   "variable " +
                                       onOneLine(written));
    if (isIdentifier(written))
      diagnostics.note(range(span), "write l(" + written +
                                        ") for a linear effect, s(" + written +
                                        ") for a smooth one");
  } else if (nameEnd == span.begin) {
    diagnostics.error(at(span.begin), "expected a term such as s(x), got '" +
                                          written.substr(0, 1) + "'");
  } else {
    size_t bad = trim({nameEnd, span.end}).begin;
    diagnostics.error(at(bad), "expected '(' after '" +
                                   slice({span.begin, nameEnd}) + "', got '" +
                                   text.substr(bad, 1) + "'");
  }
}

std::optional<ParsedTerm> Parser::term(Span span, unsigned depth) {
  size_t nameEnd = span.begin;
  while (nameEnd != span.end && isIdentifierBody(text[nameEnd]) &&
         isIdentifierStart(text[span.begin]))
    ++nameEnd;
  size_t open = trim({nameEnd, span.end}).begin;
  if (nameEnd == span.begin || open == span.end || text[open] != '(') {
    notATerm(span, nameEnd);
    return std::nullopt;
  }
  Span nameSpan{span.begin, nameEnd};
  llvm::StringRef name = slice(nameSpan);
  const TermInfo *info = findTerm(name);
  if (!info) {
    diagnostics.error(range(nameSpan), "unknown term '" + name + "'");
    llvm::SmallVector<llvm::StringRef> titles, names;
    for (const TermInfo &known : allTerms()) {
      titles.push_back(known.title);
      names.push_back(known.name);
    }
    // Nearly all names are too short for a misspelling; a long one is probably
    // a term's long name.
    llvm::StringRef title = name.size() > 2 ? closest(name, titles) : "";
    if (title.empty())
      diagnostics.note(range(nameSpan),
                       "the terms are " + listed(names, "and"));
    else
      diagnostics.note(range(nameSpan),
                       "did you mean '" +
                           names[llvm::find(titles, title) - titles.begin()] +
                           "' (" + title + ")?");
    return std::nullopt;
  }
  // The parenthesis that opens here must close at the end of the term.
  size_t close = open + 1;
  for (unsigned level = 1; level != 0; ++close) {
    if (isQuote(text[close]))
      close = skipQuoted(text, close) - 1;
    else if (text[close] == '(')
      ++level;
    else if (text[close] == ')')
      --level;
  }
  if (close != span.end) {
    size_t bad = trim({close, span.end}).begin;
    diagnostics.error(at(bad), "expected '+' or the end of the term, got '" +
                                   text.substr(bad, 1) + "'");
    if (text[bad] == '*' || text[bad] == ':')
      diagnostics.note(at(bad), "write te(A, B) for the interaction of terms");
    else if (text[bad] == '-')
      diagnostics.note(at(bad),
                       "leave a term out to remove it; the offset is always "
                       "part of the model");
    return std::nullopt;
  }

  ParsedTerm parsed;
  parsed.kind = info->kind;
  parsed.nameRange = range(nameSpan);
  parsed.text = onOneLine(slice(span));
  parsed.range = range(span);
  bool tensor = info->kind == TermKind::Tensor;
  bool good = true;
  std::vector<Span> parts = split({open + 1, close - 1}, ',');
  bool first = true;
  for (Span part : parts) {
    bool isFirst = std::exchange(first, false);
    if (part.empty()) {
      std::string what = isFirst
                             ? (tensor ? "a term" : "a column")
                             : (tensor ? "a term or key=value" : "key=value");
      diagnostics.error(at(part.begin), "expected " + what + ", got nothing");
      good = false;
      continue;
    }
    bool keyed = !find(part, '=').empty();
    if (tensor && !keyed) {
      std::optional<ParsedTerm> factor = term(part, depth + 1);
      if (factor)
        parsed.factors.push_back(std::move(*factor));
      else
        good = false;
    } else if (!tensor && isFirst) {
      if (keyed) {
        diagnostics.error(range(part), "expected a column first, got '" +
                                           onOneLine(slice(part)) + "'");
        good = false;
        continue;
      }
      std::optional<std::string> name = column(part, "a column");
      if (name)
        parsed.feature = *name;
      else
        good = false;
    } else if (!keyed) {
      notAnArgument(part, parsed);
      good = false;
    } else if (!argument(part, parsed)) {
      good = false;
    }
  }
  if (tensor && good && parsed.factors.size() < 2) {
    diagnostics.error(parsed.range, "expected two or more terms in te, got " +
                                        llvm::Twine(parsed.factors.size()));
    good = false;
  }
  if (!good)
    return std::nullopt;
  return parsed;
}

/// Reports a second positional argument.
void Parser::notAnArgument(Span span, const ParsedTerm &term) {
  llvm::StringRef written = slice(span);
  const TermInfo &info = termInfo(term.kind);
  diagnostics.error(range(span),
                    "expected key=value, got '" + onOneLine(written) + "'");
  if (isIdentifier(written) && info.others)
    diagnostics.note(range(span),
                     "write others='" + written + "' for more inputs");
  else if (isIdentifier(written))
    diagnostics.note(range(span), "a term of several features is a product: "
                                  "te(s(a), s(b))");
  else if (parseNumber(written) && !info.parameters.empty())
    diagnostics.note(range(span), "the first parameter of " + info.name +
                                      " is '" + info.parameters[0].name + "'");
}

bool Parser::argument(Span span, ParsedTerm &term) {
  size_t equals = find(span, '=').front();
  Span key = trim({span.begin, equals});
  llvm::StringRef name = slice(key);
  if (!isIdentifier(name)) {
    diagnostics.error(key.empty() ? at(equals) : range(key),
                      key.empty()
                          ? llvm::Twine("expected a key before '='")
                          : "expected a key, got '" + onOneLine(name) + "'");
    return false;
  }
  for (const ParsedArgument &other : term.arguments) {
    if (other.key != name)
      continue;
    diagnostics.error(range(key), "'" + name + "' is given twice");
    diagnostics.note(other.keyRange, "first given here");
    return false;
  }
  Span rest = trim({equals + 1, span.end});
  if (rest.empty()) {
    diagnostics.error(at(equals), "expected a value after '" + name + "='");
    return false;
  }
  if (text[rest.begin] == '=') {
    diagnostics.error(at(rest.begin), "expected a value, got '='");
    return false;
  }
  std::optional<ParsedValue> parsed = value(rest);
  if (!parsed)
    return false;
  term.arguments.push_back({name.str(), range(key), std::move(*parsed)});
  return true;
}

void Parser::summands(Span span, std::list<ParsedTerm> &terms) {
  std::vector<Span> parts = split(span, '+');
  std::vector<size_t> plus = find(span, '+');
  for (size_t i = 0; i != parts.size(); ++i) {
    if (!parts[i].empty()) {
      if (slice(parts[i]) == "1")
        continue;
      if (std::optional<ParsedTerm> parsed = term(parts[i], 0))
        terms.push_back(std::move(*parsed));
      continue;
    }
    if (i < plus.size())
      diagnostics.error(at(plus[i]), "expected a term before '+'");
    else if (i != 0)
      diagnostics.error(at(plus[i - 1]), "expected a term after '+'");
    else
      diagnostics.error(at(span.begin == 0 ? 0 : span.begin - 1),
                        "expected a term after '~'");
  }
}

ParsedFormula Parser::formula() {
  ParsedFormula parsed;
  Span all = trim({0, text.size()});
  if (all.empty()) {
    diagnostics.error(at(0), "expected a formula, got nothing");
    return parsed;
  }
  if (!checkBalance())
    return parsed;
  std::vector<size_t> tildes = find(all, '~');
  if (tildes.empty()) {
    diagnostics.error(range(all),
                      "expected a formula 'target ~ terms', got no '~'");
    return parsed;
  }
  if (tildes.size() > 1) {
    diagnostics.error(at(tildes[1]), "expected one '~', got another");
    diagnostics.note(at(tildes[0]), "the first is here");
    return parsed;
  }
  Span left = trim({all.begin, tildes[0]});
  if (left.empty())
    diagnostics.error(at(tildes[0]), "expected the target before '~'");
  else if (std::optional<std::string> name = column(left, "the target"))
    parsed.target = *name;
  summands({tildes[0] + 1, all.end}, parsed.terms);
  return parsed;
}

} // namespace

ParsedFormula parseFormula(const SourceText &source, Diagnostics &diagnostics) {
  return Parser(source, diagnostics).formula();
}

std::string replaceTokens(llvm::StringRef term,
                          const std::map<std::string, std::string> &values) {
  std::string text;
  for (size_t i = 0; i != term.size();) {
    size_t end = i + 1;
    if (isQuote(term[i]))
      end = skipQuoted(term, i);
    else if (term[i] == '$')
      end = std::min(term.find_if_not(isIdentifierBody, end), term.size());
    llvm::StringRef part = term.slice(i, end);
    text +=
        part.starts_with("$") ? values.at(part.drop_front().str()) : part.str();
    i = end;
  }
  return text;
}

std::optional<ParsedValue> parseValue(const SourceText &source, size_t begin,
                                      size_t end, Diagnostics &diagnostics) {
  return Parser(source, diagnostics).value({begin, end});
}

} // namespace tamc::spec
