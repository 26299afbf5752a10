// Numbers of rows that are the same only before tiling, carries that do not go
// on to the next chunk, two functions of one step, and factors out of range.
//
// RUN: tam-opt %s --tam-tile-rows -split-input-file -verify-diagnostics

func.func @design(%rows: index {tam.slot = #tam.slot<rows>},
                  %group: index {tam.slot = #tam.slot<group_rows>})
    -> (tensor<?x1xf64, #tam.dense> {tam.slot = #tam.slot<output>}) {
  // expected-error @+1 {{'tam.offset' op expected the number of rows of the chunk}}
  %0 = tam.offset %group : tensor<?x1xf64, #tam.dense>
  return %0 : tensor<?x1xf64, #tam.dense>
}

// -----

func.func @design(%rows: index {tam.slot = #tam.slot<rows>},
                  %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                  %carry: tensor<5xf64> {tam.slot = #tam.slot<carry>})
    -> (tensor<?x3xf64, #tam.dense> {tam.slot = #tam.slot<output>},
        tensor<5xf64> {tam.slot = #tam.slot<carry>}) {
  // expected-error @+1 {{'tam.pid' op expected the number of rows of the group}}
  %0, %1 = "tam.pid"(%x, %carry, %rows) <{window = 3 : i64}>
      : (tensor<?xf64>, tensor<5xf64>, index)
      -> (tensor<?x3xf64, #tam.dense>, tensor<5xf64>)
  return %0, %1 : tensor<?x3xf64, #tam.dense>, tensor<5xf64>
}

// -----

func.func @predict(%rows: index {tam.slot = #tam.slot<rows>})
    -> (tensor<?x1xf64, #tam.dense> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<predict>} {
  %0 = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  return %0 : tensor<?x1xf64, #tam.dense>
}
// expected-error @+1 {{'func.func' op expected one function of step 'predict'}}
func.func @again(%rows: index {tam.slot = #tam.slot<rows>})
    -> (tensor<?x1xf64, #tam.dense> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<predict>} {
  %0 = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  return %0 : tensor<?x1xf64, #tam.dense>
}

// -----

func.func @design(%rows: index {tam.slot = #tam.slot<rows>},
                  %group: index {tam.slot = #tam.slot<group_rows>},
                  %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                  %carry: tensor<5xf64> {tam.slot = #tam.slot<coefficients>})
    -> (tensor<?x3xf64, #tam.dense> {tam.slot = #tam.slot<output>},
        tensor<5xf64> {tam.slot = #tam.slot<carry>}) {
  // expected-error @+1 {{'tam.pid' op expected to start from a carry}}
  %0, %1 = "tam.pid"(%x, %carry, %group) <{window = 3 : i64}>
      : (tensor<?xf64>, tensor<5xf64>, index)
      -> (tensor<?x3xf64, #tam.dense>, tensor<5xf64>)
  return %0, %1 : tensor<?x3xf64, #tam.dense>, tensor<5xf64>
}

// -----

func.func @design(%rows: index {tam.slot = #tam.slot<rows>},
                  %group: index {tam.slot = #tam.slot<group_rows>},
                  %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                  %carry: tensor<5xf64> {tam.slot = #tam.slot<carry, 64>})
    -> (tensor<?x3xf64, #tam.dense> {tam.slot = #tam.slot<output>},
        tensor<5xf64> {tam.slot = #tam.slot<carry>}) {
  // expected-error @+1 {{'tam.pid' op expected its last values to be returned as #tam.slot<carry, 64>}}
  %0, %1 = "tam.pid"(%x, %carry, %group) <{window = 3 : i64}>
      : (tensor<?xf64>, tensor<5xf64>, index)
      -> (tensor<?x3xf64, #tam.dense>, tensor<5xf64>)
  return %0, %1 : tensor<?x3xf64, #tam.dense>, tensor<5xf64>
}

// -----

func.func @design(%rows: index {tam.slot = #tam.slot<rows>},
                  %carry: tensor<5xf64> {tam.slot = #tam.slot<carry>})
    -> (tensor<?x1xf64, #tam.dense> {tam.slot = #tam.slot<output>},
        tensor<5xf64> {tam.slot = #tam.slot<carry>}) {
  %0 = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  // expected-error @+1 {{'func.return' op expected the last values of a recursion as #tam.slot<carry>}}
  return %0, %carry : tensor<?x1xf64, #tam.dense>, tensor<5xf64>
}

// -----

// Factors follow the sums of a product, whose offset is no longer valid here.
func.func @apply(%rows: index {tam.slot = #tam.slot<rows>},
                 %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    attributes {tam.step = #tam.step<apply_finish>} {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return
}
// expected-note @+2 {{solver 'cg' needs only pairs within effects of few columns}}
// expected-error @+1 {{expected sums and factors of less than 281474976710656 bytes, got 281474976710656}}
func.func @precondition(
    %factor: tensor<1x1xf64> {tam.slot = #tam.slot<state, 281474976710592>})
    -> (tensor<1x1xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<precondition>} {
  return %factor : tensor<1x1xf64>
}
