// The description of a model on its module, and the slots of functions: one
// test per constraint; the comment above a test names it.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// A parameter of another type.
// expected-error @+2 {{expected string}}
// expected-error @+1 {{failed to parse Tam_ModelAttr parameter 'name'}}
module attributes {tam.model = #tam.model<name = 3, target = "y",
    columns = 1>} {}

// -----

// A parameter that does not exist.
// expected-error @+2 {{duplicate or unknown struct parameter name: size}}
module attributes {tam.model = #tam.model<name = "m", target = "y",
    size = 1>} {}

// -----

// A parameter that is missing.
// expected-error @+1 {{struct is missing required parameter: target}}
module attributes {tam.model = #tam.model<name = "m", columns = 1>} {}

// -----

// A list with something else.
// expected-error @+3 {{expected '<'}}
// expected-error @+2 {{failed to parse Tam_ModelAttr parameter 'inputs'}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    inputs = [1]>} {}

// -----

// A grid without a step.
// expected-error @+5 {{expected ','}}
// expected-error @+4 {{failed to parse Tam_InputAttr parameter 'grid'}}
// expected-error @+3 {{failed to parse Tam_ModelAttr parameter 'inputs'}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    inputs = [<column = "a", rule = range,
               grid = <levels = 24, first = 0.0>>]>} {}

// -----

// grid_c1: a negative step.
// expected-error @+1 {{expected a finite step above 0 of a grid, got -1.000000e+00}}
module attributes {test.grid = #tam.grid<levels = 2, first = 0.0,
                                         step = -1.0>} {}

// -----

// grid_c1: infinity.
// expected-error @+1 {{expected a finite step above 0 of a grid, got INF}}
module attributes {test.grid = #tam.grid<levels = 2, first = 0.0,
                                         step = 0x7FF0000000000000>} {}

// -----

// adapt_c1: a window without rows.
// expected-error @+1 {{expected window, update and horizon of at least 1, got 0, 1 and 1}}
module attributes {test.adapt = #tam.adapt<window = 0, update = 1,
                                           horizon = 1>} {}

// -----

// table_c1: the rank.
// expected-error @+1 {{expected one or two sizes above 0 and elements f64 or i32 in table 'W', got 'tensor<2x3x4xf64>'}}
module attributes {test.table = #tam.table<name = "W",
                                           type = tensor<2x3x4xf64>>} {}

// -----

// table_c1: an empty table.
// expected-error @+1 {{expected one or two sizes above 0 and elements f64 or i32 in table 'W', got 'tensor<0xf64>'}}
module attributes {test.table = #tam.table<name = "W", type = tensor<0xf64>>} {}

// -----

// table_c1: the elements.
// expected-error @+1 {{expected one or two sizes above 0 and elements f64 or i32 in table 'W', got 'tensor<2xi64>'}}
module attributes {test.table = #tam.table<name = "W", type = tensor<2xi64>>} {}

// -----

// table_c2
// expected-error @+1 {{expected elements of type 'tensor<2xf64>' as 'given' of table 'W', got 'tensor<3xf64>'}}
module attributes {test.table = #tam.table<name = "W", type = tensor<2xf64>,
    given = dense<0.0> : tensor<3xf64>>} {}

// -----

// learner_c1
// expected-error @+1 {{expected two sizes of a learner, got 1}}
module attributes {test.learner = #tam.learner<kind = range, sizes = [3],
    effect = 0, inputs = [0], first_table = 0, table_count = 1>} {}

// -----

// model_c2: the effect of a strength.
// expected-error @+1 {{expected in strengths[0] of 'tam.model' an effect that exists, got 1}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    effects = [<name = "offset", term = "offset", first = 0, columns = 1>],
    strengths = [<name = "a", effect = 1, ap = -2.0, value = 0.01,
                  limit = 9.1>]>} {}

// -----

// model_c2: the effect of a learner.
// expected-error @+1 {{expected in learners[0] of 'tam.model' an effect that exists, got 0}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    learners = [<kind = range, sizes = [0, 0], effect = 0, inputs = [],
                 first_table = 0, table_count = 0>]>} {}

// -----

// model_c2: inputs.
// expected-error @+1 {{expected in learners[0] of 'tam.model' inputs that exist, got [0, 1]}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    inputs = [<column = "a", rule = range>],
    effects = [<name = "offset", term = "offset", first = 0, columns = 1>],
    learners = [<kind = range, sizes = [0, 0], effect = 0, inputs = [0, 1],
                 first_table = 0, table_count = 0>]>} {}

// -----

// model_c2: tables.
// expected-error @+1 {{expected in learners[0] of 'tam.model' tables that exist, got 1 from 1}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    effects = [<name = "offset", term = "offset", first = 0, columns = 1>],
    tables = [<name = "a.range", type = tensor<2xf64>>],
    learners = [<kind = range, sizes = [0, 0], effect = 0, inputs = [],
                 first_table = 1, table_count = 1>]>} {}

