// A residual network in upstream dialects: a stem, four blocks of two
// convolutions with a shortcut, the mean of each channel, a dense layer. Image
// and weights are made from indices, so that the program needs no data.
// Written for this project; ResNet is He et al., "Deep Residual Learning for
// Image Recognition", 2016.

#all4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#all2 = affine_map<(d0, d1) -> (d0, d1)>

// Numbers in [-1/2, 1/2) that depend on index and salt.
func.func private @weights(%salt: index) -> tensor<3x3x16x16xf64> {
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %c5 = arith.constant 5 : index
  %c17 = arith.constant 17 : index
  %scale = arith.constant 0.00588235294117647 : f64
  %half = arith.constant 0.05 : f64
  %empty = tensor.empty() : tensor<3x3x16x16xf64>
  %w = linalg.generic {indexing_maps = [#all4],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%empty : tensor<3x3x16x16xf64>) {
  ^bb0(%old: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = linalg.index 2 : index
    %f = linalg.index 3 : index
    %a = arith.muli %i, %c7 : index
    %b = arith.muli %c, %c11 : index
    %d = arith.muli %f, %c5 : index
    %e = arith.addi %a, %b : index
    %g = arith.addi %d, %j : index
    %h = arith.addi %e, %g : index
    %k = arith.addi %h, %salt : index
    %m = arith.remui %k, %c17 : index
    %n = arith.index_cast %m : index to i64
    %x = arith.sitofp %n : i64 to f64
    %y = arith.mulf %x, %scale : f64
    %z = arith.subf %y, %half : f64
    linalg.yield %z : f64
  } -> tensor<3x3x16x16xf64>
  return %w : tensor<3x3x16x16xf64>
}

func.func private @conv(%x: tensor<1x12x12x16xf64>, %salt: index)
    -> tensor<1x12x12x16xf64> {
  %zero = arith.constant 0.0 : f64
  %w = call @weights(%salt) : (index) -> tensor<3x3x16x16xf64>
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f64
  } : tensor<1x12x12x16xf64> to tensor<1x14x14x16xf64>
  %empty = tensor.empty() : tensor<1x12x12x16xf64>
  %sum = linalg.fill ins(%zero : f64) outs(%empty : tensor<1x12x12x16xf64>)
      -> tensor<1x12x12x16xf64>
  %y = linalg.conv_2d_nhwc_hwcf
      ins(%padded, %w : tensor<1x14x14x16xf64>, tensor<3x3x16x16xf64>)
      outs(%sum : tensor<1x12x12x16xf64>) -> tensor<1x12x12x16xf64>
  return %y : tensor<1x12x12x16xf64>
}

func.func private @relu(%x: tensor<1x12x12x16xf64>) -> tensor<1x12x12x16xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<1x12x12x16xf64>
  %y = linalg.generic {indexing_maps = [#all4, #all4],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x12x12x16xf64>) outs(%empty : tensor<1x12x12x16xf64>) {
  ^bb0(%a: f64, %old: f64):
    %b = arith.maximumf %a, %zero : f64
    linalg.yield %b : f64
  } -> tensor<1x12x12x16xf64>
  return %y : tensor<1x12x12x16xf64>
}

func.func private @block(%x: tensor<1x12x12x16xf64>, %salt: index)
    -> tensor<1x12x12x16xf64> {
  %c3 = arith.constant 3 : index
  %a = call @conv(%x, %salt)
      : (tensor<1x12x12x16xf64>, index) -> tensor<1x12x12x16xf64>
  %b = call @relu(%a) : (tensor<1x12x12x16xf64>) -> tensor<1x12x12x16xf64>
  %next = arith.addi %salt, %c3 : index
  %c = call @conv(%b, %next)
      : (tensor<1x12x12x16xf64>, index) -> tensor<1x12x12x16xf64>
  %empty = tensor.empty() : tensor<1x12x12x16xf64>
  %sum = linalg.add
      ins(%c, %x : tensor<1x12x12x16xf64>, tensor<1x12x12x16xf64>)
      outs(%empty : tensor<1x12x12x16xf64>) -> tensor<1x12x12x16xf64>
  %y = call @relu(%sum) : (tensor<1x12x12x16xf64>) -> tensor<1x12x12x16xf64>
  return %y : tensor<1x12x12x16xf64>
}

func.func @program(%out: memref<64xf64>, %seed: i64)
    attributes {llvm.emit_c_interface} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c13 = arith.constant 13 : index
  %zero = arith.constant 0.0 : f64
  %pixels = arith.constant 144.0 : f64
  %salt = arith.index_cast %seed : i64 to index

  %blank = tensor.empty() : tensor<1x12x12x16xf64>
  %image = linalg.generic {indexing_maps = [#all4],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%blank : tensor<1x12x12x16xf64>) {
  ^bb0(%old: f64):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = linalg.index 3 : index
    %a = arith.muli %i, %c : index
    %b = arith.addi %a, %j : index
    %d = arith.addi %b, %salt : index
    %e = arith.remui %d, %c13 : index
    %f = arith.index_cast %e : index to i64
    %x = arith.sitofp %f : i64 to f64
    linalg.yield %x : f64
  } -> tensor<1x12x12x16xf64>

  %s0 = call @conv(%image, %salt)
      : (tensor<1x12x12x16xf64>, index) -> tensor<1x12x12x16xf64>
  %s1 = call @relu(%s0) : (tensor<1x12x12x16xf64>) -> tensor<1x12x12x16xf64>
  %b1 = call @block(%s1, %c1)
      : (tensor<1x12x12x16xf64>, index) -> tensor<1x12x12x16xf64>
  %b2 = call @block(%b1, %c2)
      : (tensor<1x12x12x16xf64>, index) -> tensor<1x12x12x16xf64>
  %b3 = call @block(%b2, %c4)
      : (tensor<1x12x12x16xf64>, index) -> tensor<1x12x12x16xf64>
  %b4 = call @block(%b3, %c6)
      : (tensor<1x12x12x16xf64>, index) -> tensor<1x12x12x16xf64>

  %empty = tensor.empty() : tensor<1x16xf64>
  %start = linalg.fill ins(%zero : f64) outs(%empty : tensor<1x16xf64>)
      -> tensor<1x16xf64>
  %mean = linalg.generic {indexing_maps = [#all4, affine_map<(n, i, j, c) -> (n, c)>],
                          iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%b4 : tensor<1x12x12x16xf64>) outs(%start : tensor<1x16xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %part = arith.divf %x, %pixels : f64
    %next = arith.addf %sum, %part : f64
    linalg.yield %next : f64
  } -> tensor<1x16xf64>

  %emptyDense = tensor.empty() : tensor<16x64xf64>
  %dense = linalg.generic {indexing_maps = [#all2],
                           iterator_types = ["parallel", "parallel"]}
      outs(%emptyDense : tensor<16x64xf64>) {
  ^bb0(%old: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.muli %i, %j : index
    %b = arith.remui %a, %c8 : index
    %f = arith.index_cast %b : index to i64
    %x = arith.sitofp %f : i64 to f64
    linalg.yield %x : f64
  } -> tensor<16x64xf64>
  %emptyScores = tensor.empty() : tensor<1x64xf64>
  %noScores = linalg.fill ins(%zero : f64) outs(%emptyScores : tensor<1x64xf64>)
      -> tensor<1x64xf64>
  %scores = linalg.matmul ins(%mean, %dense : tensor<1x16xf64>, tensor<16x64xf64>)
      outs(%noScores : tensor<1x64xf64>) -> tensor<1x64xf64>
  %flat = tensor.collapse_shape %scores [[0, 1]]
      : tensor<1x64xf64> into tensor<64xf64>
  bufferization.materialize_in_destination %flat in restrict writable %out
      : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
