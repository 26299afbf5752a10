// The description of a model on its module, and the slots of functions: one
// test per constraint; the comment above a test names it.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// model_c2: a list.
// expected-error @+1 {{expected in the description of 'tam.model' a list of dictionaries as 'inputs', got [1]}}
module attributes {tam.model = {inputs = [1]}} {}

// -----

// model_c2: a text.
// expected-error @+1 {{expected in the description of 'tam.model' a string as 'name', got 3 : i64}}
module attributes {tam.model = {name = 3}} {}

// -----

// model_c2: an integer.
// expected-error @+1 {{expected in the description of 'tam.model' an integer of at most 64 bits as 'columns', got 1 : i128}}
module attributes {tam.model = {columns = 1 : i128}} {}

// -----

// model_c2: a number.
// expected-error @+1 {{expected in inputs[1] of 'tam.model' an f64 as 'lo', got 1.000000e+00 : f32}}
module attributes {tam.model = {inputs = [{}, {lo = 1.0 : f32}]}} {}

// -----

// model_c2: a dictionary.
// expected-error @+1 {{expected in inputs[0] of 'tam.model' a dictionary as 'grid', got 24 : i64}}
module attributes {tam.model = {inputs = [{grid = 24}]}} {}

// -----

// model_c2: a grid's step.
// expected-error @+1 {{expected in inputs[0] of 'tam.model' an f64 as 'step', got none}}
module attributes {tam.model = {inputs = [{grid = {levels = 24}}]}} {}

// -----

// model_c2: a learner without anything.
// expected-error @+1 {{expected in learners[0] of 'tam.model' an array of i64 as 'sizes', got none}}
module attributes {tam.model = {learners = [{}]}} {}

// -----

// model_c3
// expected-error @+1 {{expected in tables[0] of 'tam.model' a shape of one or two sizes, got array<i64: 2, 3, 4>}}
module attributes {tam.model = {
  tables = [{name = "W", shape = array<i64: 2, 3, 4>}]
}} {}

// -----

// model_c3: an empty table.
// expected-error @+1 {{expected in tables[0] of 'tam.model' a shape of one or two sizes, got array<i64: 0>}}
module attributes {tam.model = {
  tables = [{name = "W", shape = array<i64: 0>}]
}} {}

// -----

// model_c4: sizes.
// expected-error @+1 {{expected in learners[0] of 'tam.model' two sizes, got array<i64: 3>}}
module attributes {tam.model = {
  learners = [{sizes = array<i64: 3>, inputs = array<i32>}]
}} {}

// -----

// model_c4: inputs.
// expected-error @+1 {{expected in learners[0] of 'tam.model' numbers of inputs, got array<i32: 1>}}
module attributes {tam.model = {
  inputs = [{}],
  learners = [{sizes = array<i64: 3, 1>, inputs = array<i32: 1>}]
}} {}

// -----

// model_c4: tables.
// expected-error @+1 {{expected in learners[0] of 'tam.model' tables that exist, got 2 from 0}}
module attributes {tam.model = {
  tables = [{name = "W", shape = array<i64: 2>}],
  learners = [{sizes = array<i64: 3, 1>, inputs = array<i32>,
               first_table = 0, table_count = 2}]
}} {}

// -----

// model_c5: a step that reads no rows.
// expected-error @+1 {{expected in accumulators[0] of 'tam.model' the number of steps that add rows to accumulators as 'kind', got 0}}
module attributes {tam.model = {
  accumulators = [{kind = 0 : i32, offset = 0, count = 1}]
}} {}

// -----

// model_c5: a prediction.
// expected-error @+1 {{expected in level_accumulators[0] of 'tam.model' the number of steps that add rows to accumulators as 'kind', got 3}}
module attributes {tam.model = {
  level_accumulators = [{kind = 3 : i32, offset = 0, count = 1}]
}} {}

// -----

// model_c5: no step.
// expected-error @+1 {{expected in small_blocks_accumulators[1] of 'tam.model' the number of steps that add rows to accumulators as 'kind', got 4294967297}}
module attributes {tam.model = {
  small_blocks_accumulators = [{kind = 7 : i32, offset = 0, count = 1},
                               {kind = 4294967297, offset = 0, count = 1}]
}} {}

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