// -----

// accumulator_c1: steps that read no rows.
// expected-error @+1 {{expected steps that add rows to accumulators, got 'fit_init'}}
module attributes {test.sums = #tam.accumulator<kind = fit_init, offset = 0,
                                                count = 1>} {}

// -----

// accumulator_c1: a prediction.
// expected-error @+1 {{expected steps that add rows to accumulators, got 'predict'}}
module attributes {test.sums = #tam.accumulator<kind = predict, offset = 0,
                                                count = 1>} {}

// -----

// variant_c1: something else.
// expected-error @+1 {{expected a '#tam.variant' as 'tam.by_levels'}}
module attributes {tam.by_levels} {}

// -----

// variant_c1: no model.
// expected-error @+1 {{'tam.plain' belongs on a module with a '#tam.model'}}
module attributes {tam.plain = #tam.variant<>} {}

// -----

// variant_c1: no module.
// expected-error @+1 {{'tam.plain' belongs on a module with a '#tam.model'}}
func.func private @f() attributes {tam.plain = #tam.variant<>}

// -----

// variant_c2: effects.
// expected-error @+1 {{expected effects that exist as 'factored' of 'tam.small_blocks', got [0]}}
module attributes {
    tam.model = #tam.model<name = "m", target = "y", columns = 1>,
    tam.small_blocks = #tam.variant<factored = [0]>} {}

// -----

// variant_c2: inputs.
// expected-error @+1 {{expected inputs with grids as 'by_levels' of 'tam.by_levels', got [-1]}}
module attributes {
    tam.model = #tam.model<name = "m", target = "y", columns = 1>,
    tam.by_levels = #tam.variant<by_levels = [-1]>} {}

// -----

// variant_c2: an input without a grid.
// expected-error @+1 {{expected inputs with grids as 'by_levels' of 'tam.by_levels', got [0]}}
module attributes {
    tam.model = #tam.model<name = "m", target = "y", columns = 1,
                           inputs = [<column = "a", rule = range>]>,
    tam.by_levels = #tam.variant<by_levels = [0]>} {}

// -----

// slot_c2: a scalar that is not an index.
// expected-error @+1 {{slot 'parameters' cannot hold 'f64'}}
func.func private @f(f64 {tam.slot = #tam.slot<parameters>})

// -----

// slot_c2: state of unknown size.
// expected-error @+1 {{slot 'state' cannot hold 'tensor<?xf64>'}}
func.func private @f(tensor<?xf64> {tam.slot = #tam.slot<state>})

// -----

// slot_c2: a column of known size, which a chunk does not have.
// expected-error @+1 {{slot 'column' cannot hold 'tensor<24xf64>'}}
func.func private @f(tensor<24xf64> {tam.slot = #tam.slot<column>})

// -----

// slot_c2: neither a tensor nor a memref.
// expected-error @+1 {{slot 'state' cannot hold 'vector<4xf64>'}}
func.func private @f(vector<4xf64> {tam.slot = #tam.slot<state>})

// -----

// slot_c2: a tensor without a rank.
// expected-error @+1 {{slot 'output' cannot hold 'tensor<*xf64>'}}
func.func private @f(tensor<*xf64> {tam.slot = #tam.slot<output>})

// -----

// model_c3: columns between the effects.
// expected-error @+1 {{expected in effects[1] of 'tam.model' columns from 1 on, of 3, got 1 from 2}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 3,
    effects = [<name = "offset", term = "offset", first = 0, columns = 1>,
               <name = "a", term = "l(a)", first = 2, columns = 1>]>} {}

// -----

// model_c3: an effect before the first column.
// expected-error @+1 {{expected in effects[0] of 'tam.model' columns from 0 on, of 1, got 1 from -4}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    effects = [<name = "a", term = "l(a)", first = -4, columns = 1>]>} {}

// -----

// model_c3: an effect without columns.
// expected-error @+1 {{expected in effects[0] of 'tam.model' columns from 0 on, of 1, got 0 from 0}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    effects = [<name = "a", term = "l(a)", first = 0, columns = 0>]>} {}

// -----

// model_c3: more columns than the model has.
// expected-error @+1 {{expected in effects[1] of 'tam.model' columns from 1 on, of 2, got 9223372036854775807 from 1}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 2,
    effects = [<name = "offset", term = "offset", first = 0, columns = 1>,
               <name = "a", term = "l(a)", first = 1,
                columns = 9223372036854775807>]>} {}

// -----

// model_c3: a column without an effect.
// expected-error @+1 {{expected 'tam.model' with effects of 3 columns, got 1}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 3,
    effects = [<name = "offset", term = "offset", first = 0, columns = 1>]>} {}

// -----

// model_c4: columns.
// expected-error @+1 {{expected no count below 0 in 'tam.model', got columns = -3}}
module attributes {tam.model = #tam.model<name = "m", target = "y",
                                          columns = -3>} {}

// -----

// model_c4: bytes.
// expected-error @+1 {{expected no count below 0 in 'tam.model', got carry_bytes = -8}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
                                          carry_bytes = -8>} {}

// -----

// model_c4: rows of a chunk.
// expected-error @+1 {{expected no count below 0 in 'tam.model', got chunk_rows = -1}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
                                          chunk_rows = -1>} {}

// -----

// model_c4: rows of a group.
// expected-error @+1 {{expected no count below 0 in 'tam.model', got rows_per_group = -1}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
                                          rows_per_group = -1>} {}

// -----

// model_c4: levels.
// expected-error @+1 {{expected in inputs[0] of 'tam.model' levels of at least 0, got -7}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    inputs = [<column = "a", rule = codes, levels = -7>]>} {}

// -----

// model_c4: levels of a grid.
// expected-error @+1 {{expected in inputs[0] of 'tam.model' levels of at least 0, got -7}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    inputs = [<column = "a", rule = range,
               grid = <levels = -7, first = 0.0, step = 0.5>>]>} {}

// -----

// model_c5: the name.
// expected-error @+1 {{expected texts without NUL in 'tam.model'}}
module attributes {tam.model = #tam.model<name = "a\00b", target = "y",
                                          columns = 1>} {}

// -----

// model_c5: a column.
// expected-error @+1 {{expected in inputs[0] of 'tam.model' a text without NUL}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    inputs = [<column = "a\00", rule = range>]>} {}

// -----

// model_c5: an effect.
// expected-error @+1 {{expected in effects[0] of 'tam.model' texts without NUL}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    effects = [<name = "a", term = "\00", first = 0, columns = 1>]>} {}

// -----

// model_c5: a penalty.
// expected-error @+1 {{expected in strengths[0] of 'tam.model' a text without NUL}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    effects = [<name = "offset", term = "offset", first = 0, columns = 1>],
    strengths = [<name = "\00", effect = 0, ap = -2.0, value = 0.01,
                  limit = 9.1>]>} {}

// -----

// model_c5: a table.
// expected-error @+1 {{expected in tables[0] of 'tam.model' a text without NUL}}
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1,
    tables = [<name = "\00", type = tensor<2xf64>>]>} {}

// -----

// variant_c3: bytes.
// expected-error @+1 {{expected states of at least 0 bytes in 'tam.plain', got -64 and 0}}
module attributes {
    tam.model = #tam.model<name = "m", target = "y", columns = 1>,
    tam.plain = #tam.variant<state_bytes = -64>} {}

// -----

// variant_c3: an accumulator before the state.
// expected-error @+1 {{expected accumulators[0] of 'tam.plain' within a state of 64 bytes, got 1 numbers from byte -64}}
module attributes {
    tam.model = #tam.model<name = "m", target = "y", columns = 1>,
    tam.plain = #tam.variant<state_bytes = 64, accumulators = [
        <kind = fit_chunk, offset = -64, count = 1>]>} {}

// -----

// variant_c3: an accumulator in the state of the other solver.
// expected-error @+1 {{expected accumulators[0] of 'tam.plain' within a state of 0 bytes, got 1 numbers from byte 0}}
module attributes {
    tam.model = #tam.model<name = "m", target = "y", columns = 1>,
    tam.plain = #tam.variant<state_bytes = 64, accumulators = [
        <kind = apply_chunk, offset = 0, count = 1>]>} {}

// -----

// variant_c3: an accumulator beyond the state.
// expected-error @+1 {{expected accumulators[1] of 'tam.plain' within a state of 128 bytes, got 2305843009213693952 numbers from byte 64}}
module attributes {
    tam.model = #tam.model<name = "m", target = "y", columns = 1>,
    tam.plain = #tam.variant<cg_state_bytes = 128, accumulators = [
        <kind = cg_chunk, offset = 0, count = 16>,
        <kind = cg_chunk, offset = 64, count = 2305843009213693952>]>} {}

// -----

// variant_c3: an accumulator of fewer than no numbers.
// expected-error @+1 {{expected accumulators[0] of 'tam.plain' within a state of 64 bytes, got -1 numbers from byte 0}}
module attributes {
    tam.model = #tam.model<name = "m", target = "y", columns = 1>,
    tam.plain = #tam.variant<state_bytes = 64, accumulators = [
        <kind = fit_chunk, offset = 0, count = -1>]>} {}

// -----

// step_c2
// expected-error @+1 {{expected a rung of at least 0 rows in 'tam.step', got -5}}
func.func private @f() attributes {tam.step = #tam.step<predict, -5>}
