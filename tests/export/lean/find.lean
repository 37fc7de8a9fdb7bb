-- A program of potlang in Lean 4 without libraries. What is assumed are axioms, what is asked are theorems.
-- A theorem whose proof is `sorry` is stated only: the program may well refute it.

namespace Program
open Classical

axiom Person : Type
axiom «Person is not empty» : Nonempty Person

axiom ancestor : Person → Person → Prop
axiom alice : Person
axiom bob : Person
axiom carol : Person

-- fact "fact 1" "ancestor(alice, bob)"
axiom «fact 1» : ancestor alice bob

-- fact "fact 2" "ancestor(bob, carol)"
axiom «fact 2» : ancestor bob carol

-- rule "Ancestors of ancestors" "forall x: Person, y: Person, z: Person: And(ancestor(x, y), ancestor(y, z)) -> ancestor(x, z)"
axiom «Ancestors of ancestors» : ∀ (x : Person) (y : Person) (z : Person), ancestor x y ∧ ancestor y z → ancestor x z

-- rule "Nobody is their own ancestor" "forall x: Person: Not(ancestor(x, x))"
axiom «Nobody is their own ancestor» : ∀ (x : Person), ¬ancestor x x

-- claim "Ancestors of carol" "ancestor(who, carol)"
theorem «Ancestors of carol» : ∃ (who : Person), ancestor who carol :=
  have s : ancestor bob carol := «fact 2»
  ⟨bob, s⟩

end Program
