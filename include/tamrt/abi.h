//===- tamrt/abi.h - contract between compiled code and runtime ---*- C -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface between a compiled model and libtamrt. C11, libc only.
///
/// A compiled model is one object file. It exports a `tamrt_model`, a constant
/// that describes the model, and holds the *steps* the model consists of:
/// functions that call kernels at offsets the compiler chose. The runtime reads
/// data, owns memory, calls the steps in order and writes results.
///
/// Conventions: matrices are row-major unless said otherwise; sizes are in
/// bytes where the name says so, else in elements; text is UTF-8 and
/// NUL-terminated; pointers in a `tamrt_model` live as long as the program.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_ABI_H
#define TAMRT_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Changes whenever a struct or a kernel's signature changes. The runtime
/// refuses a model built for another version at start.
#define TAMRT_ABI_VERSION 22

/// Rows of one segment. Sums over rows run row by row inside a segment; those
/// of segments are joined in a binary tree over the segments' indices. The
/// order of additions thus depends only on the rows' indices in their group.
/// The rows of a step that adds to sums are of one segment, except on a device
/// that joins those of several (TAMRT_DEVICE_JOINS_SEGMENTS).
#define TAMRT_SEGMENT_ROWS 4096

/// Added to A's diagonal besides the penalty, per row of the group
/// (docs/math.md section 4).
#define TAMRT_PENALTY_FLOOR 1e-6

/// Alignment in bytes of every arena, state and output the runtime passes.
#define TAMRT_ALIGNMENT 64

/// Bytes of stack of the threads that call steps, and how many of these steps
/// leave to the kernels and to the runtime that calls them. tamc refuses to
/// generate code that needs more.
#define TAMRT_STACK_BYTES (1 << 20)
#define TAMRT_RUNTIME_STACK_BYTES (1 << 18)

/// Sizes, in doubles, of the kernels' workspaces (kernels.def). Each workspace
/// is aligned to TAMRT_ALIGNMENT.
///
/// gram_multihot for at most `rows` rows: for each row of a segment its bits
/// (32 bytes) and its position in eight lists (16 bytes); then a row without
/// bits, and the ends of the lists of 8 x 256 leaves.
#define TAMRT_LEAF_WORKSPACE(rows)                                             \
  (6 * ((rows) < TAMRT_SEGMENT_ROWS ? (rows) : TAMRT_SEGMENT_ROWS) + 4 + 512)
/// gram_wide and gram_dense_wide: a copy of 32 columns of 96 rows.
#define TAMRT_WIDE_WORKSPACE (96 * 32)
/// A factorisation of n columns: two copies of 32 rows of a panel of 64
/// columns. A matrix of at most 128 columns has no panels.
#define TAMRT_PANEL_WORKSPACE(n) ((n) <= 128 ? 0 : 2 * 32 * 64)
/// cholesky_factor: the factorisation's workspace, and the diagonal.
#define TAMRT_FACTOR_WORKSPACE(n) (TAMRT_PANEL_WORKSPACE(n) + (n))
/// cholesky_solve: the factorisation's workspace, later reused for two vectors
/// of the refinement; the diagonal; and the right-hand side.
#define TAMRT_SOLVE_WORKSPACE(n)                                               \
  ((TAMRT_PANEL_WORKSPACE(n) < 2 * (n) ? 2 * (n) : TAMRT_PANEL_WORKSPACE(n)) + \
   2 * (n))
/// cholesky_inverse: the factorisation's workspace, and the scales and sums of
/// columns.
#define TAMRT_INVERSE_WORKSPACE(n) (TAMRT_PANEL_WORKSPACE(n) + 2 * (n))

/// Whether gram_dense_wide computes the cross products of two dense matrices of
/// na and nb columns, and gram_wide those of one matrix with itself.
#define TAMRT_IS_WIDE(na, nb) ((na) >= 4 && (nb) >= 160)

/// Values of a one-hot index that select no single column: no column at all
/// (`unseen=zero`), or the mean of the first `columns` columns, each with
/// weight 1/columns (`unseen=mean`). A model may have room for more levels than
/// were trained. The untrained levels come last and do not count in a mean, so
/// that the index contains the number of trained ones (1 <= columns <= n).
#define TAMRT_INDEX_NONE (-1)
#define TAMRT_INDEX_MEAN(columns) (-1 - (columns))

