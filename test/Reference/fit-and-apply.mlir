// The reference interpreter on a model of an offset and two levels, before and
// after the fit is split into chunks.
//
// RUN: tam-interpret %s --run=fit --data=%S/Inputs/two-levels.json \
// RUN:   | FileCheck %s --check-prefix=FIT
// RUN: tam-opt %s --tam-choose-encodings --tam-tile-rows -o %t.tiled.mlir
// RUN: tam-interpret %t.tiled.mlir --run=fit --chunk-rows=4 \
// RUN:   --data=%S/Inputs/two-levels.json | FileCheck %s --check-prefix=FIT
// RUN: tam-interpret %t.tiled.mlir --run=predict \
// RUN:   --data=%S/Inputs/two-levels.json | FileCheck %s --check-prefix=PREDICT
// RUN: tam-interpret %t.tiled.mlir --run=predict --rows=0,2 \
// RUN:   --data=%S/Inputs/two-levels.json | FileCheck %s --check-prefix=FIRST
// RUN: tam-interpret %s --run=terms --data=%S/Inputs/two-levels.json \
// RUN:   | FileCheck %s --check-prefix=TERMS
// RUN: not tam-interpret %s --run=design --data=%S/Inputs/two-levels.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not tam-interpret %s --data=%s 2>&1 | FileCheck %s --check-prefix=JSON

// Weighted sums: level 0 has weight 2 and sum 4, level 1 weight 4 and sum 16; T
// is 6, so the penalties of 0.5 add 3 to each level, and of 1 add 6 to the
// offset (and the floor 6e-6): [12 2 4; 2 5 0; 4 0 7] beta = (20, 4, 16).
// beta0 (12 - 4/5 - 16/7) = 20 - 8/5 - 64/7 gives 1.0384..
// FIT: [1.03846{{[0-9]*}},0.38461{{[0-9]*}},1.69230{{[0-9]*}}]

// An unseen level (-1) has no effect.
// PREDICT: [11,12,12,11,12,10]

// FIRST: []
// FIRST-NEXT: [11,12]

// TERMS: [10,1]
// TERMS-NEXT: [10,2]

// NONE: error: expected a function @design
// JSON: error: {{.*}}Invalid JSON

#o = #tam.slot<output>
module {
  func.func @fit(%n: index {tam.slot = #tam.slot<rows>},
                 %c: tensor<?xi32> {tam.slot = #tam.slot<column, 0>},
                 %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
                 %w: tensor<?xf64> {tam.slot = #tam.slot<column, 2>})
      -> (tensor<3xf64> {tam.slot = #o}) {
    %0 = tam.offset %n : tensor<?x1xf64>
    %1 = tam.levels %c {levels = 2} : tensor<?xi32> -> tensor<?x2xf64>
    %z00 = tam.zeros : tensor<1x1xf64>
    %z01 = tam.zeros : tensor<1x2xf64>
    %z11 = tam.zeros : tensor<2x2xf64>
    %z0 = tam.zeros : tensor<1xf64>
    %z1 = tam.zeros : tensor<2xf64>
    %g00 = tam.gram %0, %0 weights %w : tensor<?xf64> into %z00
        : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
    %g01 = tam.gram %0, %1 weights %w : tensor<?xf64> into %z01
        : tensor<?x1xf64>, tensor<?x2xf64> -> tensor<1x2xf64>
    %g11 = tam.gram %1, %1 weights %w : tensor<?xf64> into %z11
        : tensor<?x2xf64>, tensor<?x2xf64> -> tensor<2x2xf64>
    %b0 = tam.rhs %0, %y weights %w : tensor<?xf64> into %z0
        : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
    %b1 = tam.rhs %1, %y weights %w : tensor<?xf64> into %z1
        : tensor<?x2xf64>, tensor<?xf64> -> tensor<2xf64>
    %p0 = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<1x1xf64, #tam.coordinates<1>>
    %p1 = tam.penalty rows [0, 1] columns [0, 1] values [0.5, 0.5]
        : tensor<2x2xf64, #tam.coordinates<2>>
    %a = tam.normal_matrix %n
        blocks(%g00, %g01, %g11 : tensor<1x1xf64>, tensor<1x2xf64>,
               tensor<2x2xf64>)
        penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                  tensor<2x2xf64, #tam.coordinates<2>>) : tensor<3x3xf64>
    %b = tam.normal_vector(%b0, %b1 : tensor<1xf64>, tensor<2xf64>)
        : tensor<3xf64>
    %x = tam.solve %a, %b : tensor<3x3xf64>, tensor<3xf64>
    return %x : tensor<3xf64>
  }

  func.func @predict(%n: index {tam.slot = #tam.slot<rows>},
                     %c: tensor<?xi32> {tam.slot = #tam.slot<column, 0>},
                     %k0: tensor<1xf64> {tam.slot = #tam.slot<coefficients, 0>},
                     %k1: tensor<2xf64> {tam.slot = #tam.slot<coefficients, 8>})
      -> (tensor<?xf64> {tam.slot = #o}) attributes {tam.step = #tam.step<predict>} {
    %0 = tam.offset %n : tensor<?x1xf64>
    %1 = tam.levels %c {levels = 2} : tensor<?xi32> -> tensor<?x2xf64>
    %y = tam.predict(%0, %1 : tensor<?x1xf64>, tensor<?x2xf64>)
        coefficients(%k0, %k1 : tensor<1xf64>, tensor<2xf64>) : tensor<?xf64>
    return %y : tensor<?xf64>
  }

  func.func @terms(%n: index {tam.slot = #tam.slot<rows>},
                   %c: tensor<?xi32> {tam.slot = #tam.slot<column, 0>},
                   %k0: tensor<1xf64> {tam.slot = #tam.slot<coefficients, 0>},
                   %k1: tensor<2xf64> {tam.slot = #tam.slot<coefficients, 8>})
      -> (tensor<?x2xf64> {tam.slot = #o}) attributes {tam.step = #tam.step<terms>} {
    %0 = tam.offset %n : tensor<?x1xf64>
    %1 = tam.levels %c {levels = 2} : tensor<?xi32> -> tensor<?x2xf64>
    %y = tam.decompose(%0, %1 : tensor<?x1xf64>, tensor<?x2xf64>)
        coefficients(%k0, %k1 : tensor<1xf64>, tensor<2xf64>) : tensor<?x2xf64>
    return %y : tensor<?x2xf64>
  }
}
