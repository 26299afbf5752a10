// The steps of a model get their arena from the runtime.
//
// RUN: tam-opt %s --plan-memory=arena=global -verify-diagnostics

func.func private @use(memref<1xf64>)
// expected-error @+1 {{expected the arena of a step as its argument}}
func.func @step() attributes {tam.step = #tam.step<fit_finish>} {
  %a = memref.alloc() : memref<1xf64>
  call @use(%a) : (memref<1xf64>) -> ()
  return
}
