//===- Passes.td - passes on the solver graph --------------*- tablegen -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_TRANSFORMS_PASSES_TD
#define TAMC_DIALECT_TAM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TamChooseSolver : Pass<"tam-choose-solver", "::mlir::ModuleOp"> {
  let summary = "Choose how each linear system is solved";
  let description = [{
    Follows docs/math.md section 4, routing: `direct` when the system has at
    most `max-direct` unknowns, else conjugate gradients. A spec that asks for
    one of them gets it whatever the size; one that leaves the choice gets both
    from `min-cg` to `max-direct` unknowns: whether the matrix has a place is
    known when the model runs. A smaller matrix always has.

    The direct solver is `tam.solve` in @fit. For conjugate gradients, whose
    iterations are the runtime's, @fit is replaced by three functions (with
    both, they are added to it), steps for tamrt_step_kind:

    * @cg returns b, and as state the factors of A's diagonal blocks, one for
      each effect of at most `block-limit` columns; where an effect has more,
      those of T P + 1e-6 T I;
    * @apply returns A v: sums over rows of the products of the design with the
      predictions that v makes. A is nowhere;
    * @precondition solves with the factors.

    Where a factored effect has more than `small-block-limit` columns, there are
    @cg_small_blocks and @precondition_small_blocks, too, in which it is not
    factored: the runtime takes these where it has no memory for the others.
    Their attribute is `tam.small_blocks`. @apply serves both.

    Before:
    ```mlir
    func.func @fit(...) {
      %g = tam.gram %a, %a into ...
      %r = tam.rhs %a, %y into ...
      %A = tam.normal_matrix %rows blocks(%g) penalties(%p)
      %b = tam.normal_vector(%r)
      %x = tam.solve %A, %b
      return %x
    }
    ```
    After:
    ```mlir
    func.func @cg(...) {
      ...
      %A = tam.normal_matrix %rows blocks(%g) penalties(%p)
      %l = tam.factor %A
      return %b, %l
    }
    func.func @apply(..., %v) {
      %t = tam.predict(%a) coefficients(%v)
      %s = tam.rhs %a, %t into ...
      %q = tam.normal_product %rows sums(%s) penalties(%p) vector %v
      return %q
    }
    func.func @precondition(%l, %r) {
      %z = tam.factor_solve %l, %r
      return %z
    }
    ```
  }];
  let options = [
    Option<"maxDirect", "max-direct", "int64_t", /*default=*/"7500",
           "Most unknowns of a system that is factored">,
    Option<"blockLimit", "block-limit", "int64_t", /*default=*/"512",
           "Most columns of an effect whose block is factored for conjugate "
           "gradients">,
    Option<"smallBlockLimit", "small-block-limit", "int64_t", /*default=*/"64",
           "The same where memory is short (0: it is the same)">,
    Option<"minCg", "min-cg", "int64_t", /*default=*/"363",
           "Least unknowns of a system that has both solvers, where the spec "
           "leaves the choice">,
  ];
}

def TamMergeColumns : Pass<"tam-merge-columns", "::mlir::ModuleOp"> {
  let summary = "Make one dense matrix of many linear terms";
  let description = [{
    Each term `l` is a matrix of one column, which meets every other term by
    itself: m of them have m(m+1)/2 sums of one number. From `least` terms on
    that are neighbours in the formula, their columns become one matrix, whose
    sums are those of the kernels for dense matrices. The place of a column in
    the normal equations stays the same.

    Before:
    ```mlir
    %aa = tam.gram %a, %a into ... -> tensor<1x1xf64>
    %ab = tam.gram %a, %b into ... -> tensor<1x1xf64>
    %bb = tam.gram %b, %b into ... -> tensor<1x1xf64>
    %A = tam.normal_matrix %rows blocks(%aa, %ab, %bb) penalties(%p, %q)
    ```
    After:
    ```mlir
    %c = tam.columns(%a, %b) -> tensor<?x2xf64>
    %cc = tam.gram %c, %c into ... -> tensor<2x2xf64>
    %A = tam.normal_matrix %rows blocks(%cc) penalties(%r)
    ```
  }];
  let options = [
    Option<"least", "least", "int64_t", /*default=*/"16",
           "Least linear terms that become one matrix (0: never)">,
  ];
}

