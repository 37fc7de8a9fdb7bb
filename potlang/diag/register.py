"""The register of diagnostic codes: one row a code, grouped by the first digit.

0 internal and limits, 1 reading and schema, 2 names, 3 sorts, 4 logic and rules, 5 traces and steps,
6 solving, 7 solutions in steps, 8 packs, 9 lints. Numbers are never reused. A headline is a `str.format`
template; its fields are what `Sink.report` must be given.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from potlang.diag.model import Severity

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE


class Code(NamedTuple):
    """A row: the code, a short name for people, the usual severity, and the headline's template."""

    code: str
    slug: str
    severity: Severity
    headline: str


_ROWS = (
    # 0 internal and limits
    Code("POT0001", "internal-error", _E, "internal error: {what}"),
    Code("POT0002", "input-too-large", _E, "the input is larger than {limit} bytes"),
    Code("POT0003", "too-deep", _E, "nested deeper than {limit} levels"),
    Code(
        "POT0004", "numeral-too-long", _E, "a number of {digits} digits is longer than the limit of {limit}"
    ),
    Code("POT0005", "too-many-diagnostics", _N, "{more} more diagnostics are not shown"),
    Code("POT0006", "cannot-read-file", _E, "cannot read `{name}`: {reason}"),
    Code("POT0007", "name-too-long", _E, "a name of {length} characters is longer than the limit of {limit}"),
    Code("POT0008", "expansion-too-large", _E, "the expression stands for {size} terms, more than {limit}"),
    Code("POT0009", "cannot-write-file", _E, "cannot write `{name}`: {reason}"),
    Code("POT0010", "resource-refused", _E, "the system refuses a resource: {reason}"),
    Code("POT0011", "not-toml", _E, "the configuration is not TOML: {problem}"),
    Code("POT0012", "unknown-setting", _E, "unknown setting `{key}`"),
    Code("POT0013", "wrong-setting", _E, "the setting `{key}` is wrong: {problem}"),
    Code("POT0014", "batch-refused", _E, "the batch cannot be run: {problem}"),
    # 1 reading and schema
    Code("POT1001", "not-json", _E, "not JSON: {problem}"),
    Code("POT1002", "wrong-encoding", _E, "the text cannot be decoded: {reason}"),
    Code("POT1003", "empty-input", _E, "the input is empty"),
    Code("POT1004", "duplicate-key", _E, "the key `{key}` occurs more than once in one object"),
    Code("POT1005", "lone-surrogate", _E, "the string contains half of a surrogate pair, `{escape}`"),
    Code("POT1006", "not-a-number-constant", _E, "`{constant}` is not a number"),
    Code("POT1010", "wrong-type", _E, "expected {expected}, found {found}"),
    Code("POT1011", "missing-key", _E, "the key `{key}` is missing"),
    Code("POT1012", "unknown-key", _E, "unknown key `{key}`"),
    Code("POT1013", "unknown-value", _E, "`{value}` is not one of {allowed}"),
    Code("POT1014", "empty-value", _E, "{what} must not be empty"),
    Code("POT1015", "conflicting-keys", _E, "the keys {keys} cannot be used together"),
    Code("POT1016", "misspelt-key", _W, "the key `{key}` is read as `{meant}`"),
    Code("POT1017", "read-as-meant", _W, "{found} is read as {meant}"),
    Code("POT1018", "schema", _E, "the value does not fit `{keyword}` of the schema `{schema}`"),
    Code("POT1019", "newer-format", _E, "the program is in version {found} of its format, not in version 1"),
    Code("POT1020", "expression-syntax", _E, "{problem}"),
    Code("POT1021", "unclosed-bracket", _E, "the bracket `{bracket}` is never closed"),
    Code("POT1022", "unexpected-character", _E, "unexpected character `{char}`"),
    Code("POT1023", "assignment-for-equality", _E, "`=` is not an operator here"),
    Code("POT1024", "unterminated-string", _E, "the string is not closed"),
    Code("POT1025", "sort-syntax", _E, "not a sort: {problem}"),
    Code("POT1026", "empty-expression", _E, "the expression is empty"),
    Code("POT1027", "unknown-action", _E, "unknown action `{action}`"),
    Code("POT1028", "question-options", _E, "{problem}"),
    Code("POT1030", "date-or-amount", _E, "{problem}"),
    # 2 names
    Code("POT2001", "undeclared-name", _E, "`{name}` is not declared"),
    Code("POT2002", "duplicate-declaration", _E, "`{name}` is declared more than once"),
    Code("POT2003", "name-clash", _E, "`{name}` is declared as {first} and as {second}"),
    Code("POT2004", "shadowing", _W, "the bound variable `{name}` hides {hidden}"),
    Code("POT2005", "unknown-sort", _E, "the sort `{name}` is not declared"),
    Code("POT2006", "cyclic-sorts", _E, "the sorts {cycle} are defined by one another"),
    Code("POT2007", "not-a-function", _E, "`{name}` is {kind}, not a function"),
    Code(
        "POT2008",
        "undeclared-decision-variable",
        _W,
        "`{name}` is not declared; read as a variable of sort {sort}",
    ),
    Code("POT2010", "function-without-arguments", _E, "the function `{name}` is used without arguments"),
    Code("POT2012", "connective-redeclared", _W, "the function `{name}` hides the connective of that name"),
    Code("POT2013", "repeated-declaration", _W, "`{name}` is declared again, with the same meaning"),
    Code("POT2020", "unknown-rule", _E, "no rule is called `{name}`"),
    Code("POT2030", "template", _W, "{problem}"),
    Code("POT2040", "no-sentence", _E, "there is no sentence {number} to cite"),
    # 3 sorts
    Code("POT3001", "sort-mismatch", _E, "expected {expected}, found {found}"),
    Code("POT3002", "wrong-arity", _E, "`{name}` takes {expected}, but {found} given"),
    Code(
        "POT3003", "not-comparable", _E, "a term of sort {left} cannot be compared with one of sort {right}"
    ),
    Code("POT3004", "not-ordered", _E, "the sort {sort} has no order, so `{op}` does not apply"),
    Code("POT3005", "not-numeric", _E, "`{op}` needs numbers, found {found}"),
    Code("POT3006", "not-a-formula", _E, "expected a formula, found a term of sort {found}"),
    Code("POT3007", "no-common-sort", _E, "the branches have different sorts, {left} and {right}"),
    Code("POT3008", "bad-exponent", _E, "the exponent must be a constant natural number"),
    Code("POT3010", "not-finite", _E, "`{op}` ranges over {sort}, which is not finite"),
    Code("POT3011", "width-mismatch", _E, "bit-vectors of widths {left} and {right} are mixed"),
    Code("POT3020", "impossible-date", _E, "`{text}` is no date: {reason}"),
    Code(
        "POT3021",
        "date-out-of-range",
        _E,
        "`{text}` is beyond the calendar, which has the years {first} to {last}",
    ),
    Code("POT3022", "mixed-currencies", _E, "amounts of {left} and {right} are mixed"),
    Code("POT3023", "mixed-units", _E, "a term of sort {left} does not go with one of sort {right} here"),
    Code("POT3024", "number-without-unit", _E, "a term of sort {sort} does not go with a plain number here"),
    Code("POT3025", "no-fixed-duration", _E, "`{text}` is no fixed duration"),
    # 4 logic and rules
    Code("POT4001", "empty-binder-list", _E, "`{quantifier}` binds no variable"),
    Code("POT4002", "empty-connective", _W, "{what} is empty, so it is read as {value}"),
    Code("POT4003", "contradictory-facts", _W, "these facts contradict each other"),
    Code("POT4004", "named-members-only", _W, "`{op}` ranges over the named members of {sort} only"),
    Code("POT4005", "closed-sort-without-members", _E, "the closed sort {sort} has no member"),
    Code("POT4006", "possible-division-by-zero", _N, "the divisor may be zero"),
    Code("POT4007", "trivial-formula", _W, "this is always {value}"),
    Code("POT4008", "recursive-definition", _E, "the definitions {cycle} use one another"),
    Code("POT4010", "open-cardinality", _E, "`{op}` counts the members of {sort}, which are not listed"),
    Code("POT4020", "cyclic-exceptions", _E, "the exceptions go round in a circle: {cycle}"),
    Code("POT4021", "meaningless-exception", _E, "`{key}` means nothing here: {reason}"),
    Code("POT4022", "unstratified", _E, "closed predicates go round through {reason}: {cycle}"),
    Code("POT4023", "unfounded-recursion", _E, "closed predicates go round {reason}: {cycle}"),
    Code("POT4030", "no-counterpart", _E, "`--to {way}` has no counterpart of {what}"),
    # 5 traces and steps
    Code("POT5001", "unknown-record", _E, "`{word}` is not a record"),
    Code("POT5002", "malformed-record", _E, "malformed `@{kind}`: {problem}"),
    Code("POT5003", "fence-too-long", _E, "the fence takes {length} bytes, but the trace has {left} more"),
    Code("POT5004", "text-after-fence", _E, "the line goes on after the {length} bytes of the fence"),
    Code("POT5005", "not-utf-8", _E, "{what} is not UTF-8"),
    Code("POT5006", "no-node", _E, "the trace has no `@node`"),
    Code("POT5007", "before-first-node", _E, "{what} before the first `@node`"),
    Code("POT5008", "misplaced-record", _E, "`{kind}` cannot follow {previous}"),
    Code("POT5009", "repeated-record", _E, "a second `{kind}` in one block"),
    Code("POT5010", "after-end", _E, "{what} after the end of the trace"),
    Code("POT5011", "over-budget", _E, "the trace has more than {budget} records"),
    Code("POT5012", "not-in-profile", _E, "{what} is not in the profile `strict`"),
    Code("POT5013", "over-other-budget", _E, "the trace has more {what} than its budget of {budget}"),
    Code("POT5014", "no-end", _E, "the trace has no `<summarizer:end>`"),
    Code("POT5020", "id-not-increasing", _E, "the id {id} is not greater than {last}"),
    Code("POT5021", "unknown-node", _E, "`{field}={id}` names no earlier node"),
    Code("POT5022", "foreign-edge", _E, "an edge to node {dst} in the block of node {current}"),
    Code("POT5023", "edge-not-forward", _E, "an edge from node {src} to node {dst}"),
    Code("POT5024", "edge-kind", _E, "`kind={kind}` does not go from a {src} to a {dst}"),
    Code("POT5025", "edge-in-critic", _E, "`kind={kind}` in the block of a critic"),
    Code("POT5026", "use-of-unvalidated", _E, "the summarizer uses node {id}, which is {state}"),
    Code("POT5030", "status-of-other", _E, "a status of node {id}, which is a {role}"),
    Code("POT5031", "second-status", _E, "node {id} already has the status {mark}"),
    Code("POT5032", "not-a-proposer", _E, "`@{kind}` joins node {id}, which is a {role}"),
    Code("POT5033", "witness-not-critic", _E, "the witness is node {id}, which is a {role}"),
    Code("POT5040", "foreign-prop", _E, "a `@prop` of node {id} in the block of node {current}"),
    Code("POT5041", "not-a-proposition", _E, "{problem}"),
    Code("POT5042", "declaration-elsewhere", _E, "`{key}` in the `@prop` of a {role}"),
    Code("POT5050", "unclosed-tag", _E, "`<{role}>` is not closed"),
    Code("POT5051", "unopened-tag", _E, "`</{role}>` closes nothing"),
    Code("POT5052", "role-token", _E, "{problem}"),
    Code("POT5060", "validated-refuted", _W, "node {id} is validated, but the theory refutes it"),
    Code("POT5061", "invalidated-entailed", _W, "node {id} is invalidated, but the theory entails it"),
    Code("POT5062", "refuted-arrow", _W, "the theory refutes the arrow from node {lower} to node {upper}"),
    Code("POT5063", "contradictory-arrows", _W, "theory and arrows together refute node {id}"),
    Code("POT5064", "inconsistent-summary", _W, "what the trace validates has no model"),
    Code(
        "POT5065",
        "unfaithful-summary",
        _W,
        "the validated propositions do not entail what summarizer {id} says",
    ),
    Code("POT5066", "unread-record", _W, "this text looks like `{kind}`, and was not read as a record"),
    Code("POT5067", "text-around-trace", _W, "left out of the trace: {what}"),
    Code(
        "POT5070", "contested-status", _W, "node {id} is {one} in the first trace and {other} in the second"
    ),
    Code("POT5071", "contested-content", _W, "the two traces let node {id} say different things"),
    Code("POT5080", "infinite-theory", _E, "the theory has no finite set of models: {reason}"),
    Code("POT5081", "too-many-models", _E, "the diagram is too large to be computed: {reason}"),
    Code("POT5082", "unusable-stage", _E, "the stage `{name}` cannot be used: {problem}"),
    # 6 solving
    Code("POT6010", "cache-damaged", _W, "the cache `{path}` is damaged: {reason}"),
    Code("POT6011", "cache-unusable", _W, "the cache `{path}` cannot be {used}: {reason}"),
    Code("POT6012", "cached-verdict-differs", _E, "{what} was `{cached}` and is now `{now}`"),
    # 7 solutions in steps
    Code("POT7001", "no-steps", _E, "the solution has no steps"),
    Code("POT7002", "repeated-step", _E, "two steps have the id {id}"),
    Code("POT7003", "unknown-parent", _E, "step {id} depends on step {parent}, which does not exist"),
    Code("POT7004", "later-parent", _E, "step {id} depends on step {parent}, which comes after it"),
    Code("POT7005", "cyclic-steps", _E, "steps depend on one another: {cycle}"),
    Code("POT7006", "unreadable-parents", _E, "`{text}` is not a list of steps"),
    Code("POT7007", "missing-part", _E, "{which} has no {part}"),
    Code("POT7008", "repeated-part", _E, "{which} has a second `{part}:`"),
    Code("POT7009", "several-solutions", _E, "the input holds several solutions"),
    Code("POT7010", "unclosed-box", _E, "the boxed answer of step {id} never ends"),
    Code("POT7011", "unreadable-answer", _E, "no parser reads the answer `{answer}`"),
    Code("POT7020", "unclosed-step", _W, "no later step uses step {id}"),
    Code("POT7021", "step-not-increasing", _W, "the id {id} is not greater than {last}"),
    Code("POT7022", "parents-not-ascending", _W, "the parents of step {id} are not in ascending order"),
    Code("POT7023", "repeated-parent", _W, "step {id} names its parent {parent} more than once"),
    Code("POT7024", "uncited-parent", _W, "step {id} depends on {parents}, which its edge does not cite"),
    Code("POT7025", "cited-stranger", _N, "the edge of step {id} cites step {cited}, which is not a parent"),
    Code("POT7026", "plural-citation", _W, "`{text}` cites several steps at once"),
    Code("POT7027", "no-edge", _W, "{which} has no edge"),
    Code("POT7028", "several-sentences", _W, "the node of step {id} is {count} sentences"),
    Code("POT7029", "no-final-answer", _W, "the last step is not the answer in a box"),
    Code("POT7030", "text-around", _W, "there is text outside {where}"),
    Code("POT7031", "own-answer", _N, "`final_answer` is what the last step says: it is no reference"),
    Code(
        "POT7032", "unreadable-formal", _W, "the `formal` of step {id} is not read, and its node is: {reason}"
    ),
    Code(
        "POT7033",
        "formal-disagrees",
        _W,
        "the `formal` of step {id} says something else than its node: {reason}",
    ),
    Code(
        "POT7034",
        "formal-not-numbers",
        _N,
        "the `formal` of step {id} is not over numbers, and its node is read: {reason}",
    ),
    Code(
        "POT7035",
        "prose",
        _N,
        "the {steps} steps of this text and what they rest on are found by rule; "
        "links: {high} sure, {medium} likely, {low} guessed",
    ),
    # 8 packs and tables
    Code("POT8001", "unknown-pack", _E, "there is no pack `{name}`"),
    Code("POT8002", "unknown-parameter", _E, "the pack `{pack}` has no parameter `{name}`"),
    Code("POT8003", "parameter-mismatch", _E, "`{pack}` needs {wanted}, but `{name}` is {found}"),
    Code("POT8004", "unbound-parameter", _E, "`{name}`, given to the pack `{pack}`, is not declared"),
    Code("POT8005", "broken-pack", _E, "the pack `{name}` is not well formed"),
    Code("POT8010", "table-refused", _E, "the table `{table}` may not be read: {problem}"),
    Code("POT8011", "table-unreadable", _E, "the table `{table}` cannot be read: {reason}"),
    Code("POT8012", "unknown-column", _E, "the table `{table}` has no column `{column}`"),
    Code("POT8013", "wrong-table-value", _E, "{place}: `{value}` is not {wanted}"),
    Code("POT8014", "missing-table-key", _E, "{place}: no value, where each row needs one"),
    Code("POT8015", "not-of-a-table", _E, "no column can give `{name}`: {problem}"),
    Code("POT8016", "two-table-values", _E, "{place}: another value of `{name}` than in row {row}"),
    Code("POT8017", "large-tables", _E, "the tables of this program have {rows} rows: no formulas say them"),
    Code("POT8020", "unreadable-document", _E, "the document cannot be read: {problem}"),
    # 9 lints
    Code("POT9001", "free-variable", _W, "the variable `{name}` is free: it is read as an unknown constant"),
    Code("POT9002", "unknown-lint", _W, "there is no lint `{name}`"),
    Code("POT9003", "lint-budget", _N, "{budget} ms were not enough for {rules}"),
    Code("POT9010", "unused-declaration", _W, "the {kind} `{name}` is never used"),
    Code("POT9011", "unreachable-declaration", _N, "`{name}` has nothing to do with what is asked"),
    Code("POT9012", "repeated-statement", _W, "{one} says the same as {other}"),
    Code("POT9013", "repeated-name", _W, "two {kind} are called `{name}`, and say different things"),
    Code("POT9014", "missing-premise", _W, "no fact and no rule speaks of `{name}`, which is asked about"),
    Code("POT9015", "near-names", _W, "`{name}` and `{other}` are nearly the same name"),
    Code("POT9016", "exists-implication", _W, "`Exists` over an implication says next to nothing"),
    Code("POT9017", "forall-conjunction", _W, "`ForAll` over a conjunction says both of everything"),
    Code("POT9018", "fraction-of-int", _W, "`{text}` is never true: a whole number is no fraction"),
    Code("POT9019", "opposite-rules", _W, "{one} and {other} draw opposite conclusions"),
    Code("POT9020", "missing-law", _N, "`{name}` sounds {kind}, and no rule says that it is"),
    Code("POT9021", "same-term", _W, "`{term}` stands twice in `{text}`"),
    Code("POT9022", "open-sort", _W, "no member of the sort `{name}` is named, and nothing ranges over it"),
    Code("POT9030", "rules-disagree", _W, "{one} and {other} disagree for {case}"),
    Code("POT9031", "rests-on-disagreement", _W, "{claim} is {verdict} because {one} and {other} disagree"),
    Code("POT9032", "decision-gap", _N, "no rule says what `{term}` is for {case}"),
    Code("POT9033", "dead-antecedent", _W, "the condition of {statement} never holds"),
    Code("POT9034", "vacuous-claim", _W, "{claim} is about nothing: its condition never holds"),
    Code("POT9035", "fixed-truth", _W, "{statement} is always {value}, whatever the program says"),
    Code("POT9036", "unstated-assumption", _N, "{claim} would be {verdict} if {assumption}"),
    Code(
        "POT9037", "open-predicate", _N, "{claim} would be entailed if what does not follow counted as false"
    ),
    Code("POT9040", "pack-conflict", _W, "{parts} contradict each other"),
    Code("POT9041", "pack-exclusion", _W, "{packs} together say that `{name}` is true of {nothing}"),
    Code("POT9042", "two-definitions", _W, "`{name}` is defined by {one}, and differently by {other}"),
    Code("POT9043", "pack-by-hand", _N, "{statements} {say} what the pack `{pack}` says"),
)

CODES: Mapping[str, Code] = MappingProxyType({row.code: row for row in _ROWS})
