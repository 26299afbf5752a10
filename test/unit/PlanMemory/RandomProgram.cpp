//===- RandomProgram.cpp - random programs on memrefs -----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include <algorithm>

using namespace tamc::test;

const Buffer *Generator::pick() {
  return buffers.empty() ? nullptr
                         : &buffers[draw(0, int64_t(buffers.size()) - 1)];
}

std::string Generator::load(const Buffer &buffer, const std::string &index) {
  std::string size = sizeOf(buffer), at = fresh("i");
  line(at + " = arith.remui " + index + ", " + size + " : index");
  return loadAt(buffer, at);
}

/// The element at an index that is in the bounds, as a number.
std::string Generator::loadAt(const Buffer &buffer, const std::string &at) {
  std::string value = fresh("v"), element = fresh("e"), part = fresh("e");
  std::string load =
      " = memref.load " + buffer.name + "[" + at + "] : " + buffer.type;
  if (buffer.element == "i64") {
    line(value + load);
    return value;
  }
  line(element + load);
  if (buffer.element == "complex<f64>") {
    line(part + " = complex.im " + element + " : complex<f64>");
    line(value + " = arith.bitcast " + part + " : f64 to i64");
  } else {
    line(value + " = vector.extract " + element +
         "[1] : i64 from vector<2xi64>");
  }
  return value;
}

void Generator::storeAt(const Buffer &buffer, const std::string &at,
                        const std::string &value) {
  std::string element = value;
  if (buffer.element == "complex<f64>") {
    std::string part = fresh("e");
    element = fresh("e");
    line(part + " = arith.bitcast " + value + " : i64 to f64");
    line(element + " = complex.create " + part + ", " + part +
         " : complex<f64>");
  } else if (buffer.element != "i64") {
    element = fresh("e");
    line(element + " = vector.broadcast " + value + " : i64 to vector<2xi64>");
  }
  line("memref.store " + element + ", " + buffer.name + "[" + at +
       "] : " + buffer.type);
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
  if (options.hasAll && chance(25))
    buffer.element = chance(50) ? "vector<2xi64>" : "complex<f64>";
  buffer.type = "memref<" +
                (buffer.sizeName.empty() ? std::to_string(buffer.size) : "?") +
                "x" + buffer.element + (buffer.space ? ", 1>" : ">");
  buffer.bases = {size_t(counter)};
  buffer.isOwned = true;
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
  ++depth;
  line(word + " = arith.index_cast " + i + " : index to i64");
  line(value + " = arith.addi " + word + ", %seed : i64");
  storeAt(buffer, i, value);
  --depth;
  line("}");
  buffers.push_back(buffer);
}

