//===- RandomProgram.cpp - random programs on memrefs -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <vector>

using namespace tamc::test;

namespace {

/// A buffer or a view of one.
struct Buffer {
  std::string name, type;
  int64_t size = 0;
  /// The value that is the size; empty when it is `size`.
  std::string sizeName;
  int space = 0;
  /// Index of the allocation it belongs to.
  size_t base = 0;
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
  const Buffer *pick();
  std::string load(const Buffer &buffer, const std::string &index);

  ProgramOptions options;
  std::mt19937_64 random;
  std::ostringstream out;
  std::vector<Buffer> buffers; // visible and written
  std::vector<Buffer> pending; // visible, allocated, not yet written
  int depth = 0, counter = 0;
};

} // namespace

const Buffer *Generator::pick() {
  return buffers.empty() ? nullptr
                         : &buffers[draw(0, int64_t(buffers.size()) - 1)];
}

std::string Generator::load(const Buffer &buffer, const std::string &index) {
  std::string size = sizeOf(buffer), at = fresh("i"), value = fresh("v");
  line(at + " = arith.remui " + index + ", " + size + " : index");
  line(value + " = memref.load " + buffer.name + "[" + at +
       "] : " + buffer.type);
  return value;
}

/// A sum of products, at least 1.
std::string Generator::someSize() {
  auto term = [&] {
    int64_t kind = draw(1, 4);
    if (kind == 1)
      return std::string("%n");
    if (kind == 2)
      return std::string("%m");
    std::string zero = constant(kind == 3 ? 0 : draw(0, 9));
    if (kind == 4)
      return zero;
    std::string dim = fresh("d");
    line(dim + " = memref.dim %x, " + zero + " : memref<?xi8>");
    return dim;
  };
  std::string size = term();
  for (int64_t steps = draw(0, 2); steps > 0; --steps) {
    std::string other = term(), next = fresh("z");
    line(next + (chance(50) ? " = arith.addi " : " = arith.muli ") + size +
         ", " + other + " : index");
    size = next;
  }
  std::string least = constant(draw(1, 30)), sum = fresh("z");
  line(sum + " = arith.addi " + size + ", " + least + " : index");
  return sum;
}

void Generator::allocate() {
  Buffer buffer;
  buffer.size = chance(10) ? draw(100, 400) : draw(1, 40);
  buffer.space = chance(25) ? 1 : 0;
  buffer.name = fresh("b");
  if (options.isDynamic && chance(70))
    buffer.sizeName = someSize();
  buffer.type = "memref<" +
                (buffer.sizeName.empty() ? std::to_string(buffer.size) : "?") +
                "xi64" + (buffer.space ? ", 1>" : ">");
  buffer.base = size_t(counter);
  line(buffer.name + " = memref.alloc(" + buffer.sizeName + ") " +
       (chance(10) ? "{alignment = 128 : i64} " : "") + ": " + buffer.type);
  if (chance(70))
    initialize(buffer);
  else
    pending.push_back(buffer);
}

void Generator::initialize(const Buffer &buffer) {
  std::string zero = constant(0), one = constant(1), size = sizeOf(buffer);
  std::string i = fresh("i"), word = fresh("w"), value = fresh("v");
  line("scf.for " + i + " = " + zero + " to " + size + " step " + one + " {");
  line("  " + word + " = arith.index_cast " + i + " : index to i64");
  line("  " + value + " = arith.addi " + word + ", %seed : i64");
  line("  memref.store " + value + ", " + buffer.name + "[" + i +
       "] : " + buffer.type);
  line("}");
  buffers.push_back(buffer);
}

void Generator::view() {
  const Buffer *source = pick();
  if (!source)
    return;
  Buffer result = *source;
  result.name = fresh("s");
  std::string space = source->space ? ", 1>" : ">";
  if (!source->sizeName.empty()) {
    std::string begin = constant(0);
    result.type = "memref<?xi64, strided<[1], offset: ?>" + space;
    line(result.name + " = memref.subview " + source->name + "[" + begin +
         "][" + source->sizeName + "][1] : " + source->type + " to " +
         result.type);
  } else if (chance(50) && source->type.find("strided") == std::string::npos) {
    result.type = "memref<?xi64" + space;
    line(result.name + " = memref.cast " + source->name + " : " + source->type +
         " to " + result.type);
  } else {
    int64_t offset = draw(0, source->size - 1);
    result.size = draw(1, source->size - offset);
    // Offsets that are values are dynamic in the type.
    std::string at = constant(offset);
    result.type = "memref<" + std::to_string(result.size) +
                  "xi64, strided<[1], offset: ?>" + space;
    line(result.name + " = memref.subview " + source->name + "[" + at + "][" +
         std::to_string(result.size) + "][1] : " + source->type + " to " +
         result.type);
  }
  buffers.push_back(result);
}

void Generator::combine() {
  const Buffer *target = pick(), *source = pick();
  if (!target)
    return;
  std::string zero = constant(0), one = constant(1), size = sizeOf(*target);
  std::string i = fresh("i"), old = fresh("v"), factor = fresh("f"),
              scaled = fresh("v"), sum = fresh("v");
  line("scf.for " + i + " = " + zero + " to " + size + " step " + one + " {");
  ++depth;
  std::string value = load(*source, i);
  line(old + " = memref.load " + target->name + "[" + i +
       "] : " + target->type);
  line(factor + " = arith.constant " + std::to_string(draw(3, 1000)) +
       " : i64");
  line(scaled + " = arith.muli " + old + ", " + factor + " : i64");
  line(sum + " = arith.addi " + scaled + ", " + value + " : i64");
  line("memref.store " + sum + ", " + target->name + "[" + i +
       "] : " + target->type);
  --depth;
  line("}");
}

