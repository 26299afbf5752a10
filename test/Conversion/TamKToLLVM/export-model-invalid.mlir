// A model is described by its module, a step by its plan.
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
