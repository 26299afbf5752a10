// Passes ignore functions without a body.
//
// RUN: tam-opt %s --tam-merge-columns --tam-choose-solver --tam-compress-levels --tam-choose-encodings --tam-merge-apart --tam-share-sums --tam-choose-layouts --tam-join-pairs --tam-verify-choices --tam-tile-rows --tam-fuse-rows | FileCheck %s

// CHECK: func.func private @declared(
func.func private @declared(index {tam.slot = #tam.slot<rows>},
    tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<fit_chunk>}