def TamBoundRowLoops : Pass<"tam-bound-row-loops", "::mlir::ModuleOp"> {
  let summary = "Leave sums out of a shared loop that would get too large";
  let description = [{
    The loop over rows that sums share has code for every pair of terms, of
    which m terms have m(m+1)/2. From some size on the loop takes long to
    compile, and as its sums are in no cache it gains little over kernels for
    one pair after another.

    The loop gets the sums of as many terms as fit: columns and categories
    first, then bands, then products, each in the order of the formula. Every
    sum that reads another term gets the attribute `tam.apart`, and later passes
    give it a kernel of its own. A remark says how many terms that are.
    The size of a loop is the number of words of 32 bytes that a row adds to.

    After:
    ```mlir
    %g = tam.gram %a, %b into %z {tam.apart} : ...
    ```
  }];
  let options = [
    Option<"mostWords", "most-words", "int64_t", /*default=*/"560",
           "Most words that a row adds to in the loop (0: no bound)">,
  ];
}

def TamCompressLevels : Pass<"tam-compress-levels", "::mlir::ModuleOp"> {
  let summary = "Sum by the levels of columns that have few";
  let description = [{
    An hour of the day has 24 values, however many rows there are. Its spline,
    Fourier, Chebyshev or wavelet term then is a function of 24 levels: a row
    adds one number where it would add several, and what the term's functions
    have with others follows at the end (`tam.expand_levels`) from what the
    levels have, times the values of the functions at the levels.

    Which columns have few values, and that these are evenly spaced, is known
    from a profile (`grid` in the `inputs` of `tam.model`), and so is how many rows
    a group has (`rows_per_group`): what is saved per row must outweigh what is
    done per level and group, which splines, of few numbers per row, do later
    than others, and with more than 256 levels never. Data that is fitted later may have other values, so
    that the fit is kept and gets a copy with `tam.by_levels`, of whose steps the
    runtime makes use where all values are on the grids (abi.h,
    tamrt_compression). Terms that are a factor of `te`, and those beside trees,
    are left as they are.

    Before:
    ```mlir
    %s = tam.bspline %x, %p {...} : ... -> tensor<?x23xf64>
    %g = tam.gram %s, %other into ... -> tensor<23x7xf64>
    ```
    After, in the copy:
    ```mlir
    %y = tam.regrid %x, %p {levels = 24, step = 1.0} : ...
    %hour = tam.category %y {levels = 24} : ... -> tensor<?x24xf64>
    %l = tam.gram %hour, %other into ... -> tensor<24x7xf64>
    %points = tam.grid_points %p {step = 1.0} : ... -> tensor<24xf64>
    %b = tam.bspline %points, %p {...} : ... -> tensor<24x23xf64, #tam.dense>
    %g = tam.expand_levels %l rows %b : ... -> tensor<23x7xf64>
    ```
  }];
  let options = [
    Option<"rowsPerLevel", "rows-per-level", "int64_t", /*default=*/"24",
           "Least rows of a group per level; of splines four times as many (0: "
           "never)">,
  ];
}

def TamChooseEncodings : Pass<"tam-choose-encodings", "::mlir::ModuleOp"> {
  let summary = "Choose how design matrices and sums are stored";
  let description = [{
    Gives every feature map's result its structured encoding (or dense, with
    `dense`), and every accumulator the layout of the kernel that will add to
    it: of a matrix with itself the upper triangle, or the diagonal when it is
    one-hot, or the sums of frequencies of a Fourier term, unless `dense` or
    `frequencies=false`; of two matrices `full`, or `transposed` when the kernel takes them
    in the other order (one-hot and multi-hot before banded before sparse before dense).

    Two encodings without a kernel of their own are converted to sparse ones
    (tam.convert), which the generic kernel takes. tam-verify-tiled tells of those
    that no row kernel takes over.

    Before:
    ```mlir
    %a = tam.bspline ... -> tensor<?x23xf64>
    %g = tam.gram %a, %a into %z : ... -> tensor<23x23xf64>
    ```
    After:
    ```mlir
    %a = tam.bspline ... -> tensor<?x23xf64, #tam.banded<4>>
    %g = tam.gram %a, %a into %z : ... -> tensor<23x23xf64, #tam.sums<upper>>
    ```
  }];
  let options = [
    Option<"dense", "dense", "bool", /*default=*/"false",
           "Store every design matrix dense">,
    Option<"frequencies", "frequencies", "bool", /*default=*/"true",
           "Keep sums of frequencies of Fourier terms">,
  ];
}

