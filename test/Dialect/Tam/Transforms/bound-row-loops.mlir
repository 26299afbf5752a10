// If a loop over rows would have more words than the limit, the sums of the
// last terms are left out. Terms are ordered: columns first, then bands.
//
// RUN: tam-opt %s --tam-bound-row-loops=most-words=10 2>&1 | FileCheck %s
// RUN: tam-opt %s --tam-bound-row-loops=most-words=0 \
// RUN:   | FileCheck %s --check-prefix=ALL
// RUN: tam-opt %s --tam-bound-row-loops | FileCheck %s --check-prefix=ALL
// RUN: tam-opt %s --tam-bound-row-loops=most-words=10 --tam-choose-layouts \
// RUN:   2>/dev/null | FileCheck %s --check-prefix=LAYOUTS
// RUN: not tam-opt %s --tam-bound-row-loops=most-words=-2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE

// The band of %a, two words with itself and one with each column and the
// target, fits; that of %b, which adds four words with %a, does not.
//
// CHECK: remark: the fit's loop over the rows is full: it has 2 of 3 terms; this term and 0 more are summed pair by pair
// CHECK-LABEL: func.func @fit(
// CHECK: tam.gram %[[ONE:.*]], %[[ONE]] into {{.*}} : tensor
// CHECK: tam.gram %[[A:.*]], %[[ONE]] into {{[^{]*$}}
// CHECK: tam.gram %[[B:.*]], %[[ONE]] into {{.*}} {tam.apart}
// CHECK: tam.gram %[[A]], %[[A]] into {{[^{]*$}}
// CHECK: tam.gram %[[A]], %[[B]] into {{.*}} {tam.apart}
// CHECK: tam.gram %[[B]], %[[B]] into {{.*}} {tam.apart}
// ALL-NOT: tam.apart
// NEGATIVE: expected at least 0 words in a loop, or -1 for the target's limit, got -2

// Sums with `tam.apart` get no panels.
// LAYOUTS: tam.gram {{.*}} tensor<5x5xf64, #tam.sums<cubic_panels
// LAYOUTS: tam.gram {{.*}} {tam.apart} {{.*}} tensor<5x5xf64, #tam.sums<upper>>
func.func @fit(%rows: index, %x: tensor<?xf64>, %y: tensor<?xf64>,
    %p: tensor<4xf64>) {
  %one = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %a = tam.bspline %x, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %b = tam.bspline %y, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %z0 = tam.zeros : tensor<1x1xf64, #tam.sums<upper>>
  %0 = tam.gram %one, %one into %z0 : tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense> -> tensor<1x1xf64, #tam.sums<upper>>
  %z1 = tam.zeros : tensor<5x1xf64, #tam.sums<full>>
  %1 = tam.gram %a, %one into %z1 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x1xf64, #tam.dense> -> tensor<5x1xf64, #tam.sums<full>>
  %z2 = tam.zeros : tensor<5x1xf64, #tam.sums<full>>
  %2 = tam.gram %b, %one into %z2 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x1xf64, #tam.dense> -> tensor<5x1xf64, #tam.sums<full>>
  %z3 = tam.zeros : tensor<5x5xf64, #tam.sums<upper>>
  %3 = tam.gram %a, %a into %z3 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<5x5xf64, #tam.sums<upper>>
  %z4 = tam.zeros : tensor<5x5xf64, #tam.sums<full>>
  %4 = tam.gram %a, %b into %z4 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<5x5xf64, #tam.sums<full>>
  %z5 = tam.zeros : tensor<5x5xf64, #tam.sums<upper>>
  %5 = tam.gram %b, %b into %z5 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<5x5xf64, #tam.sums<upper>>
  return
}