/// Status of a step, sticky in the context until the runtime clears it.
typedef enum tamrt_status {
  /// No error.
  TAMRT_OK = 0,
  /// A Cholesky pivot was not positive. Detail: the design's column.
  TAMRT_ERROR_NOT_POSITIVE_DEFINITE = 1,
  /// A kernel could not allocate memory. Detail: the bytes requested.
  TAMRT_ERROR_OUT_OF_MEMORY = 2,
  /// The device reported an error of its own. Detail: the device's code.
  TAMRT_ERROR_DEVICE = 3,
  /// A kernel was called with arguments outside its contract. Detail: the
  /// parameter's position. A compiler bug, never a user's error.
  TAMRT_ERROR_INVALID_ARGUMENT = 4,
  /// A sum over the rows, or a penalty times their number, is beyond a double.
  /// Detail: the design's column.
  TAMRT_ERROR_OVERFLOW = 5,
} tamrt_status;

/// The behaviour of an effect outside the training range (docs/math.md section
/// 3).
typedef enum tamrt_extrapolate {
  TAMRT_CONTINUE = 0,
  TAMRT_CONSTANT = 1,
  TAMRT_LINEAR = 2,
  TAMRT_SATURATION = 3,
} tamrt_extrapolate;

/// How one input column is normalised to [-1, 1] (docs/math.md section 2.2).
typedef enum tamrt_rule {
  /// From min and max of the group's training rows.
  TAMRT_RULE_RANGE = 0,
  /// Integer codes with a known number of levels n: [0, n-1] if all codes lie
  /// in it, else [min, min+n-1]. Values that are not integers: as
  /// TAMRT_RULE_RANGE.
  TAMRT_RULE_CODES = 1,
  /// Distinct training values over all groups, sorted. The steps get a column
  /// of int32_t: the level's index or TAMRT_INDEX_*.
  TAMRT_RULE_LEVELS = 2,
  /// A fixed range [lo, hi].
  TAMRT_RULE_PERIOD = 3,
  /// From the first distinct value to the last plus the smallest gap, over all
  /// rows, with values rounded to 10 decimals. One distinct value: as RANGE.
  TAMRT_RULE_PERIOD_AUTO = 4,
} tamrt_rule;

/// The effect of a value unseen in training, for TAMRT_RULE_LEVELS, or of a
/// code that is not a level, for TAMRT_RULE_CODES.
typedef enum tamrt_unseen {
  /// The nearest level (text: the last). For LEVELS and CODES.
  TAMRT_UNSEEN_EDGE = 0,
  /// The average of the effect over the trained levels. For LEVELS.
  TAMRT_UNSEEN_MEAN = 1,
  /// No effect. For LEVELS.
  TAMRT_UNSEEN_ZERO = 2,
  /// The levels' Fourier series, beyond them. For CODES.
  TAMRT_UNSEEN_SERIES = 3,
} tamrt_unseen;

/// One column that a model reads, with the rule of the terms that read it. A
/// column that terms read by different rules has one input for each rule.
typedef struct tamrt_input {
  /// Name in the header of the data.
  const char *column;
  /// A tamrt_rule.
  int32_t rule;
  /// Number of levels of CODES and LEVELS, else 0.
  int32_t levels;
  /// A tamrt_unseen, for CODES and LEVELS.
  int32_t unseen;
  int32_t reserved;
  /// The range, for PERIOD; else 0.
  double lo, hi;
} tamrt_input;

/// Doubles per input in a group's parameter block, in this order: centre c,
/// half range a/2 (x = (v - c) / (a/2)), and the knot range lo, hi of the
/// normalised training values of all groups (docs/math.md section 3, term s),
/// already widened if it was empty. The block of input i starts at 4*i. All
/// zero for LEVELS. After those of all inputs come the strengths of the model's
/// penalties.
#define TAMRT_INPUT_PARAMETERS 4

