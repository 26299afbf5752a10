//===- RandomShapes.cpp - blocks, calls, threads in random programs -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include <utility>

using namespace tamc::test;

/// What is visible after blocks that began with `outside` and `unwritten`.
void Generator::joinBlocks(const std::vector<Buffer> &outside,
                           const std::vector<Buffer> &unwritten) {
  buffers = outside;
  pending = unwritten;
}

/// Two blocks, of which one runs, pass a buffer to a third.
void Generator::diamond() {
  const Buffer *source = pick();
  if (!source || !isContiguous(*source))
    return;
  Buffer like = *source, joined = like;
  std::string left = freshBlock(), right = freshBlock(), join = freshBlock();
  joined.name = fresh("x");
  joined.isOwned = false;
  line("cf.cond_br " + condition() + ", " + left + ", " + right);
  std::vector<Buffer> outside = buffers, unwritten = pending;
  std::set<size_t> bases;
  for (const std::string &block : {left, right}) {
    line(block + ":");
    size_t firstBase = size_t(counter);
    for (int64_t steps = draw(0, 3); steps > 0; --steps)
      statement();
    const Buffer *other = pick();
    Buffer result = other && other->type == like.type &&
                            other->size == like.size &&
                            other->sizeName == like.sizeName &&
                            *other->bases.rbegin() < firstBase && chance(50)
                        ? *other
                        : allocateLike(like);
    output();
    free(buffers, firstBase);
    bases.insert(result.bases.begin(), result.bases.end());
    line("cf.br " + join + "(" + result.name + " : " + like.type + ")");
    joinBlocks(outside, unwritten);
  }
  line(join + "(" + joined.name + ": " + like.type + "):");
  joined.bases = bases;
  buffers.push_back(joined);
}

/// Blocks that run several times, and pass on a buffer: that from before, one
/// from outside, or one of their own, which may be used beside that of the
/// round before.
void Generator::loopOfBlocks() {
  const Buffer *source = pick();
  if (!source || !isContiguous(*source))
    return;
  Buffer first = *source, second = allocateLike(first), x = first;
  std::string head = freshBlock(), body = freshBlock(), end = freshBlock();
  std::string i = fresh("t"), more = fresh("m"), next = fresh("n");
  std::string zero = constant(0), one = constant(1),
              turns = constant(draw(0, 3));
  x.name = fresh("x");
  x.isOwned = false;
  x.bases.insert(second.bases.begin(), second.bases.end());
  line("cf.br " + head + "(" + zero + ", " + first.name + " : index, " +
       x.type + ")");
  line(head + "(" + i + ": index, " + x.name + ": " + x.type + "):");
  // The bases of what the body allocates are known only after it.
  std::vector<Buffer> outside = buffers, unwritten = pending;
  line(more + " = arith.cmpi ult, " + i + ", " + turns + " : index");
  line("cf.cond_br " + more + ", " + body + ", " + end);
  line(body + ":");
  buffers.push_back(x);
  output();
  combine();
  size_t firstBase = size_t(counter);
  Buffer passed = second;
  if (chance(60)) {
    // Such buffers are refused: two of them are there at one time.
    bool isBeside = options.hasUnsafe && chance(60);
    std::string token;
    if (!isBeside) {
      buffers.pop_back();
      token = startOn(x);
    }
    passed = allocateLike(x);
    if (isBeside)
      storeAt(passed, zero, load(x, zero));
    output();
    await(token);
  }
  for (int64_t steps = draw(0, 3); steps > 0; --steps)
    statement();
  output();
  free(buffers, firstBase);
  line(next + " = arith.addi " + i + ", " + one + " : index");
  line("cf.br " + head + "(" + next + ", " + passed.name + " : index, " +
       x.type + ")");
  joinBlocks(outside, unwritten);
  line(end + ":");
  x.bases.insert(passed.bases.begin(), passed.bases.end());
  buffers.push_back(x);
}

/// A call of a function that allocates.
void Generator::call() {
  const Buffer *source = pick();
  if (!source || !isContiguous(*source) || !source->sizeName.empty() ||
      callees.size() > 3)
    return;
  Buffer argument = *source;
  std::string name = "@callee" + std::to_string(counter++);
  line("func.call " + name + "(" + argument.name + ", %out, %seed) : (" +
       argument.type + ", memref<64xi64>, i64) -> ()");
  std::ostringstream saved = std::exchange(out, std::ostringstream());
  std::vector<Buffer> outside = std::move(buffers),
                      unwritten = std::move(pending);
  int level = std::exchange(depth, 0);
  argument.name = "%given";
  argument.isOwned = false;
  buffers = {argument};
  pending.clear();
  // It has no sizes of its own.
  bool isDynamic = std::exchange(options.isDynamic, false);
  out << "func.func private " << name << "(%given: " << argument.type
      << ", %out: memref<64xi64>, %seed: i64) {\n";
  callees.emplace_back();
  size_t index = callees.size() - 1;
  block(int(draw(2, 5)));
  out << "  return\n}\n";
  callees[index] = out.str();
  options.isDynamic = isDynamic;
  depth = level;
  buffers = std::move(outside);
  pending = std::move(unwritten);
  out = std::move(saved);
}

