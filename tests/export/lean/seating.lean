-- A program of potlang in Lean 4 without libraries. What is assumed are axioms, what is asked are theorems.
-- A theorem whose proof is `sorry` is stated only: the program may well refute it.

namespace Program
open Classical


axiom ann : Int
axiom bo : Int
axiom cy : Int

-- fact "fact 1" "1 <= ann <= 3"
axiom «fact 1» : (1 : Int) ≤ ann ∧ ann ≤ (3 : Int)

-- fact "fact 2" "1 <= bo <= 3"
axiom «fact 2» : (1 : Int) ≤ bo ∧ bo ≤ (3 : Int)

-- fact "fact 3" "1 <= cy <= 3"
axiom «fact 3» : (1 : Int) ≤ cy ∧ cy ≤ (3 : Int)

-- fact "fact 4" "Distinct(ann, bo, cy)"
axiom «fact 4» : ann ≠ bo ∧ ann ≠ cy ∧ bo ≠ cy

-- fact "fact 5" "ann < bo"
axiom «fact 5» : ann < bo

-- fact "fact 6" "cy != 3"
axiom «fact 6» : ¬cy = (3 : Int)

-- claim "Bo sits last" "bo == 3"
theorem «Bo sits last» : bo = (3 : Int) := by sorry

-- claim "Ann sits first" "ann == 1"
theorem «Ann sits first» : ann = (1 : Int) := by sorry

-- claim "Cy sits last" "cy == 3"
theorem «Cy sits last» : cy = (3 : Int) := by sorry

end Program
