//===- Generator.h - draws random programs ----------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_TEST_UNIT_PLANMEMORY_GENERATOR_H
#define TAMC_TEST_UNIT_PLANMEMORY_GENERATOR_H

#include "RandomProgram.h"

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <vector>

namespace tamc::test {

/// A buffer or a view of one.
struct Buffer {
  std::string name, type;
  std::string element = "i64";
  int64_t size = 0;
  /// The value that is the size; empty when it is `size`.
  std::string sizeName;
  int space = 0;
  /// The allocations that it may belong to.
  std::set<size_t> bases;
  /// The block that made it frees it, under the condition if there is one.
  bool isOwned = false;
  std::string condition;

  bool mayOverlap(const Buffer &other) const {
    return std::any_of(bases.begin(), bases.end(), [&](size_t base) {
      return other.bases.count(base) > 0;
    });
  }
};

class Generator {
public:
  explicit Generator(const ProgramOptions &options)
      : options(options), random(options.seed) {}

  std::string generate();

private:
  int64_t draw(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  }
  bool chance(int percent) { return draw(1, 100) <= percent; }
  std::string fresh(const char *prefix) {
    return std::string("%") + prefix + std::to_string(counter++);
  }
  std::string constant(int64_t value) {
    std::string name = fresh("c");
    line(name + " = arith.constant " + std::to_string(value) + " : index");
    return name;
  }
  void line(const std::string &text) {
    out << std::string(2 * depth, ' ') << text << "\n";
  }

  std::string sizeOf(const Buffer &buffer) {
    return buffer.sizeName.empty() ? constant(buffer.size) : buffer.sizeName;
  }
  std::string someSize();
  void block(int budget);
  void statement();
  void allocate();
  void initialize(const Buffer &buffer);
  void view();
  void combine();
  void output();
  void copy();
  void loop();
  void whileLoop();
  void branch();
  void choose();
  void exchange();
  void carry();
  void carryBetweenRegions();
  void branchWithResult();
  Buffer branchOf(const Buffer &like);
  void free(const std::vector<Buffer> &list, size_t firstBase);
  std::string condition();
  std::pair<const Buffer *, const Buffer *> pickPair();
  Buffer allocateLike(const Buffer &like);
  const Buffer *pick();
  std::string load(const Buffer &buffer, const std::string &index);
  std::string loadAt(const Buffer &buffer, const std::string &at);
  void storeAt(const Buffer &buffer, const std::string &at,
               const std::string &value);
  void diamond();
  void loopOfBlocks();
  void call();
  void parallel();
  void asynchronous();
  std::string startOn(const Buffer &x);
  void await(const std::string &token);
  void freeEither();
  Buffer scratch();
  void joinBlocks(const std::vector<Buffer> &outside,
                  const std::vector<Buffer> &unwritten);
  std::string freshBlock() { return "^bb" + std::to_string(counter++); }

  ProgramOptions options;
  std::mt19937_64 random;
  std::ostringstream out;
  std::vector<Buffer> buffers; // visible and written
  std::vector<Buffer> pending; // visible, allocated, not yet written
  std::vector<std::string> callees;
  std::vector<Buffer> hidden; // in use by an asynchronous op
  int depth = 0, counter = 0;
};

inline bool isContiguous(const Buffer &buffer) {
  return buffer.type.find("strided") == std::string::npos &&
         (buffer.type.find('?') == std::string::npos) ==
             buffer.sizeName.empty();
}

} // namespace tamc::test

#endif // TAMC_TEST_UNIT_PLANMEMORY_GENERATOR_H
