// The runtime's arenas are aligned to 64 bytes, so a step cannot require more.
//
// RUN: tam-opt %s --plan-memory="strict report=false" -verify-diagnostics

func.func private @use(memref<1xf64>)
func.func @step() attributes {tam.step = #tam.step<fit_finish>} {
  // expected-error @+1 {{cannot plan this allocation: the runtime aligns arenas to 64 bytes alone}}
  %a = memref.alloc() {alignment = 128 : i64} : memref<1xf64>
  call @use(%a) : (memref<1xf64>) -> ()
  return
}
