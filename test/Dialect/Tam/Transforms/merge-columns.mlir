// Linear terms that are neighbours become one matrix, from `least` on; others,
// and fewer, stay as they are.
//
// RUN: tam-opt %s --tam-merge-columns=least=2 -split-input-file | FileCheck %s
// RUN: tam-opt %s --tam-merge-columns=least=3 -split-input-file \
// RUN:   | FileCheck %s --check-prefix=FEW
// RUN: tam-opt %s --tam-merge-columns=least=0 -split-input-file \
// RUN:   | FileCheck %s --check-prefix=FEW

// The category between them separates two of them from the third. Weights and
// penalties are merged, too.
//
// CHECK-LABEL: func.func @fit(
// CHECK-SAME: %[[ROWS:.*]]: index, %{{.*}}: tensor<?xf64>, %[[Y:[^:]*]]: tensor<?xf64>, %[[W:[^:]*]]: tensor<?xf64>)
// CHECK-DAG: %[[O:.*]] = tam.offset
// CHECK-DAG: %[[A:.*]] = tam.linear {{.*}} {scale = 1.0
// CHECK-DAG: %[[B:.*]] = tam.linear {{.*}} {scale = 2.0
// CHECK-DAG: %[[C:.*]] = tam.category
// CHECK-DAG: %[[D:.*]] = tam.linear {{.*}} {scale = 4.0
// CHECK: %[[AB:.*]] = tam.columns(%[[A]], %[[B]] : tensor<?x1xf64>, tensor<?x1xf64>) -> tensor<?x2xf64>
// CHECK: %[[P:.*]] = tam.penalty rows [0, 1] columns [0, 1] values [5.000000e-01, 2.500000e-01] : tensor<2x2xf64, #tam.coordinates<2>>
// CHECK: %[[G1:.*]] = tam.gram %[[O]], %[[AB]] weights %[[W]] : tensor<?xf64> into %{{.*}} -> tensor<1x2xf64>
// CHECK: %[[G4:.*]] = tam.gram %[[AB]], %[[AB]] weights %[[W]] : tensor<?xf64> into %{{.*}} -> tensor<2x2xf64>
// CHECK: %[[G5:.*]] = tam.gram %[[AB]], %[[C]] weights {{.*}} -> tensor<2x3xf64>
// CHECK: %[[G6:.*]] = tam.gram %[[AB]], %[[D]] weights {{.*}} -> tensor<2x1xf64>
// CHECK: %[[R:.*]] = tam.rhs %[[AB]], %[[Y]] weights {{.*}} -> tensor<2xf64>
// CHECK: tam.normal_matrix %[[ROWS]] blocks(%{{.*}}, %[[G1]], %{{.*}}, %{{.*}}, %[[G4]], %[[G5]], %[[G6]], %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) penalties(%{{.*}}, %[[P]], %{{.*}}, %{{.*}} : {{.*}}) : tensor<7x7xf64>
// CHECK: tam.normal_vector(%{{.*}}, %[[R]], %{{.*}}, %{{.*}} : {{.*}}) : tensor<7xf64>
// CHECK-NOT: tam.gram %[[A]],
// CHECK: tam.solve

