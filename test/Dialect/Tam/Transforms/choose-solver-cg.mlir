// For conjugate gradients a fit becomes three functions: b and the factors of
// the blocks, the product with a vector, the solution with the factors.
//
// RUN: tam-opt %s --tam-choose-solver=block-limit=3 | FileCheck %s
// RUN: tam-opt %s --tam-choose-solver=block-limit=5 \
// RUN:   | FileCheck %s --check-prefix=BLOCKS
// RUN: tam-opt %s --tam-choose-solver="block-limit=3 min-cg=6" \
// RUN:   | FileCheck %s --check-prefix=ASKED
// RUN: sed 's/solver = cg/solver = auto/' %s \
// RUN:   | tam-opt --tam-choose-solver=min-cg=6 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: sed 's/solver = cg/solver = auto/' %s \
// RUN:   | tam-opt --tam-choose-solver=min-cg=7 \
// RUN:   | FileCheck %s --check-prefix=LITTLE
// RUN: sed 's/solver = cg/solver = auto/' %s \
// RUN:   | tam-opt --tam-choose-solver="min-cg=6 max-direct=5" \
// RUN:   | FileCheck %s --check-prefix=ASKED
// RUN: tam-opt %s --tam-choose-solver=small-block-limit=3 \
// RUN:   --tam-choose-encodings --tam-tile-rows \
// RUN:   | FileCheck %s --check-prefix=SMALL
// RUN: tam-opt %s --tam-choose-solver=small-block-limit=5 \
// RUN:   | FileCheck %s --check-prefix=LARGE
// RUN: tam-opt %s --tam-choose-solver=small-block-limit=0 \
// RUN:   | FileCheck %s --check-prefix=LARGE
// RUN: tam-opt %s --tam-choose-solver=block-limit=3 --tam-choose-encodings \
// RUN:   --tam-tile-rows | FileCheck %s --check-prefix=TILED

// The spec leaves no choice, or the system is too large.
// ASKED-NOT: func.func @fit(
// ASKED: func.func @cg(
// BOTH: func.func @fit(
// BOTH: tam.solve {{.*}}solver<direct>
// BOTH: func.func @cg(
// The matrix is so small that it always fits in memory.
// LITTLE: tam.solve {{.*}}solver<direct>
// LITTLE-NOT: func.func @cg(

// There is no block that the variant for little memory would not factor.
// LARGE-NOT: small