void Generator::view() {
  const Buffer *source = pick();
  if (!source)
    return;
  Buffer result = *source;
  result.isOwned = false;
  result.name = fresh("s");
  std::string space = source->space ? ", 1>" : ">";
  if (!source->sizeName.empty()) {
    std::string begin = constant(0);
    result.type =
        "memref<?x" + source->element + ", strided<[1], offset: ?>" + space;
    line(result.name + " = memref.subview " + source->name + "[" + begin +
         "][" + source->sizeName + "][1] : " + source->type + " to " +
         result.type);
  } else if (chance(50) && source->type.find("strided") == std::string::npos) {
    result.type = "memref<?x" + source->element + space;
    line(result.name + " = memref.cast " + source->name + " : " + source->type +
         " to " + result.type);
  } else {
    int64_t offset = draw(0, source->size - 1);
    result.size = draw(1, source->size - offset);
    // Offsets that are values are dynamic in the type.
    std::string at = constant(offset);
    result.type = "memref<" + std::to_string(result.size) + "x" +
                  source->element + ", strided<[1], offset: ?>" + space;
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
  std::string i = fresh("i"), factor = fresh("f"), scaled = fresh("v"),
              sum = fresh("v");
  line("scf.for " + i + " = " + zero + " to " + size + " step " + one + " {");
  ++depth;
  std::string value = load(*source, i);
  std::string old = loadAt(*target, i);
  line(factor + " = arith.constant " + std::to_string(draw(3, 1000)) +
       " : i64");
  line(scaled + " = arith.muli " + old + ", " + factor + " : i64");
  line(sum + " = arith.addi " + scaled + ", " + value + " : i64");
  storeAt(*target, i, sum);
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
    if (!buffer.mayOverlap(*source) && buffer.size == source->size &&
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

std::string Generator::condition() {
  std::string condition = fresh("p");
  const Buffer *source = pick();
  if (options.runsEverything || !source) {
    line(condition + " = arith.constant true");
    return condition;
  }
  std::string value = load(*source, constant(0)), bit = fresh("v"),
              one = fresh("f");
  line(one + " = arith.constant 1 : i64");
  line(bit + " = arith.andi " + value + ", " + one + " : i64");
  line(condition + " = arith.cmpi eq, " + bit + ", " + one + " : i64");
  return condition;
}

void Generator::branch() {
  line("scf.if " + condition() + " {");
  block(int(draw(1, 4)));
  if (!options.runsEverything && chance(50)) {
    line("} else {");
    block(int(draw(1, 4)));
  }
  line("}");
}

/// Two buffers of one type that are different allocations; null if there are
/// none.
std::pair<const Buffer *, const Buffer *> Generator::pickPair() {
  const Buffer *first = pick();
  if (!first)
    return {};
  for (const Buffer &buffer : buffers)
    if (!buffer.mayOverlap(*first) && buffer.type == first->type &&
        buffer.size == first->size && buffer.sizeName == first->sizeName)
      return {first, &buffer};
  return {};
}

/// One of two buffers, as a run decides.
void Generator::choose() {
  auto [a, b] = pickPair();
  if (!a)
    return;
  Buffer result = *a;
  result.isOwned = false;
  result.bases.insert(b->bases.begin(), b->bases.end());
  std::string first = a->name, second = b->name, choice = condition();
  result.name = fresh("s");
  line(result.name + " = arith.select " + choice + ", " + first + ", " +
       second + " : " + result.type);
  buffers.push_back(result);
}

/// A loop whose iterations exchange two buffers.
void Generator::exchange() {
  auto [a, b] = pickPair();
  if (!a)
    return;
  Buffer x = *a, y = *b;
  std::string first = x.name, second = y.name, type = x.type;
  x.isOwned = y.isOwned = false;
  x.bases.insert(y.bases.begin(), y.bases.end());
  y.bases = x.bases;
  x.name = fresh("x");
  y.name = fresh("y");
  std::string zero = constant(0), one = constant(1),
              turns = constant(draw(0, 3)), results = fresh("r");
  line(results + ":2 = scf.for " + fresh("t") + " = " + zero + " to " + turns +
       " step " + one + " iter_args(" + x.name + " = " + first + ", " + y.name +
       " = " + second + ") -> (" + type + ", " + type + ") {");
  std::vector<Buffer> outside = buffers;
  buffers.push_back(x);
  buffers.push_back(y);
  block(int(draw(1, 4)));
  line("  scf.yield " + y.name + ", " + x.name + " : " + type + ", " + type);
  line("}");
  buffers = std::move(outside);
  for (int i = 0; i < 2; ++i) {
    x.name = results + "#" + std::to_string(i);
    buffers.push_back(x);
  }
}

/// An allocation of the type of `like`, written.
Buffer Generator::allocateLike(const Buffer &like) {
  Buffer buffer = like;
  buffer.name = fresh("b");
  buffer.bases = {size_t(counter)};
  buffer.isOwned = false;
  buffer.condition.clear();
  line(buffer.name + " = memref.alloc(" + buffer.sizeName +
       ") : " + buffer.type);
  initialize(buffer);
  return buffer;
}

/// A loop that carries on what each iteration allocates.
void Generator::carry() {
  const Buffer *start = pick();
  if (!start || !isContiguous(*start))
    return;
  Buffer x = *start;
  std::string first = x.name;
  x.isOwned = false;
  x.name = fresh("x");
  std::string zero = constant(0), one = constant(1),
              turns = constant(draw(0, 3)), result = fresh("r");
  line(result + " = scf.for " + fresh("t") + " = " + zero + " to " + turns +
       " step " + one + " iter_args(" + x.name + " = " + first + ") -> (" +
       x.type + ") {");
  std::vector<Buffer> outside = buffers, unwritten = pending;
  ++depth;
  buffers.push_back(x);
  output();
  combine();
  std::string token;
  if (!options.hasUnsafe || chance(70)) {
    buffers.pop_back();
    token = startOn(x);
  }
  Buffer next = allocateLike(x);
  combine();
  output();
  await(token);
  line("scf.yield " + next.name + " : " + x.type);
  --depth;
  line("}");
  buffers = std::move(outside);
  pending = std::move(unwritten);
  x.name = result;
  x.bases.insert(next.bases.begin(), next.bases.end());
  buffers.push_back(x);
}

/// A loop of two regions, one of which allocates what the other one gets.
void Generator::carryBetweenRegions() {
  const Buffer *start = pick();
  if (!start || !isContiguous(*start))
    return;
  Buffer x = *start;
  std::string first = x.name, type = x.type;
  x.isOwned = false;
  x.name = fresh("x");
  std::string zero = constant(0), one = constant(1),
              turns = constant(draw(0, 3)), result = fresh("r");
  std::string i = fresh("t"), more = fresh("m"), next = fresh("n"),
              old = fresh("o");
  std::vector<Buffer> outside = buffers, unwritten = pending;
  auto use = [&] {
    output();
    combine();
  };
  auto restore = [&] {
    buffers = outside;
    pending = unwritten;
  };
  ++depth;
  auto test = [&](const std::string &passed) {
    line(more + " = arith.cmpi ult, " + i + ", " + turns + " : index");
    line("scf.condition(" + more + ") " + i + passed);
    restore();
  };
  auto add = [&](const std::string &passed) {
    line(next + " = arith.addi " + old + ", " + one + " : index");
    line("scf.yield " + next + passed);
    restore();
  };
  if (chance(50)) {
    line(result + ":2 = scf.while (" + i + " = " + zero +
         ") : (index) -> (index, " + type + ") {");
    use();
    Buffer made = allocateLike(x);
    use();
    test(", " + made.name + " : index, " + type);
    line("} do {");
    line("^bb0(" + old + ": index, " + x.name + ": " + type + "):");
    x.bases = made.bases;
    buffers.push_back(x);
    use();
    add(" : index");
    x.name = result + "#1";
    buffers.push_back(x);
  } else {
    // What the loop passes on beside what it allocates is refused.
    bool passes = options.hasUnsafe && chance(40);
    std::string types = passes ? "(index, " + type + ")" : "index";
    line(result + (passes ? ":2" : "") + " = scf.while (" + i + " = " + zero +
         ", " + x.name + " = " + first + ") : (index, " + type + ") -> " +
         types + " {");
    buffers.push_back(x);
    use();
    test((passes ? ", " + x.name : "") + " : index" +
         (passes ? ", " + type : ""));
    line("} do {");
    if (passes)
      x.name = fresh("x");
    line("^bb0(" + old + ": index" +
         (passes ? ", " + x.name + ": " + type : "") + "):");
    if (passes)
      buffers.push_back(x);
    use();
    Buffer made = allocateLike(x);
    use();
    add(", " + made.name + " : index, " + type);
    x.bases.insert(made.bases.begin(), made.bases.end());
    x.name = result + "#1";
    if (passes)
      buffers.push_back(x);
  }
  --depth;
  line("}");
}

/// A branch that yields a buffer of the type of `like`.
Buffer Generator::branchOf(const Buffer &like) {
  std::vector<Buffer> outside = buffers, unwritten = pending;
  size_t firstBase = size_t(counter);
  ++depth;
  for (int64_t steps = draw(0, 3); steps > 0; --steps)
    statement();
  const Buffer *other = pick();
  Buffer result;
  // What the branch frees does not leave it.
  if (other && chance(40) && other->type == like.type &&
      other->size == like.size && other->sizeName == like.sizeName &&
      *other->bases.rbegin() < firstBase)
    result = *other;
  else
    result = allocateLike(like);
  output();
  free(buffers, firstBase);
  line("scf.yield " + result.name + " : " + result.type);
  --depth;
  buffers = std::move(outside);
  pending = std::move(unwritten);
  return result;
}

/// A branch that returns a buffer, from inside or from outside.
void Generator::branchWithResult() {
  const Buffer *source = pick();
  if (!source || !isContiguous(*source))
    return;
  Buffer like = *source;
  std::string choice = condition();
  Buffer result = like;
  result.name = fresh("r");
  size_t before = size_t(counter);
  line(result.name + " = scf.if " + choice + " -> (" + like.type + ") {");
  Buffer taken = branchOf(like);
  line("} else {");
  Buffer other = branchOf(like);
  line("}");
  result.bases = taken.bases;
  result.bases.insert(other.bases.begin(), other.bases.end());
  // What only a branch allocated is freed here.
  auto isNew = [&](const Buffer &buffer) {
    return *buffer.bases.begin() > before;
  };
  result.isOwned = isNew(taken);
  result.condition = isNew(other) ? "" : choice;
  buffers.push_back(result);
}

/// Frees what the block made; the numbers of its allocations are not below
/// `firstBase`.
void Generator::free(const std::vector<Buffer> &list, size_t firstBase) {
  for (const Buffer &buffer : list) {
    if (!buffer.isOwned || *buffer.bases.rbegin() < firstBase)
      continue;
    if (!buffer.condition.empty())
      line("scf.if " + buffer.condition + " {");
    line("memref.dealloc " + buffer.name + " : " + buffer.type);
    if (!buffer.condition.empty())
      line("}");
  }
}

void Generator::statement() {
  if (!pending.empty() && chance(30)) {
    size_t index = size_t(draw(0, int64_t(pending.size()) - 1));
    Buffer buffer = pending[index];
    pending.erase(pending.begin() + ptrdiff_t(index));
    return initialize(buffer);
  }
  if (options.hasAll && depth <= 3 && chance(22)) {
    // Blocks are those of a function.
    switch (draw(depth == 1 ? 1 : 3, 6)) {
    case 1:
      return diamond();
    case 2:
      return loopOfBlocks();
    case 3:
      return call();
    case 4:
      return parallel();
    case 5:
      return asynchronous();
    default:
      return freeEither();
    }
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
  if (kind <= 84)
    return loop();
  if (kind <= 87)
    return whileLoop();
  if (kind <= 90)
    return choose();
  // Not each use in those is executed in each run.
  if (kind <= 93 && !options.runsEverything)
    return exchange();
  if (kind <= 95 && !options.runsEverything)
    return chance(50) ? carry() : carryBetweenRegions();
  if (kind <= 97 && !options.runsEverything)
    return branchWithResult();
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
      free(*list, firstBase);
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
  std::string text = out.str();
  for (const std::string &callee : callees)
    text += callee;
  return text;
}

std::string tamc::test::randomProgram(const ProgramOptions &options) {
  return Generator(options).generate();
}