/// How a learner makes its tables (docs/math.md section 3, "Random numbers").
/// "All rows" are the training rows, group after group and by date within a
/// group, with normalised inputs. Random tables are drawn in the order listed,
/// from one generator seeded with `seed`.
typedef enum tamrt_learner_kind {
  /// "range" F64 [2]: least and greatest value of the one input over all rows.
  TAMRT_LEARN_RANGE = 0,
  /// Term n, `sizes` = neurons N, layers. For layer i from 1: "W<i>" F64
  /// [inputs or N, N], then "b<i>" F64 [N]; `choice` is a tamrt_activation.
  TAMRT_LEARN_NEURAL = 1,
  /// Term rbf, `sizes` = centres M. "centers" F64 [M, inputs] and "gamma" F64
  /// [1], which equals `number` unless that is 0.
  TAMRT_LEARN_CENTERS = 2,
  /// Oblivious trees, `sizes` = trees B, depth d; `choice` is a tamrt_split.
  /// "features" I32 [B, d], then "thresholds" F64 [B, d]. If `number`, which is
  /// sp_alpha, is not 0: "leaf_weights" F64 [B, 2^d].
  TAMRT_LEARN_OBLIVIOUS_TREES = 3,
  /// Flat trees, `sizes` = trees B, leaves M; `choice` is a tamrt_split.
  /// "features" I32 [B], then "thresholds" F64 [B, M-1], sorted. If `number`,
  /// which is sp_alpha, is not 0: "leaf_weights" F64 [B, M].
  TAMRT_LEARN_FLAT_TREES = 4,
} tamrt_learner_kind;

/// Activation of a layer of random neural features.
typedef enum tamrt_activation {
  TAMRT_RELU = 0,
  TAMRT_COS = 1,
  TAMRT_TANH = 2,
} tamrt_activation;

/// Where the thresholds of a tree lie.
typedef enum tamrt_split {
  TAMRT_SPLIT_UNIFORM = 0,
  TAMRT_SPLIT_QUANTILE = 1,
} tamrt_split;

/// Numbers that a fit learns or draws once for all groups; steps read them.
typedef struct tamrt_table {
  /// Unique in the model: the effect's name, a dot, and the learner's name of
  /// the table: "a.W1". Inside a te the factor's number comes between them:
  /// "te_a_x_b.1.features".
  const char *name;
  /// 1: int32_t, 0: double.
  int32_t is_integer;
  /// 1 or 2.
  int32_t rank;
  /// Row-major; shape[1] is 1 for rank 1.
  int64_t shape[2];
  /// The contents if the spec's `state` has them; else null.
  const void *given;
} tamrt_table;

/// Makes the tables of one feature map when a model is fitted.
typedef struct tamrt_learner {
  /// A tamrt_learner_kind.
  int32_t kind;
  /// See tamrt_learner_kind.
  int32_t choice;
  int64_t sizes[2];
  double number;
  uint32_t seed;
  /// The effect it serves.
  int32_t effect;
  /// Indices of the inputs it reads, in the term's order.
  int64_t input_count;
  const int32_t *inputs;
  /// Its tables: a contiguous range of the model's.
  int64_t first_table, table_count;
} tamrt_learner;

/// One effect of the model: contiguous columns of the design matrix.
typedef struct tamrt_effect {
  /// Unique name (docs/math.md section 4, decompose); the first is "offset".
  const char *name;
  /// The term as the user wrote it; "offset" for the intercept.
  const char *term;
  /// First column in the design matrix, and number of columns.
  int64_t first_column, columns;
  /// 1 if TAMRT_STEP_PRECONDITION solves with the effect's block, else 0.
  int32_t factored;
  int32_t reserved;
} tamrt_effect;

/// The largest absolute value of an ap, the logarithm to base 10 of a penalty's
/// strength.
#define TAMRT_AP_LIMIT 300

/// One penalty of the model, times a number that a fit chooses.
typedef struct tamrt_penalty {
  /// Unique name: the effect's; of a factor of a product the effect's and its
  /// place, such as "te_a_x_b[0]".
  const char *name;
  /// Index of its effect. The strength of a product multiplies those of its
  /// factors.
  int64_t effect;
  /// The strength that the formula asks for, and its logarithm to base 10.
  double ap, strength;
  /// The largest ap with which a fit keeps enough digits (docs/math.md section
  /// 4), those of the products that it is a factor of added; TAMRT_AP_LIMIT if
  /// there is no such limit, because its matrix is diagonal.
  double limit;
} tamrt_penalty;

