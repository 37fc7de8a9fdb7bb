; two solvers disagree on one of these checks; their answers:
; claim: search says unsat
; --- for z3
(reset)
(set-logic ALL)
(declare-datatypes (($Color 0)) ((($Color/red))))
(declare-datatypes (($Size 0)) ((($Size/small) ($Size/large) ($Size/huge))))
(declare-const $c1 $Color)
(declare-const $s1 $Size)
(declare-const $s2 $Size)
(declare-const $n1 Int)

(assert (! (not (= $s2 $Size/small)) :named !a0))
(push 1) ; assumptions with the claim
(assert (= $s1 $Size/huge))
(check-sat)
(pop 1)
(push 1) ; assumptions with the negation
(assert (not (= $s1 $Size/huge)))
(check-sat)
(pop 1)
; --- for cvc5
(reset)
(set-logic ALL)
(declare-datatypes (($Color 0)) ((($Color/red))))
(declare-datatypes (($Size 0)) ((($Size/small) ($Size/large) ($Size/huge))))
(declare-const $c1 $Color)
(declare-const $s1 $Size)
(declare-const $s2 $Size)
(declare-const $n1 Int)

(assert (! (not (= $s2 $Size/small)) :named !a0))
(push 1) ; assumptions with the claim
(assert (= $s1 $Size/huge))
(check-sat)
(pop 1)
(push 1) ; assumptions with the negation
(assert (not (= $s1 $Size/huge)))
(check-sat)
(pop 1)
