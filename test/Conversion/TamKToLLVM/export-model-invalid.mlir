// The description of a model needs 'tam.model' on the module, that of a step
// its plan.
//
// RUN: tam-opt %s --export-model -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a module with 'tam.model'}}
module {}

// -----

module attributes {tam.model = {}} {
  // expected-error @+1 {{'llvm.func' op expected a planned step}}
  llvm.func @fit_init() attributes {tam.step = #tam.step<fit_init>} {
    llvm.return
  }
}

// -----

// Contents of a table must have its shape and element type.
// expected-error @+1 {{expected elements of type 'tensor<2xf64>' as 'given' of table "a.range"}}
module attributes {tam.model = {
    tables = [{name = "a.range", is_integer = 0 : i32, shape = array<i64: 2>,
               given = dense<0.0> : tensor<3xf64>}]}} {}

// -----

// expected-error @+1 {{expected elements of type 'tensor<2xi32>' as 'given' of table "a.features"}}
module attributes {tam.model = {
    tables = [{name = "a.features", is_integer = 1 : i32,
               shape = array<i64: 2>, given = "0, 0"}]}} {}