/// One buffer of a step's memory plan. All of its members are of one type, so
/// that a compiler writes thousands of them as one array of integers.
typedef struct tamrt_buffer {
  /// Indices of tamrt_model::plan_texts: what it holds, e.g. "values"; the op
  /// that defines it, e.g. "tam.bspline"; the term of the formula it belongs
  /// to, "" if it belongs to all.
  int64_t name, op, term;
  int64_t bytes;
  /// Offset in the arena, a multiple of TAMRT_ALIGNMENT.
  int64_t offset;
  /// Live range, half-open, in launches of the step.
  int64_t first, last;
} tamrt_buffer;

struct tamrt_kernels;

/// State that a step shares with the runtime. One per thread.
typedef struct tamrt_context {
  /// The device's kernels; generated code reaches them by the symbols of
  /// kernels.def.
  const struct tamrt_kernels *kernels;
  /// A tamrt_status; the first error stays until cleared.
  int32_t status;
  int32_t reserved;
  /// Detail of the status.
  int64_t detail;
  /// Owned by the backend.
  void *device;
} tamrt_context;

/// A step. Never allocates, never blocks, never throws.
///
/// \param ctx        status and kernels.
/// \param arena      at least the step's `arena_bytes`, contents undefined.
/// \param state the accumulators of one group: the model's `state_bytes`, or
///                   `cg_state_bytes` in steps from TAMRT_STEP_CG_INIT on; null
///                   in predict steps.
/// \param carry      the model's `carry_bytes`: values that rows pass on to
///                   later rows of the group. Read only if first > 0: then it
///                   has the contents after the call on the rows before. Null
///                   if a step has none.
/// \param parameters the group's parameter block,
///                   TAMRT_INPUT_PARAMETERS * inputs doubles, and the
///                   strengths of the penalties.
/// \param tables     one pointer per table of the model, aligned to 8 bytes:
///                   tables of a library lie in the caller's weights.
/// \param coefficients the group's D coefficients, or what else steps.def says
///                   of `vector`; null if a step has none.
/// \param columns    one pointer per input, then the target, then the row
///                   weights divided by their mean in the group (null if
///                   absent), each at the chunk's first row.
/// \param output     see steps.def; null if a step has none.
/// \param rows       rows of this chunk; in FINISH steps: rows of the group.
/// \param first      index in its group of the chunk's first row.
/// \param group_rows rows of the group in this run.
typedef void (*tamrt_step_function)(
    tamrt_context *ctx, void *arena, void *state, void *carry,
    const double *parameters, const void *const *tables,
    const double *coefficients, const void *const *columns, double *output,
    int64_t rows, int64_t first, int64_t group_rows);

/// One call of a step: the parameters of tamrt_step_function.
typedef struct tamrt_call {
  tamrt_context *context;
  void *arena, *state, *carry;
  const double *parameters;
  const void *const *tables;
  const double *coefficients;
  const void *const *columns;
  double *output;
  int64_t rows, first, group_rows;
  /// Where the sums of the segments of the rows are, but those of the first
  /// segment, which are in `state`: one state of `segment_bytes` after the
  /// other, contents undefined. Null: the rows are of one segment.
  void *segments;
  int64_t segment_bytes;
} tamrt_call;

/// The kinds of steps; steps.def says what each does.
typedef enum tamrt_step_kind {
#define TAMRT_STEP(id, ...) TAMRT_STEP_##id,
#include "tamrt/steps.def"
} tamrt_step_kind;

struct tamrt_launches;

/// A step and its memory plan. A chunked step exists once per rung of the chunk
/// ladder, in order of descending `rung_rows`.
typedef struct tamrt_step {
  /// A tamrt_step_kind.
  int32_t kind;
  /// Launches in the step: the length of its time axis.
  int32_t launches;
  /// 1 if the step has code of its own besides launches of kernels.def: that
  /// code accesses memory from the CPU, so the step needs memory that the CPU
  /// can address. Else 0: the step itself only computes addresses.
  int32_t is_cpu_code;
  /// 1 if `run` reads `launch_table`; 0 if it is code.
  int32_t runs_table;
  /// Name of the function, e.g. "fit_chunk_256".
  const char *name;
  /// Largest number of rows of a call; 0: the step has no rungs.
  int64_t rung_rows;
  /// Bytes of arena that the plan needs; their lower bound, which is the
  /// largest sum of bytes alive at one time; and the bytes that one allocation
  /// per buffer would need.
  int64_t arena_bytes, lower_bound_bytes, naive_bytes;
  /// Strategy that made the plan, and the kind of reuse if it is not that of
  /// program order, e.g. "tree+, reuse branch-safe".
  const char *strategy;
  tamrt_step_function run;
  int64_t buffer_count;
  const tamrt_buffer *buffers;
  /// The launches of `run`, for devices that run several calls of a step
  /// together; null in models that were written as C++.
  const struct tamrt_launches *launch_table;
} tamrt_step;