void Generator::output() {
  const Buffer *source = pick();
  if (!source)
    return;
  std::string zero = constant(0), one = constant(1),
              size = constant(kOutputSize);
  std::string i = fresh("i"), old = fresh("v"), factor = fresh("f"),
              scaled = fresh("v"), sum = fresh("v");
  line("scf.for " + i + " = " + zero + " to " + size + " step " + one + " {");
  ++depth;
  std::string value = load(*source, i);
  line(old + " = memref.load %out[" + i + "] : memref<64xi64>");
  line(factor + " = arith.constant 31 : i64");
  line(scaled + " = arith.muli " + old + ", " + factor + " : i64");
  line(sum + " = arith.addi " + scaled + ", " + value + " : i64");
  line("memref.store " + sum + ", %out[" + i + "] : memref<64xi64>");
  --depth;
  line("}");
}

void Generator::copy() {
  const Buffer *source = pick();
  if (!source)
    return;
  // Copies have no overlap: the target is another allocation.
  std::vector<const Buffer *> targets;
  for (const Buffer &buffer : buffers)
    if (buffer.base != source->base && buffer.size == source->size &&
        buffer.sizeName == source->sizeName && buffer.type == source->type)
      targets.push_back(&buffer);
  if (targets.empty())
    return;
  const Buffer *target = targets[draw(0, int64_t(targets.size()) - 1)];
  line("memref.copy " + source->name + ", " + target->name + " : " +
       source->type + " to " + target->type);
}

void Generator::loop() {
  std::string zero = constant(0), one = constant(1),
              turns =
                  constant(options.runsEverything ? draw(2, 3) : draw(0, 3));
  line("scf.for " + fresh("t") + " = " + zero + " to " + turns + " step " +
       one + " {");
  block(int(draw(1, 5)));
  line("}");
}

void Generator::whileLoop() {
  std::string zero = constant(0), one = constant(1),
              turns =
                  constant(options.runsEverything ? draw(2, 3) : draw(0, 3));
  std::string i = fresh("t"), more = fresh("m"), next = fresh("n"),
              old = fresh("o");
  line(fresh("r") + " = scf.while (" + i + " = " + zero +
       ") : (index) -> index {");
  line("  " + more + " = arith.cmpi ult, " + i + ", " + turns + " : index");
  line("  scf.condition(" + more + ") " + i + " : index");
  line("} do {");
  line("^bb0(" + old + ": index):");
  block(int(draw(1, 4)));
  line("  " + next + " = arith.addi " + old + ", " + one + " : index");
  line("  scf.yield " + next + " : index");
  line("}");
}

void Generator::branch() {
  std::string condition = fresh("p");
  const Buffer *source = pick();
  if (options.runsEverything || !source) {
    line(condition + " = arith.constant true");
  } else {
    std::string value = load(*source, constant(0)), bit = fresh("v"),
                one = fresh("f");
    line(one + " = arith.constant 1 : i64");
    line(bit + " = arith.andi " + value + ", " + one + " : i64");
    line(condition + " = arith.cmpi eq, " + bit + ", " + one + " : i64");
  }
  line("scf.if " + condition + " {");
  block(int(draw(1, 4)));
  if (!options.runsEverything && chance(50)) {
    line("} else {");
    block(int(draw(1, 4)));
  }
  line("}");
}

void Generator::statement() {
  if (!pending.empty() && chance(30)) {
    size_t index = size_t(draw(0, int64_t(pending.size()) - 1));
    Buffer buffer = pending[index];
    pending.erase(pending.begin() + ptrdiff_t(index));
    return initialize(buffer);
  }
  int64_t kind = draw(1, 100);
  if (kind <= 35)
    return allocate();
  if (kind <= 45)
    return view();
  if (kind <= 62)
    return combine();
  if (kind <= 74)
    return output();
  if (kind <= 80)
    return copy();
  if (depth > 4)
    return combine();
  if (kind <= 88)
    return loop();
  if (kind <= 92)
    return whileLoop();
  branch();
}

/// Allocations of a block end with it; its first writes do not happen if it is
/// not entered.
void Generator::block(int budget) {
  std::vector<Buffer> written = buffers, unwritten = pending;
  size_t firstBase = size_t(counter);
  ++depth;
  for (int i = 0; i < budget; ++i)
    statement();
  output();
  if (chance(70))
    for (const std::vector<Buffer> *list : {&buffers, &pending})
      for (const Buffer &buffer : *list)
        if (buffer.base >= firstBase && buffer.name[1] == 'b')
          line("memref.dealloc " + buffer.name + " : " + buffer.type);
  --depth;
  buffers = std::move(written);
  pending = std::move(unwritten);
}

std::string Generator::generate() {
  out << "func.func @program(%out: memref<64xi64>, %seed: i64"
      << (options.isDynamic ? ", %n: index, %m: index, %x: memref<?xi8>" : "")
      << ")\n    attributes {llvm.emit_c_interface} {\n";
  block(int(draw(6, 20)));
  out << "  return\n}\n";
  return out.str();
}

std::string tamc::test::randomProgram(const ProgramOptions &options) {
  return Generator(options).generate();
}