// CHECK: tam.plain = #tam.variant<factored = [0]>
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 6,
    solver = cg, effects = [
        <name = "offset", term = "offset", first = 0, columns = 1>,
        <name = "a", term = "l(a)", first = 1, columns = 5>]>} {

// CHECK-NOT: func.func @fit(
// No sums: the second effect, of more than three columns, is not factored, so
// the factor of the first is that of its penalty. A factor is state at an
// offset of its own.
// CHECK-LABEL: func.func @cg(
// CHECK-SAME: %[[N:[^:]*]]: index {tam.slot = #tam.slot<rows>}
// CHECK-SAME: -> (tensor<6xf64> {tam.slot = #tam.slot<output>}, tensor<1x1xf64> {tam.slot = #tam.slot<state>})
// CHECK-SAME: tam.step = #tam.step<cg_finish>
// CHECK-NOT: tam.gram
// CHECK: %[[P0:.*]] = tam.penalty
// CHECK: %[[B:.*]] = tam.normal_vector
// CHECK: %[[M:.*]] = tam.normal_matrix %[[N]] blocks() penalties(%[[P0]] : {{.*}} : tensor<1x1xf64>
// CHECK: %[[L:.*]] = tam.factor %[[M]] : tensor<1x1xf64>
// CHECK: return %[[B]], %[[L]]

// CHECK-LABEL: func.func @apply(
// CHECK-SAME: %[[N:[^:]*]]: index {tam.slot = #tam.slot<rows>}
// CHECK-SAME: %[[A:[^:]*]]: tensor<?xf64> {tam.slot = #tam.slot<column>}
// CHECK-NOT: #tam.slot<column, 1>
// CHECK-SAME: %[[W:[^:]*]]: tensor<?xf64> {tam.slot = #tam.slot<column, 2>}
// CHECK-SAME: %[[V:[^:]*]]: tensor<6xf64> {tam.slot = #tam.slot<coefficients>}
// CHECK-SAME: %[[V0:[^:]*]]: tensor<1xf64> {tam.slot = #tam.slot<coefficients>}
// CHECK-SAME: %[[V1:[^:]*]]: tensor<5xf64> {tam.slot = #tam.slot<coefficients, 8>})
// CHECK-SAME: -> (tensor<6xf64> {tam.slot = #tam.slot<output>})
// CHECK-SAME: tam.step = #tam.step<apply_finish>
// CHECK-NOT: tam.gram
// CHECK: %[[P0:.*]] = tam.penalty
// CHECK: %[[P1:.*]] = tam.penalty
// CHECK: %[[T:.*]] = tam.predict(%[[D0:[^,]*]], %[[D1:[^ ]*]] : {{.*}} coefficients(%[[V0]], %[[V1]] :
// CHECK: %[[S0:.*]] = tam.rhs %[[D0]], %[[T]] weights %[[W]]
// CHECK: %[[S1:.*]] = tam.rhs %[[D1]], %[[T]] weights %[[W]]
// CHECK: %[[Q:.*]] = tam.normal_product %[[N]] sums(%[[S0]], %[[S1]] : {{.*}} penalties(%[[P0]], %[[P1]] : {{.*}} vector %[[V]]
// CHECK: return %[[Q]]

// CHECK-LABEL: func.func @precondition(
// CHECK-SAME: %[[L:[^:]*]]: tensor<1x1xf64> {tam.slot = #tam.slot<state>}
// CHECK-SAME: %[[R:[^:]*]]: tensor<1xf64> {tam.slot = #tam.slot<coefficients>})
// CHECK-SAME: -> (tensor<1xf64> {tam.slot = #tam.slot<output>})
// CHECK-SAME: tam.step = #tam.step<precondition>
// CHECK: %[[Z:.*]] = tam.factor_solve %[[L]], %[[R]]
// CHECK: return %[[Z]]

// Sums of an effect with itself if all effects are factored; no sums of two
// effects.
// BLOCKS-LABEL: func.func @cg(
// BLOCKS: %[[O:.*]] = tam.offset
// BLOCKS: %[[G:.*]] = tam.gram %[[O]], %[[O]]
// BLOCKS: %[[H:.*]] = tam.gram
// BLOCKS-NOT: tam.gram
// BLOCKS: %[[M:.*]] = tam.normal_matrix %{{.*}} blocks(%[[G]] :
// BLOCKS: tam.factor %[[M]] : tensor<1x1xf64>
// BLOCKS: %[[M:.*]] = tam.normal_matrix %{{.*}} blocks(%[[H]] :
// BLOCKS: tam.factor %[[M]] {column = 1 : i64} : tensor<5x5xf64>

// The accumulators of @apply, of 64 + 64 bytes, come first, then the factor,
// which takes 64 bytes. Those of @cg are in the same place as those of @apply.
// TILED: cg_state_bytes = 192,
// TILED-LABEL: func.func @cg_init()
// TILED-SAME: -> (tensor<16xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
// TILED-SAME: tam.step = #tam.step<cg_init>
// TILED-LABEL: func.func @cg_chunk(
// TILED-LABEL: func.func @cg_finish(
// TILED-SAME: tensor<1x1xf64> {tam.slot = #tam.slot<state, 128>}
// TILED-LABEL: func.func @apply_init()
// TILED-SAME: -> (tensor<16xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
// TILED-LABEL: func.func @apply_chunk(
// TILED: tam.predict
// TILED: tam.rhs
// The last part of @apply needs the vector, too, but no slices of it.
// TILED-LABEL: func.func @apply_finish(
// TILED-SAME: tensor<6xf64> {tam.slot = #tam.slot<coefficients>}
// TILED-NOT: tensor<5xf64> {tam.slot = #tam.slot<coefficients
// TILED: tam.normal_product
// TILED-LABEL: func.func @precondition(
// TILED-SAME: tensor<1x1xf64> {tam.slot = #tam.slot<state, 128>}

// With both blocks the state has 128 bytes for sums of products, 64 + 256 for
// the factors, and the sums of blocks that do not fit in the bytes of the
// products: of 64 + 256 bytes the latter. With only the small block there are
// no sums of blocks, and the products are the same.
// SMALL: tam.plain = #tam.variant<factored = [0, 1], cg_state_bytes = 768,
// SMALL-SAME: accumulators = [
// SMALL-SAME: <kind = cg_chunk, offset = 0, count = 1>,
// SMALL-SAME: <kind = cg_chunk, offset = 64, count = 1>,
// SMALL-SAME: <kind = cg_chunk, offset = 448, count = 25>,
// SMALL-SAME: <kind = cg_chunk, offset = 704, count = 5>,
// SMALL-SAME: <kind = apply_chunk, offset = 0, count = 1>,
// SMALL-SAME: <kind = apply_chunk, offset = 64, count = 5>]>
// SMALL-SAME: tam.small_blocks = #tam.variant<factored = [0], cg_state_bytes = 192,
// SMALL-SAME: accumulators = [
// SMALL-SAME: <kind = apply_chunk, offset = 0, count = 1>,
// SMALL-SAME: <kind = apply_chunk, offset = 64, count = 5>,
// SMALL-SAME: <kind = cg_chunk, offset = 0, count = 1>,
// SMALL-SAME: <kind = cg_chunk, offset = 64, count = 5>]>
// SMALL-NOT: func.func @apply_small_blocks
// SMALL: func.func @cg_small_blocks_init(
// SMALL-SAME: attributes {tam.small_blocks, tam.step = #tam.step<cg_init>}
// SMALL: func.func @cg_small_blocks_chunk(
// SMALL-SAME: attributes {tam.small_blocks, tam.step = #tam.step<cg_chunk>}
// SMALL-NOT: tam.gram
// SMALL: func.func @cg_small_blocks_finish(
// SMALL-SAME: tensor<1x1xf64> {tam.slot = #tam.slot<state, 128>}
// SMALL-SAME: attributes {tam.small_blocks, tam.step = #tam.step<cg_finish>}
// SMALL: func.func @precondition_small_blocks(
// SMALL-SAME: tensor<1x1xf64> {tam.slot = #tam.slot<state, 128>}
// SMALL-SAME: attributes {tam.small_blocks, tam.step = #tam.step<precondition>}

func.func @fit(%n: index {tam.slot = #tam.slot<rows>},
               %a: tensor<?xf64> {tam.slot = #tam.slot<column>},
               %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
               %w: tensor<?xf64> {tam.slot = #tam.slot<column, 2>})
    -> (tensor<6xf64> {tam.slot = #tam.slot<output>}) {
  %d0 = tam.offset %n : tensor<?x1xf64>
  %x = tam.normalize %a, %p : tensor<?xf64>, tensor<4xf64>
  %d1 = tam.bspline %x, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64>
  %p0 = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [0, 1] columns [0, 0] values [2.0, -1.0]
      : tensor<5x5xf64, #tam.coordinates<2>>
  %m, %b = tam.normal_equations %n
      designs(%d0, %d1 : tensor<?x1xf64>, tensor<?x5xf64>)
      y %y weights %w : tensor<?xf64>
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<5x5xf64, #tam.coordinates<2>>)
      : tensor<?xf64> -> tensor<6x6xf64>, tensor<6xf64>
  %c = tam.solve %m, %b : tensor<6x6xf64>, tensor<6xf64>
  return %c : tensor<6xf64>
}

}
