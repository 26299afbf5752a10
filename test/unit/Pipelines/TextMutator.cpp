//===- TextMutator.cpp - random changes of an attribute's text ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TextMutator.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace mlir;
using namespace tamc::reference;

/// Where the elements of a list begin, and the place behind its end.
using List = std::vector<size_t>;

/// The lists in a text; brackets and commas in strings do not count.
static std::vector<List> findLists(llvm::StringRef text) {
  std::vector<List> lists, open;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (isString && c == '\\')
      ++i;
    else if (c == '"')
      isString = !isString;
    else if (isString)
      continue;
    else if (c == '<' || c == '[')
      open.push_back({i + 1});
    else if (c == ',' || c == '>' || c == ']') {
      open.back().push_back(i + 1);
      if (c == ',')
        continue;
      lists.push_back(open.back());
      open.pop_back();
    }
  }
  return lists;
}

Attribute tamc::reference::changeText(
    Attribute attribute, Random &random,
    llvm::function_ref<std::string(llvm::StringRef)> changeNumber) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  const List list = random.pick(findLists(text));
  const auto last = static_cast<int64_t>(list.size()) - 2;
  auto element = [&](int64_t index) {
    return text.substr(list[index], list[index + 1] - 1 - list[index]);
  };
  const int64_t index = random.integer(0, last);
  const std::string old = element(index);
  size_t begin = list[index], size = old.size();
  // The number behind "key = ", or the element.
  const size_t number = old.find_last_of(' ') + 1;
  std::string changed = changeNumber(llvm::StringRef(old).substr(number));
  if (!changed.empty()) {
    begin += number;
    size -= number;
  } else if (random.integer(1, 3) == 1) {
    changed = element(random.integer(0, last));
  } else if (random.flip()) {
    changed = old + ", " + old;
  } else {
    // Nothing, and no comma.
    begin -= index > 0;
    size += last > 0;
  }
  text.replace(begin, size, changed);
  Attribute parsed = parseAttribute(text, attribute.getContext());
  return parsed ? parsed : attribute;
}
