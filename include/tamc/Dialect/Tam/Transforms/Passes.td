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

def TamMergeColumns : Pass<"tam-merge-columns", "::mlir::ModuleOp"> {
  let summary = "Make one dense matrix of many linear terms";
  let description = [{
    Each term `l` is a matrix of one column and has a sum of its own with every
    other term: m such terms have m(m+1)/2 sums of one number each. The columns
    of `least` or more such terms that are neighbours in the formula become one
    dense matrix, whose sums the kernels for dense matrices compute. The
    position of a column in the normal equations stays the same. A term is
    merged if it is a tam.linear of a tam.normalize, as all are after import,
    and its penalty is not learnt.

    Before:
    ```mlir
    %A, %b = tam.normal_equations %rows designs(%a0, %a1) y %y penalties(%p, %q)
    ```
    After:
    ```mlir
    %c = tam.linear_columns(%v0, %v1) parameters(%p0, %p1) scales [..]
        -> tensor<?x2xf64>
    %A, %b = tam.normal_equations %rows designs(%c) y %y penalties(%r)
    ```
  }];
  let options = [
    Option<"least", "least", "int64_t", /*default=*/"16",
           "Least linear terms that become one matrix (0: never)">,
  ];
}

def TamChooseSolver : Pass<"tam-choose-solver", "::mlir::ModuleOp"> {
  let summary = "Choose how each linear system is solved";
  let description = [{
    Follows docs/math.md section 4, routing: `direct` if the system has at most
    `max-direct` unknowns, else conjugate gradients. A spec that asks for one of
    the two gets it for every size. A spec that leaves the choice open gets both
    from `min-cg` to `max-direct` unknowns: only at run time is it known whether
    the matrix fits in memory. A smaller matrix always fits.

    The direct solver is `tam.solve` in @fit. The iterations of conjugate
    gradients are in the runtime. For them, @fit is replaced by three functions
    that become steps (tamrt_step_kind); with both solvers, @fit stays beside
    them:

    * @cg returns b, and as state the factors of A's diagonal blocks, one for
      each effect of at most `block-limit` columns; if some effect has more
      columns, the factors are those of the blocks of T P + 1e-6 T I;
    * @apply returns A v, computed as sums over rows of the products of the
      design with the predictions for the coefficients v. A is not stored;
    * @precondition solves with the factors.

    The terms of a `tam.linear_columns` (see `tam-merge-columns`) have blocks of
    one column each, which are factored together: @cg has only the diagonal of
    the sums of that matrix with itself (`tam.squares`, `tam.diagonal_factor`),
    and @precondition divides by it (`tam.diagonal_solve`).

    If a factored effect has more than `small-block-limit` columns, there are
    also @cg_small_blocks and @precondition_small_blocks, which do not factor
    it. The runtime uses them if it lacks the memory for the others. They have
    the attribute `tam.small_blocks`. @apply is the same for both. The variants
    of the module (#tam.variant) list the factored effects.

    Before:
    ```mlir
    func.func @fit(...) {
      %A, %b = tam.normal_equations %rows designs(%a) y %y penalties(%p)
      %x = tam.solve %A, %b
      return %x
    }
    ```
    After:
    ```mlir
    func.func @cg(...) {
      %g = tam.gram %a, %a into ...
      %r = tam.rhs %a, %y into ...
      %b = tam.normal_vector(%r)
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
           "The same if memory is short (0: no difference)">,
    Option<"minCg", "min-cg", "int64_t", /*default=*/"363",
           "Least unknowns of a system that gets both solvers, if the spec "
           "leaves the choice open">,
  ];
}

def TamWriteSums : Pass<"tam-write-sums", "::mlir::ModuleOp"> {
  let summary = "Write the sums over rows of normal equations";
  let description = [{
    Replaces `tam.normal_equations` by the sums of all pairs of effects and what
    is made of them. The passes after this one choose how each sum is computed.
    Those before it need not read m(m+1)/2 sums of m effects.

    Before:
    ```mlir
    %A, %b = tam.normal_equations %rows designs(%u, %v) y %y penalties(%p, %q)
    ```
    After:
    ```mlir
    %uu = tam.gram %u, %u into ...
    %uv = tam.gram %u, %v into ...
    %uy = tam.rhs %u, %y into ...
    %vv = tam.gram %v, %v into ...
    %vy = tam.rhs %v, %y into ...
    %A = tam.normal_matrix %rows blocks(%uu, %uv, %vv) penalties(%p, %q)
    %b = tam.normal_vector(%uy, %vy)
    ```
  }];
}

def TamBoundRowLoops : Pass<"tam-bound-row-loops", "::mlir::ModuleOp"> {
  let summary = "Leave sums out of a shared loop that would get too large";
  let description = [{
    The loop over rows that sums share has code for every pair of terms:
    m(m+1)/2 pairs for m terms. A very large loop takes long to compile. Its
    sums no longer fit in a cache, so it is hardly faster than one kernel for
    each pair.

    The loop gets the sums of as many terms as fit: columns and categories
    first, then bands, then products, each in the order of the formula. Every
    sum that reads one of the remaining terms gets the attribute `tam.apart`,
    and later passes give it a kernel of its own. A remark reports the number of
    those terms. The size of a loop is the number of words of 32 bytes that a
    row adds to; the target has a limit for it.

    After:
    ```mlir
    %g = tam.gram %a, %b into %z {tam.apart} : ...
    ```
  }];
  let options = [
    Option<"mostWords", "most-words", "int64_t", /*default=*/"-1",
           "Most words that a row adds to in the loop (0: no bound; -1: the target's)">,
  ];
}

def TamMergeApart : Pass<"tam-merge-apart", "::mlir::ModuleOp"> {
  let summary = "Make one matrix of many terms outside the loop";
  let description = [{
    A category or spline whose sums are apart (`tam-bound-row-loops`), or any if
    there is no loop, has a sum of its own with every other term, and each sum
    is an operand of several steps: the time to compile grows with the square of
    the number of terms. So have Fourier terms and others that store all
    columns, which no loop has code for. The matrices of `least` or more such
    terms that are neighbours in the formula and of one of these kinds become
    matrices of at most `most-columns` columns, so that the sums of two of them
    stay in a cache: sparse ones of one-hot matrices, bands of those with bands
    of one width, and dense ones of those that store all columns. Where there is
    no loop, bands, products and trees become sparse matrices: a launch on a
    device costs as much as thousands of rows. Where there is one, the sums of
    pairs of products become one op (`tam-join-pairs`). The position of a column in the normal equations
    stays the same. The new matrices and sums get the encodings that
    `tam-choose-encodings` would choose, but no sums of frequencies; where
    matrices have none yet, nothing is merged.

    Before:
    ```mlir
    %ab = tam.gram %a, %b into ... {tam.apart} -> tensor<7x5xf64, #tam.sums<full>>
    ```
    After:
    ```mlir
    %c = tam.columns(%a, %b : tensor<?x7xf64, #tam.one_hot>, tensor<?x5xf64, #tam.one_hot>) -> tensor<?x12xf64, #tam.sparse<2>>
    %cc = tam.gram %c, %c into ... {tam.apart} -> tensor<12x12xf64, #tam.sums<upper>>
    ```
  }];
  let options = [
    Option<"least", "least", "int64_t", /*default=*/"16",
           "Least terms that become such matrices (0: never)">,
    Option<"loops", "loops", "bool", /*default=*/"true",
           "Sums that are not apart have a loop, if the target has loops">,
    Option<"mostColumns", "most-columns", "int64_t", /*default=*/"128",
           "Most columns of a matrix">,
  ];
}

def TamJoinPairs : Pass<"tam-join-pairs", "::mlir::ModuleOp"> {
  let summary = "Make one op of the sums of pairs of sparse matrices";
  let description = [{
    The sums of two products of terms, or of a product and another term outside
    the loop, have no loop: each is a launch, an accumulator and an operand of
    several steps, and there are as many as pairs of terms. This pass makes one
    `tam.gram_pairs` of the sums of a fit whose matrices are both sparse, if
    there are at least `least` of them. Each sum has the same bits. Sums that a
    loop will have keep their ops, as do all sums of targets without a kernel
    for it: on a device the rows of a launch are spread over its threads.

    Before:
    ```mlir
    %ab = tam.gram %a, %b into ... -> tensor<8x6xf64, #tam.sums<full>>
    %ac = tam.gram %a, %c into ... -> tensor<8x9xf64, #tam.sums<full>>
    %A = tam.normal_matrix %rows blocks(%aa, %ab, %ac, %bb, ..)
    ```
    After:
    ```mlir
    %pairs = tam.gram_pairs %a, %b, %c into ... -> tensor<120xf64, #tam.sums<full>>
    %A = tam.normal_matrix %rows blocks(%aa, %bb, ..) pairs(%pairs)
    ```
  }];
  let options = [
    Option<"least", "least", "int64_t", /*default=*/"2",
           "Least sums that become one op (0: never)">,
  ];
}

def TamCompressLevels : Pass<"tam-compress-levels", "::mlir::ModuleOp"> {
  let summary = "Sum over the levels of columns that have few distinct values";
  let description = [{
    An hour of the day has 24 values, however many rows there are. A spline,
    Fourier, Chebyshev or wavelet term of it is a function of these 24 levels. A
    row then adds one number, for its level, instead of several. At the end,
    `tam.expand_levels` computes the term's sums from the sums of the levels and
    the values of the term's functions at the levels.

    A profile says which columns have few, evenly spaced values (`grid` in the
    `inputs` of `tam.model`) and how many rows a group has (`rows_per_group`).
    The work saved per row must outweigh the work per level and group. Splines
    have few numbers per row, so that they need more rows per level than other
    terms, and never gain with more than 256 levels. Data that is fitted later
    may have other values. The fit is therefore kept, and its compressed copy
    gets `tam.by_levels`: the runtime runs the copy's steps if all values are on
    the grids (abi.h, tamrt_compression). The attribute `tam.by_levels` of the
    module, a #tam.variant, lists the inputs. Factors of `te` are not compressed,
    nor is any term of a formula with trees.

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
           "Least rows of a group per level, four times as many for splines "
           "(0: never)">,
  ];
}

def TamChooseEncodings : Pass<"tam-choose-encodings", "::mlir::ModuleOp"> {
  let summary = "Choose how design matrices and sums are stored";
  let description = [{
    Gives every feature map's result its structured encoding (or dense, with
    `dense`, and where the target lacks kernels for that encoding), and every
    accumulator the layout of the kernel that will add to it. Sums of a matrix
    with itself are the upper triangle, the diagonal if the matrix is one-hot,
    or sums of frequencies for a Fourier term (not with `dense` or
    `frequencies=false`). Sums of two matrices are `full`, or `transposed` if
    the kernel takes the matrices in the other order: one-hot and multi-hot,
    banded, sparse, dense. Those of two sparse matrices lie along the bands of
    the one that has bands, unless they have row weights, which multiply the
    first matrix and would round otherwise.

    Two encodings without a kernel of their own are converted (tam.convert):
    those that store all columns to dense, and if there is still no kernel,
    others to sparse ones for the generic kernel. tam-verify-tiled emits a
    remark for each conversion to sparse that no row loop has made unnecessary.

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
  let summary = "Compute sums from other sums that contain them";
  let description = [{
    Rows of splines and of categories add up to one. Some of the sums that
    `tam-fuse-rows` will move into one loop therefore follow from others. They
    are not summed over the rows but computed at the end (`tam.marginal`):

    * the sums of a spline or a category with the intercept, from its sums with
      itself;
    * the sums of several categories with few levels, from the sums for the
      tuples of their levels: a row adds to one tuple.

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
  let summary = "Choose panels for the sums of a row loop";
  let description = [{
    Among the sums that `tam-fuse-rows` will move into one loop, those with a
    banded matrix get panels (`#tam.sums`). A row then adds to whole aligned
    words, which never overlap in part a word that the row before it has just
    written: a processor would have to wait for that store. Sums of a matrix
    with itself keep one word per rotation of the band.

    Panels add rows in another order than the other layouts, so that sums differ
    by rounding. Before:
    ```mlir
    %r = tam.rhs %a, %y into %z : ... -> tensor<23xf64, #tam.sums<full>>
    ```
    After:
    ```mlir
    %r = tam.rhs %a, %y into %z : ... -> tensor<23xf64, #tam.sums<panels, 4>>
    ```
  }];
}

def TamAddInference : Pass<"tam-add-inference", "::mlir::ModuleOp"> {
  let summary = "Let fits return their system, and the inverse of its matrix";
  let description = [{
    A fit that is solved directly gets more results. With the slots `inference`:
    those from which standard errors and effective degrees of freedom follow
    (docs/math.md section 8). With the slots `system`: the matrix and the vector
    of its equations, from which penalties are chosen. tam-tile-rows makes steps
    of their own of them, fit_infer and fit_system, which a run calls only on
    request. The function `penalty` has the matrix of the penalties alone. Does
    nothing without `tam.model`, which has the effects.

    Before:
    ```mlir
    func.func @fit(..., %s) {
      %A = tam.normal_matrix %rows blocks(...) penalties(%p, %q)
      %b = tam.solve %A, %v
      return %b
    }
    ```
    After:
    ```mlir
    func.func @fit(..., %s) {
      %A = tam.normal_matrix %rows blocks(...) penalties(%p, %q)
      %b = tam.solve %A, %v
      %m = tam.column_means %rows matrix %A
      %i, %n = tam.inverse %A
      %e = tam.effective_df %rows inverse %i penalties(%p, %q) columns [1, 8]
      return %b, %i, %e, %m, %n, %A, %v
    }
    func.func @penalty(%rows, %s) {
      %P = tam.normal_matrix %rows blocks() penalties(%p, %q)
      return %P
    }
    ```
  }];
}

def TamTileRows : Pass<"tam-tile-rows", "::mlir::ModuleOp"> {
  let summary = "Split the fit into init, chunk and finish";
  let description = [{
    Splits @fit at its sums over rows. @fit_init makes empty accumulators,
    @fit_chunk adds the rows of a chunk to them, @fit_finish computes the
    results from the sums. Accumulators become state: each gets an offset, a
    multiple of 64 bytes, that is the same in all three and on every rung. Every
    step that takes rows gets the arguments `first` and `capacity`.

    Other functions with sums, which have the `tam.step` of their last part, are
    split in the same way. Their accumulators lie behind the state that the
    module's functions pass to each other, which they do not overwrite.
    Accumulators of different functions share bytes. The variants of the module
    (#tam.variant) list them.
  }];
}

def TamFuseRows : Pass<"tam-fuse-rows", "::mlir::ModuleOp"> {
  let summary = "Compute the sums over rows of a chunk, or its predictions, "
                "together";
  let description = [{
    Moves sums over rows of @fit_chunk or @cg_chunk, with the feature maps they
    read, into one `tam.rows`, for which the compiler writes a kernel: one loop
    over the rows instead of one per sum, and no design matrix in memory.

    The pass fuses the sums of matrices that are a column (`tam.offset`,
    `tam.linear`), banded with at most 8 numbers per row (`tam.bspline`) or
    one-hot (`tam.category`) and stored as such. All other sums keep their
    kernels. A feature map that both read is evaluated twice. The bits of sums
    that are not in panels are the same in both cases.

    In the `tam.predict` of @predict, the effects whose matrices are of these
    kinds (splines of degree 1 to 7) or come from `tam.levels` become a
    `tam.rows`, or several, each with at most as many effects as the target's
    loops have; the other effects are added to its result. The pass fuses only
    if there are at least two sums, or two effects. Predictions differ from
    those of the runtime's kernels by rounding.
  }];
  let options = [
    Option<"mostEffects", "most-effects", "int64_t", /*default=*/"-1",
           "Most effects of a loop of predictions (0: no bound; -1: the target's)">,
  ];
}

def TamVerifyChoices : Pass<"tam-verify-choices", "::mlir::ModuleOp"> {
  let summary = "Check that every choice has been made";
  let description = [{
    Every design matrix and every accumulator has an encoding and every solve a
    solver, and the sums of normal equations are written; the module holds
    functions of tam ops only.
  }];
}

def TamVerifyTiled : Pass<"tam-verify-tiled", "::mlir::ModuleOp"> {
  let summary = "Check that every function is a step";
  let description = [{
    Every function has a `tam.step`, and every argument and result a slot.
  }];
}

#endif // TAMC_DIALECT_TAM_TRANSFORMS_PASSES_TD