/// An accumulator in a state: `count` doubles (kernels.def, "Accumulators").
/// The runtime uses it to join the sums of segments.
typedef struct tamrt_accumulator {
  /// The kind of the steps that add rows to it.
  int32_t kind;
  int32_t reserved;
  /// Bytes from the start of the state.
  int64_t offset;
  int64_t count;
  /// 0, or the unit of row counts, which are those of all rows and not of a
  /// segment: the square of the scale of gram_multihot (kernels.def).
  double unit;
} tamrt_accumulator;

/// The rule that decides whether the direct solver fits in memory.
typedef enum tamrt_oracle_rule {
  /// It fits if its planned bytes are at most the share of free memory.
  TAMRT_ORACLE_PLAN = 0,
  /// It fits if estimate_factor * 8 * D^2 bytes are less than the device's
  /// share.
  TAMRT_ORACLE_ESTIMATE = 1,
} tamrt_oracle_rule;

/// The spec's settings for decisions on memory. 0 in a field other than the
/// rule: the runtime's default.
typedef struct tamrt_oracle {
  /// A tamrt_oracle_rule.
  int32_t rule;
  int32_t reserved;
  /// Shares of free memory that work may use, above 0 and at most 1.
  double device_share, ram_share, sliding_device_share, sliding_ram_share;
  /// Largest number of columns for the direct solver, if the model has both.
  int64_t direct_limit;
  double estimate_factor;
} tamrt_oracle;

/// Where steps run.
typedef enum tamrt_place {
  /// On the device of the run.
  TAMRT_PLACE_DEVICE = 0,
  /// On the CPU.
  TAMRT_PLACE_CPU = 1,
} tamrt_place;

/// Where the spec wants steps to run, each a tamrt_place. The parts are those
/// of steps.def.
typedef struct tamrt_placement {
  /// The steps of a fit that add up rows.
  int32_t sums;
  /// The steps that factor and solve.
  int32_t solve;
  /// The steps of predictions.
  int32_t predict;
  int32_t reserved;
} tamrt_placement;

/// Training values of an input according to a profile: few, and evenly
/// spaced.
typedef struct tamrt_grid {
  /// The input's index.
  int32_t input;
  /// Largest number of grid points, over all groups, from the group's smallest
  /// to its largest value, including points without a value.
  int32_t levels;
  /// One of the values, and the distance between values, above 0.
  double first, step;
} tamrt_grid;

struct tamrt_model;

/// Steps of a fit that sum rows for each level of some inputs and apply the
/// functions of these inputs' terms at the end (level compression).
typedef struct tamrt_compression {
  /// The steps are for training data whose values of each of these inputs
  /// are on the grid, in every group.
  int64_t grid_count;
  const tamrt_grid *grids;
  /// The model with these steps. Only the steps FIT_* and the accumulators
  /// differ from the model it belongs to, and it has no compression itself.
  const struct tamrt_model *model;
} tamrt_compression;

/// Fits in windows that slide over the rows of each group (docs/math.md section
/// 4, "Sliding windows"): the fit of rows [s - (horizon - 1) - window,
/// s - (horizon - 1)) predicts rows [s, s + update), for s = window + horizon -
/// 1 and every `update` rows after it.
typedef struct tamrt_adapt {
  /// Numbers of rows, each at least 1.
  int64_t window, update, horizon;
  /// 1 if the windows' fits correct the residuals of the model that this
  /// belongs to, else 0.
  int32_t corrects;
  int32_t reserved;
  /// The model that is fitted in windows. Its steps read row weights. It has no
  /// `adapt` itself. If it corrects, its target is no column, and inputs named
  /// TAMRT_EFFECT_PREFIX and an effect are effects of the model that this
  /// belongs to; else it has that model's formula.
  const struct tamrt_model *model;
} tamrt_adapt;

