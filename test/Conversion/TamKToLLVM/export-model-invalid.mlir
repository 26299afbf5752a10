// The description of a model needs 'tam.model' on the module, that of a step
// its plan.
//
// RUN: tam-opt %s --export-model -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a module with 'tam.model'}}
module {}

// -----

module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 1>} {
  // expected-error @+1 {{'llvm.func' op expected a planned step}}
  llvm.func @fit_init() attributes {tam.step = #tam.step<fit_init>} {
    llvm.return
  }
}
