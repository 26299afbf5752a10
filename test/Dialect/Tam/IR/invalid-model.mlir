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