/// See tamrt_adapt.
#define TAMRT_EFFECT_PREFIX "effect_"

/// A compiled model.
typedef struct tamrt_model {
  /// TAMRT_ABI_VERSION of the compiler.
  int32_t abi_version;
  /// The lowest level of tamrt_cpu_level that the code runs on.
  int32_t cpu_level;
  const char *name;
  /// Formula as written.
  const char *formula;
  /// The feature maps of the effects but the offset, as JSON; null: unknown.
  /// See core/model/Export.h.
  const char *terms;
  /// Canonical spec as YAML, and its SHA-256 in hex, which identifies the
  /// model in weights.
  const char *spec, *spec_hash;
  /// Column names; null if the spec has none.
  const char *target, *group, *date, *weights;
  /// The solvers whose steps the model has: "direct", "cg", or "auto", both.
  const char *solver;
  /// The device that the spec asks for, such as "cuda:1"; null: "auto".
  const char *device;
  /// Versions of tamc and of LLVM.
  const char *tamc_version, *llvm_version;
  /// D, the columns of the design matrix.
  int64_t columns;
  /// Bytes of `state` and of `carry` of one group. Without the steps of the
  /// direct solver state_bytes is 0.
  int64_t state_bytes, carry_bytes;
  /// Bytes of `state` in the steps of conjugate gradients, 0 without them.
  int64_t cg_state_bytes;
  int64_t accumulator_count;
  const tamrt_accumulator *accumulators;
  /// Null if the spec has no such settings.
  const tamrt_oracle *oracle;
  const tamrt_placement *placement;
  int64_t input_count;
  const tamrt_input *inputs;
  int64_t table_count;
  const tamrt_table *tables;
  int64_t learner_count;
  const tamrt_learner *learners;
  int64_t effect_count;
  const tamrt_effect *effects;
  int64_t penalty_count;
  const tamrt_penalty *penalties;
  /// What the buffers of all steps name; null if no step has a buffer.
  const char *const *plan_texts;
  int64_t step_count;
  const tamrt_step *steps;
  /// For when memory is short: the model with steps of conjugate gradients that
  /// factor fewer blocks. It differs from this one in the steps CG_* and
  /// PRECONDITION, their accumulators, `cg_state_bytes` and `factored`, and it
  /// refers to no other model. Null if no block is large.
  const struct tamrt_model *small_blocks;
  /// Null if no input has few enough levels.
  const tamrt_compression *compression;
  /// Null if the spec has no windows, and in the models that this one refers
  /// to, but for `devices`.
  const tamrt_adapt *adapt;
  /// The same model for devices whose memory the CPU cannot address: no step of
  /// it has code of its own (tamrt_step::is_cpu_code). It differs from this one
  /// in its steps and their plans, accumulators and state, and refers to
  /// likewise models, `small_blocks` and so on. Null in the models that this
  /// one refers to, and if tamc made none, as in models without loops over
  /// rows.
  const struct tamrt_model *devices;
} tamrt_model;

/// The command line of a compiled model: fit, predict, decompose,
/// coefficients, plan, info. Returns the exit status: 0 success, 1 error (a
/// message on stderr). The `main` of an executable calls this and nothing else.
int tamrt_main(const tamrt_model *model, int argc, char **argv);

/// Instruction sets beyond the architecture's baseline: the levels of the
/// x86-64 psABI, each of which includes those below it. Level 3 has AVX2.
#define TAMRT_CPU_BASELINE 0
#define TAMRT_CPU_X86_64_V2 2
#define TAMRT_CPU_X86_64_V3 3
#define TAMRT_CPU_X86_64_V4 4

/// The machine's level, by which a compiled model chooses versions of its
/// generated kernels.
int64_t tamrt_cpu_level(void);

// Kernels: one C symbol each, `tamrt_<name>`, declared once in kernels.def.
#define TAMRT_IN(type, name) const type *name
#define TAMRT_IN_OPTIONAL(type, name) const type *name
#define TAMRT_IN_LIST(type, name) const type *const *name, int64_t name##_count
#define TAMRT_SCALAR(type, name) type name
#define TAMRT_OUT(type, name) type *name
#define TAMRT_INOUT(type, name) type *name
#define TAMRT_KERNEL(name, ...)                                                \
  void tamrt_##name(tamrt_context *ctx, __VA_ARGS__);
