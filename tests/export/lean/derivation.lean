-- A program of potlang in Lean 4 without libraries. What is assumed are axioms, what is asked are theorems.
-- A theorem whose proof is `sorry` is stated only: the program may well refute it.

namespace Program
open Classical


axiom door : Int → Int → Prop
axiom reached : Int → Prop
axiom alarm : Prop

-- fact "fact 1" "reached(1)"
axiom «fact 1» : reached (1 : Int)

-- fact "fact 2" "door(1, 2)"
axiom «fact 2» : door (1 : Int) (2 : Int)

-- fact "fact 3" "door(2, 5)"
axiom «fact 3» : door (2 : Int) (5 : Int)

-- fact "fact 4" "door(5, 9)"
axiom «fact 4» : door (5 : Int) (9 : Int)

-- fact "fact 5" "door(3, 4)"
axiom «fact 5» : door (3 : Int) (4 : Int)

-- rule "doors lead on" "forall a: Int, b: Int: And(reached(a), door(a, b)) -> reached(b)"
axiom «doors lead on» : ∀ (a : Int) (b : Int), reached a ∧ door a b → reached b

-- rule "room 5 has an alarm" "reached(5) -> alarm"
axiom «room 5 has an alarm» : reached (5 : Int) → alarm

-- claim "the alarm goes off" "alarm"
theorem «the alarm goes off» : alarm :=
  have s : door (2 : Int) (5 : Int) := «fact 3»
  have s_2 : door (1 : Int) (2 : Int) := «fact 2»
  have s_3 : reached (1 : Int) := «fact 1»
  have s_4 : reached (2 : Int) := «doors lead on» (1 : Int) (2 : Int) ⟨s_3, s_2⟩
  have s_5 : reached (5 : Int) := «doors lead on» (2 : Int) (5 : Int) ⟨s_4, s⟩
  have s_6 : alarm := «room 5 has an alarm» s_5
  s_6

end Program
