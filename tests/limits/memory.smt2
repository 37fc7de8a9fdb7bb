; A factorization over 1,024 bits: the circuit for the product alone takes more than 500 MB.
(declare-const x (_ BitVec 1024))
(declare-const y (_ BitVec 1024))
(assert (= (bvmul x y) (_ bv1000003 1024)))
(assert (bvugt x (_ bv1 1024)))
(assert (bvugt y (_ bv1 1024)))