#include "tamrt/kernels.def"

/// The kernels of one device, one member per kernel of kernels.def.
typedef struct tamrt_kernels {
#define TAMRT_KERNEL(name, ...) void (*name)(tamrt_context * ctx, __VA_ARGS__);
#include "tamrt/kernels.def"
} tamrt_kernels;

#undef TAMRT_IN
#undef TAMRT_IN_OPTIONAL
#undef TAMRT_IN_LIST
#undef TAMRT_SCALAR
#undef TAMRT_OUT
#undef TAMRT_INOUT

/// An argument of a launch.
typedef union tamrt_argument {
  const void *address;
  int64_t integer;
  double real;
} tamrt_argument;

/// Calls a kernel that was generated for a model, with its arguments after the
/// context.
typedef void (*tamrt_generated_kernel)(tamrt_context *ctx,
                                       const tamrt_argument *arguments);

/// What an operand of a launch is, in a table. An operand is one number:
/// its space plus TAMRT_SPACES times a number that depends on the space.
typedef enum tamrt_space {
  /// The number itself, as an integer; as a buffer 0 is none.
  TAMRT_SPACE_NUMBER = 0,
  /// Bytes from the start of what a tamrt_step_function gets, or of the model's
  /// constants.
  TAMRT_SPACE_STATE,
  TAMRT_SPACE_CARRY,
  TAMRT_SPACE_PARAMETERS,
  TAMRT_SPACE_COEFFICIENTS,
  TAMRT_SPACE_OUTPUT,
  TAMRT_SPACE_CONSTANTS,
  /// Parameters of a tamrt_step_function; the number is 0.
  TAMRT_SPACE_ROWS,
  TAMRT_SPACE_FIRST,
  TAMRT_SPACE_GROUP_ROWS,
  /// An element of an array: the number is its distance in bytes. In the arena,
  /// the element of `offsets` is the buffer's offset.
  TAMRT_SPACE_COLUMNS,
  TAMRT_SPACE_TABLES,
  TAMRT_SPACE_LITERALS,
  TAMRT_SPACE_ARENA,
  /// A list of buffers: the operands that follow, so many of them.
  TAMRT_SPACE_LIST,
} tamrt_space;

/// More than the spaces: a power of two.
#define TAMRT_SPACES 16

/// A step as data: launches that the runtime, or a backend, reads one after
/// another. Steps of many launches are stored in this form alone, because code
/// for them would take a compiler long and the table is smaller.
typedef struct tamrt_launches {
  int64_t count;
  /// The most arguments that a launch has, each buffer of a list counted as one
  /// more.
  int64_t scratch;
  /// For each launch: the kernel, which is its position in kernels.def, or
  /// -1 - i for `generated[i]`; how many arguments it has after the context, a
  /// list counted as two, its address and its length; and its operands.
  const int64_t *code;
  /// Offsets in the arena: the clones of a step differ only in these.
  const int64_t *offsets;
  /// Integers and doubles of 64 bits.
  const int64_t *literals;
  /// The numbers that the model's kernels read, aligned to TAMRT_ALIGNMENT, and
  /// how many bytes all steps have of them together.
  const void *constants;
  int64_t constant_bytes;
  const tamrt_generated_kernel *generated;
} tamrt_launches;

/// Runs a step that is stored as data; the parameters are those of
/// tamrt_step_function. `scratch` has room for `step->scratch` arguments.
void tamrt_run_launches(tamrt_context *ctx, const tamrt_launches *step,
                        tamrt_argument *scratch, void *arena, void *state,
                        void *carry, const double *parameters,
                        const void *const *tables, const double *coefficients,
                        const void *const *columns, double *output,
                        int64_t rows, int64_t first, int64_t group_rows);

/// Runs `count` calls of such a step together: each launch for all calls, then
/// the next launch. The calls must not depend on each other. `scratch` has room
/// for `step->scratch` + TAMRT_SPACES * count arguments.
void tamrt_run_calls(const tamrt_launches *step, tamrt_argument *scratch,
                     const tamrt_call *calls, int64_t count);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // TAMRT_ABI_H