/// A parallel loop whose iterations allocate, and write to places of their own.
void Generator::parallel() {
  Buffer target;
  target.size = draw(2, 4);
  target.name = fresh("b");
  target.bases = {size_t(counter)};
  target.isOwned = true;
  target.type = "memref<" + std::to_string(target.size) + "xi64>";
  line(target.name + " = memref.alloc() : " + target.type);
  std::string i = fresh("i"), sum = fresh("v");
  if (chance(50)) {
    line("scf.forall (" + i + ") in (" + std::to_string(target.size) + ") {");
  } else {
    std::string zero = constant(0), one = constant(1),
                end = constant(target.size);
    line("scf.parallel (" + i + ") = (" + zero + ") to (" + end + ") step (" +
         one + ") {");
  }
  std::vector<Buffer> outside = buffers, unwritten = pending;
  size_t firstBase = size_t(counter);
  ++depth;
  // Iterations share nothing that they write.
  buffers.clear();
  pending.clear();
  std::string word = fresh("w");
  line(word + " = arith.index_cast " + i + " : index to i64");
  for (int64_t steps = draw(1, 3); steps > 0; --steps) {
    allocate();
    if (!pending.empty()) {
      initialize(pending.back());
      pending.pop_back();
    }
    combine();
  }
  std::string value = load(*pick(), i);
  line(sum + " = arith.addi " + value + ", " + word + " : i64");
  storeAt(target, i, sum);
  if (chance(70))
    free(buffers, firstBase);
  --depth;
  line("}");
  buffers = std::move(outside);
  pending = std::move(unwritten);
  buffers.push_back(target);
}

/// An asynchronous op, which the block waits for.
void Generator::asynchronous() {
  std::string token = fresh("a");
  line(token + " = async.execute {");
  std::vector<Buffer> outside = buffers, unwritten = pending;
  size_t firstBase = size_t(counter);
  ++depth;
  if (const Buffer *source = pick()) {
    // Nobody else uses it until then.
    Buffer own = *source;
    buffers = {own};
    pending.clear();
    Buffer made = allocateLike(
        isContiguous(own) && own.sizeName.empty() ? own : scratch());
    combine();
    free({made}, firstBase);
    // The rest of the program sees what this op wrote only after the wait.
    std::erase_if(outside,
                  [&](const Buffer &buffer) { return buffer.mayOverlap(own); });
    hidden.push_back(own);
  }
  line("async.yield");
  --depth;
  line("}");
  std::vector<Buffer> all = std::move(hidden);
  hidden.clear();
  buffers = outside;
  pending = unwritten;
  for (int64_t steps = draw(0, 2); steps > 0; --steps) {
    allocate();
    combine();
  }
  await(token);
  buffers.insert(buffers.end(), all.begin(), all.end());
}

/// May start an asynchronous op that changes a buffer of the round before, and
/// may wait for it. Returns its token if the caller has to, after which such
/// buffers are refused; until then nothing else uses the buffer.
std::string Generator::startOn(const Buffer &x) {
  if (!options.hasAll || !chance(60))
    return {};
  std::string token = fresh("a");
  line(token + " = async.execute {");
  std::vector<Buffer> outside = std::exchange(buffers, {x});
  ++depth;
  combine();
  line("async.yield");
  --depth;
  line("}");
  buffers = std::move(outside);
  if (!options.hasUnsafe || chance(30)) {
    await(token);
    return {};
  }
  std::erase_if(buffers,
                [&](const Buffer &buffer) { return buffer.mayOverlap(x); });
  return token;
}

void Generator::await(const std::string &token) {
  if (!token.empty())
    line("async.await " + token + " : !async.token");
}

/// A buffer of numbers to allocate another like it.
Buffer Generator::scratch() {
  Buffer buffer;
  buffer.size = draw(1, 40);
  buffer.type = "memref<" + std::to_string(buffer.size) + "xi64>";
  return buffer;
}

/// Frees one of two buffers and then the other, as a run decides. One of them
/// may have a size that is not static.
void Generator::freeEither() {
  Buffer first = allocateLike(scratch()), second = first;
  if (chance(50)) {
    std::string size = constant(first.size), whole = fresh("b");
    second.name = fresh("b");
    second.bases = {size_t(counter)};
    line(whole + " = memref.alloc(" + size + ") : memref<?xi64>");
    line(second.name + " = memref.cast " + whole + " : memref<?xi64> to " +
         second.type);
    initialize(second);
  } else {
    second = allocateLike(first);
  }
  combine();
  output();
  std::string choice = condition(), one = fresh("s"), other = fresh("s");
  line(one + " = arith.select " + choice + ", " + first.name + ", " +
       second.name + " : " + first.type);
  line(other + " = arith.select " + choice + ", " + second.name + ", " +
       first.name + " : " + first.type);
  line("memref.dealloc " + one + " : " + first.type);
  line("memref.dealloc " + other + " : " + first.type);
  std::erase_if(buffers, [&](const Buffer &buffer) {
    return buffer.mayOverlap(first) || buffer.mayOverlap(second);
  });
}
