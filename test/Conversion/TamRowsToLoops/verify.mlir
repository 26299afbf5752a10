// What verify-row-loops refuses.
//
// RUN: tam-opt %s --verify-row-loops -split-input-file -verify-diagnostics

func.func @predict(%rows: index, %b: tensor<1xf64>) -> tensor<?xf64> {
  // expected-error @+1 {{'tam.rows' op expected a row loop}}
  %y = tam.rows(%rows, %b : index, tensor<1xf64>) {
  ^bb0(%n: index, %b0: tensor<1xf64>):
    %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
    %y0 = tam.predict(%o : tensor<?x1xf64, #tam.dense>)
        coefficients(%b0 : tensor<1xf64>) : tensor<?xf64>
    tam.yield %y0 : tensor<?xf64>
  } : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%rows: index, %sums: memref<1xf64>) {
    // expected-error @+1 {{'memref.alloc' op expected only code of row loops}}
    %scratch = memref.alloc() : memref<8xf64>
    return
  }
}

// -----

func.func private @step()
module @row_loops {
  func.func private @rows_0(%x: memref<?xvector<2xf64>>, %i: index) {
    // expected-error @-1 {{'func.func' op expected buffers of rank 1 and of contiguous numbers in a row loop, got 'memref<?xvector<2xf64>>'}}
    return
  }
}

// -----

// A loop launches kernels of the runtime alone.
func.func private @step()
module @row_loops {
  module @row_loops {
    func.func private @rows_1(%rows: index, %sums: memref<1xf64>) {
      return
    }
  }
  func.func private @rows_0(%rows: index, %sums: memref<1xf64>) {
    // expected-error @+1 {{'tamk.launch' op expected only code of row loops}}
    tamk.launch "rows_1" scalars(%rows : index) outs(%sums : memref<1xf64>)
        {generated}
    return
  }
}