// FEW-LABEL: func.func @fit(
// FEW-NOT: tam.columns
// FEW: tam.normal_matrix
func.func @fit(%rows: index, %x: tensor<?xf64>, %y: tensor<?xf64>,
               %w: tensor<?xf64>) -> tensor<7xf64> {
  %o = tam.offset %rows : tensor<?x1xf64>
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %b = tam.linear %x {scale = 2.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %c = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  %d = tam.linear %x {scale = 4.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %zoo = tam.zeros : tensor<1x1xf64>
  %oo = tam.gram %o, %o weights %w : tensor<?xf64> into %zoo
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zoa = tam.zeros : tensor<1x1xf64>
  %oa = tam.gram %o, %a weights %w : tensor<?xf64> into %zoa
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zob = tam.zeros : tensor<1x1xf64>
  %ob = tam.gram %o, %b weights %w : tensor<?xf64> into %zob
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zoc = tam.zeros : tensor<1x3xf64>
  %oc = tam.gram %o, %c weights %w : tensor<?xf64> into %zoc
      : tensor<?x1xf64>, tensor<?x3xf64> -> tensor<1x3xf64>
  %zod = tam.zeros : tensor<1x1xf64>
  %od = tam.gram %o, %d weights %w : tensor<?xf64> into %zod
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zaa = tam.zeros : tensor<1x1xf64>
  %aa = tam.gram %a, %a weights %w : tensor<?xf64> into %zaa
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zab = tam.zeros : tensor<1x1xf64>
  %ab = tam.gram %a, %b weights %w : tensor<?xf64> into %zab
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zac = tam.zeros : tensor<1x3xf64>
  %ac = tam.gram %a, %c weights %w : tensor<?xf64> into %zac
      : tensor<?x1xf64>, tensor<?x3xf64> -> tensor<1x3xf64>
  %zad = tam.zeros : tensor<1x1xf64>
  %ad = tam.gram %a, %d weights %w : tensor<?xf64> into %zad
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zbb = tam.zeros : tensor<1x1xf64>
  %bb = tam.gram %b, %b weights %w : tensor<?xf64> into %zbb
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zbc = tam.zeros : tensor<1x3xf64>
  %bc = tam.gram %b, %c weights %w : tensor<?xf64> into %zbc
      : tensor<?x1xf64>, tensor<?x3xf64> -> tensor<1x3xf64>
  %zbd = tam.zeros : tensor<1x1xf64>
  %bd = tam.gram %b, %d weights %w : tensor<?xf64> into %zbd
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zcc = tam.zeros : tensor<3x3xf64>
  %cc = tam.gram %c, %c weights %w : tensor<?xf64> into %zcc
      : tensor<?x3xf64>, tensor<?x3xf64> -> tensor<3x3xf64>
  %zcd = tam.zeros : tensor<3x1xf64>
  %cd = tam.gram %c, %d weights %w : tensor<?xf64> into %zcd
      : tensor<?x3xf64>, tensor<?x1xf64> -> tensor<3x1xf64>
  %zdd = tam.zeros : tensor<1x1xf64>
  %dd = tam.gram %d, %d weights %w : tensor<?xf64> into %zdd
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  %zo = tam.zeros : tensor<1xf64>
  %ro = tam.rhs %o, %y weights %w : tensor<?xf64> into %zo
      : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
  %za = tam.zeros : tensor<1xf64>
  %ra = tam.rhs %a, %y weights %w : tensor<?xf64> into %za
      : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
  %zb = tam.zeros : tensor<1xf64>
  %rb = tam.rhs %b, %y weights %w : tensor<?xf64> into %zb
      : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
  %zc = tam.zeros : tensor<3xf64>
  %rc = tam.rhs %c, %y weights %w : tensor<?xf64> into %zc
      : tensor<?x3xf64>, tensor<?xf64> -> tensor<3xf64>
  %zd = tam.zeros : tensor<1xf64>
  %rd = tam.rhs %d, %y weights %w : tensor<?xf64> into %zd
      : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
  %p0 = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [0] columns [0] values [0.5]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p2 = tam.penalty rows [0] columns [0] values [0.25]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p3 = tam.penalty rows [0, 1, 2] columns [0, 1, 2] values [1.0, 1.0, 1.0]
      : tensor<3x3xf64, #tam.coordinates<3>>
  %p4 = tam.penalty rows [0] columns [0] values [0.125]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %m = tam.normal_matrix %rows blocks(%oo, %oa, %ob, %oc, %od, %aa, %ab, %ac,
      %ad, %bb, %bc, %bd, %cc, %cd, %dd : tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x3xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x3xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x3xf64>, tensor<1x1xf64>, tensor<3x3xf64>, tensor<3x1xf64>, tensor<1x1xf64>)
      penalties(%p0, %p1, %p2, %p3, %p4
          : tensor<1x1xf64, #tam.coordinates<1>>,
            tensor<1x1xf64, #tam.coordinates<1>>,
            tensor<1x1xf64, #tam.coordinates<1>>,
            tensor<3x3xf64, #tam.coordinates<3>>,
            tensor<1x1xf64, #tam.coordinates<1>>) : tensor<7x7xf64>
  %v = tam.normal_vector(%ro, %ra, %rb, %rc, %rd : tensor<1xf64>, tensor<1xf64>,
      tensor<1xf64>, tensor<3xf64>, tensor<1xf64>) : tensor<7xf64>
  %s = tam.solve %m, %v : tensor<7x7xf64>, tensor<7xf64>
  return %s : tensor<7xf64>
}
