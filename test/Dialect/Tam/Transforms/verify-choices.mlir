// After the choices: tam ops only, every design and accumulator with an
// encoding, every solve with a solver, all sums written.
//
// RUN: tam-opt %s --tam-verify-choices -split-input-file -verify-diagnostics

func.func @complete(%rows: index, %y: tensor<?xf64>, %a: tensor<1x1xf64>)
    -> tensor<1xf64> {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %s = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %b = tam.normal_vector(%s : tensor<1xf64, #tam.sums<full>>) : tensor<1xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<1x1xf64>, tensor<1xf64>
  return %x : tensor<1xf64>
}

// -----

func.func @design(%rows: index) {
  // expected-error @+1 {{'tam.offset' op expected an encoding, got 'tensor<?x1xf64>'}}
  %o = tam.offset %rows : tensor<?x1xf64>
  return
}

// -----

func.func @start() {
  // expected-error @+1 {{'tam.zeros' op expected an encoding, got 'tensor<1xf64>'}}
  %z = tam.zeros : tensor<1xf64>
  return
}

// -----

func.func @sum(%a: tensor<?x1xf64, #tam.dense>, %y: tensor<?xf64>,
               %z: tensor<1xf64>) {
  // expected-error @+1 {{'tam.rhs' op expected an encoding, got 'tensor<1xf64>'}}
  %s = tam.rhs %a, %y into %z
      : tensor<?x1xf64, #tam.dense>, tensor<?xf64> -> tensor<1xf64>
  return
}

// -----

func.func @solver(%a: tensor<1x1xf64>, %b: tensor<1xf64>) {
  // expected-error @+1 {{'tam.solve' op expected a chosen solver}}
  %x = tam.solve %a, %b : tensor<1x1xf64>, tensor<1xf64>
  return
}

// -----

func.func @other_dialect() {
  // expected-error @+1 {{'arith.constant' op expected only tam ops in the solver graph}}
  %c = arith.constant 1 : index
  return
}

// -----

// expected-error @+1 {{'func.func' op expected index or a tensor as argument in the solver graph, got 'memref<?xf64>'}}
func.func @memory(%v: memref<?xf64>) {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a tensor as result in the solver graph, got 'index'}}
func.func @scalar(%rows: index {tam.slot = #tam.slot<rows>})
    -> (index {tam.slot = #tam.slot<rows>}) {
  return %rows : index
}

// -----

func.func @argument(%a: tensor<?x1xf64>, %b: tensor<1xf64>) -> tensor<?xf64> {
  // expected-error @+1 {{'tam.predict' op expected an encoding, got 'tensor<?x1xf64>'}}
  %y = tam.predict(%a : tensor<?x1xf64>) coefficients(%b : tensor<1xf64>)
      : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

func.func @argument_of_rhs(%a: tensor<?x1xf64>, %y: tensor<?xf64>)
    -> tensor<1xf64, #tam.sums<full>> {
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  // expected-error @+1 {{'tam.rhs' op expected an encoding, got 'tensor<?x1xf64>'}}
  %r = tam.rhs %a, %y into %z : tensor<?x1xf64>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

func.func @argument_of_gram(%a: tensor<?x1xf64>)
    -> tensor<1x1xf64, #tam.sums<upper>> {
  %z = tam.zeros : tensor<1x1xf64, #tam.sums<upper>>
  // expected-error @+1 {{'tam.gram' op expected an encoding, got 'tensor<?x1xf64>'}}
  %g = tam.gram %a, %a into %z : tensor<?x1xf64>, tensor<?x1xf64>
      -> tensor<1x1xf64, #tam.sums<upper>>
  return %g : tensor<1x1xf64, #tam.sums<upper>>
}

// -----

func.func @blocks(%s: tensor<1xf64>) -> tensor<1xf64> {
  // expected-error @+1 {{'tam.normal_vector' op expected an encoding, got 'tensor<1xf64>'}}
  %b = tam.normal_vector(%s : tensor<1xf64>) : tensor<1xf64>
  return %b : tensor<1xf64>
}

// -----

func.func @equations(%rows: index, %a: tensor<?x1xf64, #tam.dense>,
                     %y: tensor<?xf64>) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  // expected-error @+1 {{'tam.normal_equations' op expected sums over rows instead}}
  %m, %v = tam.normal_equations %rows
      designs(%a : tensor<?x1xf64, #tam.dense>) y %y
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<1x1xf64>, tensor<1xf64>
  return
}