def TamShareSums : Pass<"tam-share-sums", "::mlir::ModuleOp"> {
  let summary = "Read sums off others that contain them";
  let description = [{
    Of the sums that `tam-fuse-rows` will move into one loop, some follow from
    others because rows of splines and of categories add up to one. They are
    not summed, but read off at the end (`tam.marginal`):

    * what a spline or a category has with the intercept, off what it has with
      itself;
    * what categories of few levels have, off the sums of the tuples of their
      levels, of which a row adds to one.

    Before:
    ```mlir
    %0 = tam.gram %day, %x into ... -> tensor<7x1xf64, #tam.sums<full>>
    %1 = tam.gram %holiday, %x into ... -> tensor<2x1xf64, #tam.sums<full>>
    ```
    After:
    ```mlir
    %both = tam.kronecker %day, %holiday : ... -> tensor<?x14xf64, #tam.sparse<1>>
    %2 = tam.gram %both, %x into ... -> tensor<14x1xf64, #tam.sums<full>>
    %0 = tam.marginal %2 rows [7, 2] keep [0] columns [1] keep [0] : ...
    %1 = tam.marginal %2 rows [7, 2] keep [1] columns [1] keep [0] : ...
    ```
  }];
}

def TamChooseLayouts : Pass<"tam-choose-layouts", "::mlir::ModuleOp"> {
  let summary = "Choose panels for the sums of a row kernel";
  let description = [{
    Of the sums that `tam-fuse-rows` will move into one loop, those with a
    banded matrix get panels (`#tam.sums`): what a row adds is then whole
    aligned words, and never overlaps in part what the row before it has just
    written, for which a processor would wait. Sums of a matrix with itself
    keep one word per rotation of the band.

    Panels differ from the other layouts by the order in which rows are added,
    which is rounding. Before:
    ```mlir
    %r = tam.rhs %a, %y into %z : ... -> tensor<23xf64, #tam.sums<full>>
    ```
    After:
    ```mlir
    %r = tam.rhs %a, %y into %z : ... -> tensor<23xf64, #tam.sums<panels, 4>>
    ```
  }];
}

def TamTileRows : Pass<"tam-tile-rows", "::mlir::ModuleOp"> {
  let summary = "Cut the fit into init, chunk and finish";
  let description = [{
    Splits @fit at its sums over rows. @fit_init makes empty accumulators,
    @fit_chunk adds some rows to them, @fit_finish computes what depends on the
    sums. Accumulators become state: each gets an offset, a multiple of 64
    bytes, that is the same in all three and on every rung. Every step that
    takes rows gets the arguments `first` and `capacity`.

    So are other functions with sums, which have the `tam.step` of their last
    part. Their accumulators lie behind the state that the module's functions
    pass to each other, which thus lasts; those of different functions share
    bytes.
  }];
}

def TamFuseRows : Pass<"tam-fuse-rows", "::mlir::ModuleOp"> {
  let summary = "Compute the sums over rows of a chunk, or its predictions, "
                "together";
  let description = [{
    Moves sums over rows of @fit_chunk or @cg_chunk, with the feature maps they read, into
    one `tam.rows`, for which the compiler writes a kernel: one loop over the
    rows instead of one per sum, and no design matrix in memory.

    Fused are the sums of matrices that are a column (`tam.offset`,
    `tam.linear`), banded with at most 8 numbers per row (`tam.bspline`) or
    one-hot (`tam.category`) and stored as such. All others keep their kernels;
    a feature map that both kinds read is evaluated for each. The bits of sums
    that are not in panels are the same in both cases.

    Of the `tam.predict` of @predict, the effects whose matrices are of these
    kinds or one-hot by level (`tam.levels`), splines being of degree 1 to 7,
    become a `tam.rows` of their own, whose result the other effects are added
    to. Both kinds of fusion take at least two. Predictions differ from those
    of the runtime's kernels by rounding.
  }];
}

def TamVerifyChoices : Pass<"tam-verify-choices", "::mlir::ModuleOp"> {
  let summary = "Check that every choice has been made";
  let description = [{
    Every design matrix and every accumulator has an encoding and every solve a
    solver; the module holds functions of tam ops only.
  }];
}

def TamVerifyTiled : Pass<"tam-verify-tiled", "::mlir::ModuleOp"> {
  let summary = "Check that every function is a step";
  let description = [{
    Every function has a `tam.step`, and every argument and result a slot.
  }];
}

#endif // TAMC_DIALECT_TAM_TRANSFORMS_PASSES_TD
