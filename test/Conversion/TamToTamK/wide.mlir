// Dense matrices of many columns take kernels with a workspace, those of few
// none: four columns and 160 are wide, three and 160 are not, nor 159.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @wide(
func.func @wide(%rows: index {tam.slot = #tam.slot<rows>},
                %capacity: index {tam.slot = #tam.slot<capacity>},
                %x: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<160x160xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
        tensor<4x160xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 524288>},
        tensor<3x160xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 1048576>},
        tensor<160x3xf64, #tam.sums<transposed>>
            {tam.slot = #tam.slot<state, 2097152>},
        tensor<159x159xf64, #tam.sums<upper>>
            {tam.slot = #tam.slot<state, 4194304>}) {
  %many = tam.chebyshev %x {degree = 160}
      : tensor<?xf64> -> tensor<?x160xf64, #tam.dense>
  %fewer = tam.chebyshev %x {degree = 159}
      : tensor<?xf64> -> tensor<?x159xf64, #tam.dense>
  %four = tam.chebyshev %x {degree = 4}
      : tensor<?xf64> -> tensor<?x4xf64, #tam.dense>
  %three = tam.chebyshev %x {degree = 3}
      : tensor<?xf64> -> tensor<?x3xf64, #tam.dense>
  %z0 = tam.zeros : tensor<160x160xf64, #tam.sums<upper>>
  // CHECK: %[[SPACE:.*]] = tensor.empty() : tensor<3072xf64>
  // CHECK: tamk.launch "gram_wide" {{.*}} outs(%{{.*}}, %[[SPACE]] : tensor<25600xf64>, tensor<3072xf64>)
  %g0 = tam.gram %many, %many into %z0
      : tensor<?x160xf64, #tam.dense>, tensor<?x160xf64, #tam.dense>
      -> tensor<160x160xf64, #tam.sums<upper>>
  %z1 = tam.zeros : tensor<4x160xf64, #tam.sums<full>>
  // CHECK: %[[SPACE:.*]] = tensor.empty() : tensor<3072xf64>
  // CHECK: tamk.launch "gram_dense_wide" {{.*}} outs(%{{.*}}, %[[SPACE]] : tensor<640xf64>, tensor<3072xf64>)
  %g1 = tam.gram %four, %many into %z1
      : tensor<?x4xf64, #tam.dense>, tensor<?x160xf64, #tam.dense>
      -> tensor<4x160xf64, #tam.sums<full>>
  %z2 = tam.zeros : tensor<3x160xf64, #tam.sums<full>>
  // CHECK: tamk.launch "gram_dense_dense" {{.*}} outs(%{{[^,]*}} : tensor<480xf64>)
  %g2 = tam.gram %three, %many into %z2
      : tensor<?x3xf64, #tam.dense>, tensor<?x160xf64, #tam.dense>
      -> tensor<3x160xf64, #tam.sums<full>>
  %z3 = tam.zeros : tensor<160x3xf64, #tam.sums<transposed>>
  // CHECK: tamk.launch "gram_dense_dense" {{.*}} outs(%{{[^,]*}} : tensor<480xf64>)
  %g3 = tam.gram %many, %three into %z3
      : tensor<?x160xf64, #tam.dense>, tensor<?x3xf64, #tam.dense>
      -> tensor<160x3xf64, #tam.sums<transposed>>
  %z4 = tam.zeros : tensor<159x159xf64, #tam.sums<upper>>
  // CHECK: tamk.launch "gram_dense" {{.*}} outs(%{{[^,]*}} : tensor<25281xf64>)
  %g4 = tam.gram %fewer, %fewer into %z4
      : tensor<?x159xf64, #tam.dense>, tensor<?x159xf64, #tam.dense>
      -> tensor<159x159xf64, #tam.sums<upper>>
  return %g0, %g1, %g2, %g3, %g4
      : tensor<160x160xf64, #tam.sums<upper>>, tensor<4x160xf64, #tam.sums<full>>,
        tensor<3x160xf64, #tam.sums<full>>,
        tensor<160x3xf64, #tam.sums<transposed>>,
        tensor<159x159xf64, #tam.sums<upper>>
}
