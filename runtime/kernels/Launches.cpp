//===- kernels/Launches.cpp - steps that are stored as data ---------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the table of a step's launches (abi.h) and calls their kernels through
/// the table of the context's device.
///
//===----------------------------------------------------------------------===//

#include "kernels/Status.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

template <typename T> static T get(const tamrt_argument &argument) {
  if constexpr (std::is_same_v<T, double>)
    return argument.real;
  else if constexpr (std::is_same_v<T, int64_t>)
    return argument.integer;
  else {
    static_assert(std::is_pointer_v<T>);
    return static_cast<T>(const_cast<void *>(argument.address));
  }
}

template <typename... Parameters, std::size_t... I>
static void call(void (*kernel)(tamrt_context *, Parameters...),
                 tamrt_context *ctx, const tamrt_argument *arguments,
                 std::index_sequence<I...>) {
  kernel(ctx, get<Parameters>(arguments[I])...);
}

template <typename... Parameters>
static void call(void (*kernel)(tamrt_context *, Parameters...),
                 tamrt_context *ctx, const tamrt_argument *arguments) {
  call(kernel, ctx, arguments, std::index_sequence_for<Parameters...>());
}

template <auto kernel>
static void callKernel(tamrt_context *ctx, const tamrt_argument *arguments) {
  call(ctx->kernels->*kernel, ctx, arguments);
}

/// The kernels in the order of kernels.def.
static constexpr tamrt_generated_kernel kernels[] = {
#define TAMRT_KERNEL(name, ...) callKernel<&tamrt_kernels::name>,
#include "tamrt/kernels.def"
};

namespace {

/// What the operands of one call of a step refer to.
class Operands {
public:
  Operands(const tamrt_launches &step, const tamrt_call &call)
      : context(call.context), arena(toInteger(call.arena)) {
    bases[TAMRT_SPACE_NUMBER] = 0;
    bases[TAMRT_SPACE_STATE] = toInteger(call.state);
    bases[TAMRT_SPACE_CARRY] = toInteger(call.carry);
    bases[TAMRT_SPACE_PARAMETERS] = toInteger(call.parameters);
    bases[TAMRT_SPACE_COEFFICIENTS] = toInteger(call.coefficients);
    bases[TAMRT_SPACE_OUTPUT] = toInteger(call.output);
    bases[TAMRT_SPACE_CONSTANTS] = toInteger(step.constants);
    bases[TAMRT_SPACE_ROWS] = call.rows;
    bases[TAMRT_SPACE_FIRST] = call.first;
    bases[TAMRT_SPACE_GROUP_ROWS] = call.group_rows;
    bases[TAMRT_SPACE_COLUMNS] = toInteger(call.columns);
    bases[TAMRT_SPACE_TABLES] = toInteger(call.tables);
    bases[TAMRT_SPACE_LITERALS] = toInteger(step.literals);
    bases[TAMRT_SPACE_ARENA] = toInteger(step.offsets);
  }

  /// The argument that an operand stands for, which is no list.
  tamrt_argument operator[](int64_t operand) const {
    // Spaces follow each other in no order that a processor could predict, so
    // all are read alike: an operand is one number or the sum of two.
    const int64_t space = operand & (TAMRT_SPACES - 1);
    const int64_t number = bases[space] + (operand >> spaceBits);
    const bool isElement = space >= TAMRT_SPACE_COLUMNS;
    const void *address = isElement ? reinterpret_cast<const void *>(
                                          static_cast<std::uintptr_t>(number))
                                    : &zero;
    int64_t element;
    std::memcpy(&element, address, sizeof element);
    tamrt_argument argument;
    argument.integer = element + (isElement ? 0 : number) +
                       (space == TAMRT_SPACE_ARENA ? arena : 0);
    return argument;
  }

  static bool isList(int64_t operand) {
    return (operand & (TAMRT_SPACES - 1)) == TAMRT_SPACE_LIST;
  }
  static int64_t listSize(int64_t operand) { return operand >> spaceBits; }

  tamrt_context *const context;

private:
  static constexpr int spaceBits = 4;
  static_assert(1 << spaceBits == TAMRT_SPACES);
  static_assert(sizeof(tamrt_argument) == sizeof(int64_t) &&
                sizeof(void *) == sizeof(int64_t));

  static int64_t toInteger(const void *address) {
    return static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(address));
  }

  static constexpr int64_t zero = 0;

  int64_t arena;
  int64_t bases[TAMRT_SPACE_ARENA + 1];
};

// tamrt_run_calls stores them in its scratch memory.
static_assert(sizeof(Operands) <= TAMRT_SPACES * sizeof(tamrt_argument) &&
              alignof(Operands) <= alignof(tamrt_argument) &&
              std::is_trivially_destructible_v<Operands>);

} // namespace

/// Launches a kernel with the arguments at `code`, unless the call has an error
/// (Dispatch.cpp); returns what follows them.
static const int64_t *launch(const tamrt_launches &step, const int64_t *code,
                             const Operands &operands,
                             tamrt_argument *scratch) {
  const int64_t kernel = *code++, count = *code++;
  tamrt_argument *list = scratch + count;
  for (int64_t j = 0; j < count; ++j) {
    const int64_t operand = *code++;
    if (!Operands::isList(operand)) {
      scratch[j] = operands[operand];
      continue;
    }
    const int64_t size = Operands::listSize(operand);
    scratch[j].address = list;
    scratch[++j].integer = size;
    for (int64_t k = 0; k < size; ++k)
      *list++ = operands[*code++];
  }
  if (tamrt::isGood(*operands.context))
    (kernel < 0 ? step.generated[-1 - kernel]
                : kernels[kernel])(operands.context, scratch);
  return code;
}

extern "C" void
tamrt_run_launches(tamrt_context *ctx, const tamrt_launches *step,
                   tamrt_argument *scratch, void *arena, void *state,
                   void *carry, const double *parameters,
                   const void *const *tables, const double *coefficients,
                   const void *const *columns, double *output, int64_t rows,
                   int64_t first, int64_t group_rows) {
  const Operands operands(*step, {ctx, arena, state, carry, parameters, tables,
                                  coefficients, columns, output, rows, first,
                                  group_rows, /*segments=*/nullptr,
                                  /*segment_bytes=*/0});
  const int64_t *code = step->code;
  for (int64_t i = 0; i < step->count; ++i)
    code = launch(*step, code, operands, scratch);
}

extern "C" void tamrt_run_calls(const tamrt_launches *step,
                                tamrt_argument *scratch,
                                const tamrt_call *calls, int64_t count) {
  auto *operands = reinterpret_cast<Operands *>(scratch + step->scratch);
  for (int64_t call = 0; call < count; ++call)
    new (operands + call) Operands(*step, calls[call]);
  const int64_t *code = step->code;
  for (int64_t i = 0; i < step->count && count > 0; ++i) {
    const int64_t *next = nullptr;
    for (int64_t call = 0; call < count; ++call)
      next = launch(*step, code, operands[call], scratch);
    code = next;
  }
}
