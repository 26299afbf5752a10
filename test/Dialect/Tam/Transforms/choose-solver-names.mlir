// A function has a name that a function of conjugate gradients would get: the
// direct solver stays alone, and a spec that leaves no choice is refused.
//
// RUN: tam-opt %s --tam-choose-solver=min-cg=2 | FileCheck %s
// RUN: sed 's/solver = auto/solver = cg/' %s | not tam-opt --tam-choose-solver \
// RUN:   2>&1 | FileCheck %s --check-prefix=ASKED
// A name that is given only where memory is short is taken, too.
// RUN: sed 's/@apply/@precondition_small_blocks/' %s \
// RUN:   | tam-opt --tam-choose-solver=min-cg=2 | FileCheck %s
// With another name the functions are written.
// RUN: sed 's/@apply/@other/' %s | tam-opt --tam-choose-solver=min-cg=2 \
// RUN:   | FileCheck %s --check-prefix=FREE

// CHECK-LABEL: func.func @fit(
// CHECK: tam.solve {{.*}} {solver = #tam.solver<direct>}
// CHECK-NOT: func.func @
// ASKED: error: expected no function that has a name of solver 'cg'
// FREE: func.func @precondition(
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = auto>} {
  func.func private @apply()
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %y: tensor<?xf64>)
      -> (tensor<2xf64> {tam.slot = #tam.slot<output>}) {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %m, %v = tam.normal_equations %rows designs(%a : tensor<?x2xf64>) y %y
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>)
        : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x : tensor<2xf64>
  }
}
