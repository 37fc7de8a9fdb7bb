"""The words that sentences are read by ([STEP-WORDS])."""

from __future__ import annotations

import re
from typing import Final

from potlang.languages.dagmath.lower.syntax import words

BLOCKING: Final = re.compile(
    r"\b(not|no|never|cannot|can't|n't|doesn't|isn't|neither|nor|impossible|contradict\w*|reject\w*|"
    r"extraneous|invalid|discard\w*|false|incorrect|wrong|unless|except|would|could|might|may|perhaps|maybe|guess\w*|"
    r"round\w*|truncat\w*|"
    r"approximat\w*|roughly|about|nearly|almost|estimat\w*|around|at least|at most|more than or|no more|"
    r"attempt\w*|try|trying|test\w*|candidate|hypothes\w*|whether|unknown|any|every|each|all|always|"
    r"minimi[sz]\w*|maximi[sz]\w*|smallest|largest|greatest(?! common divisor of ⟦)|least|asymptotic\w*|"
    r"converg\w*|limit|infinit\w*|"
    r"probabilit\w*|random\w*|expected|digits?|base|complex|imaginary|modulo|remainder|matrix|vectors?|"
    r"dozen|scores?)\b"
)
"""Words that may turn round or weaken what is said: such a sentence is not read."""
SUPPOSING: Final = re.compile(
    r"^(?:now |first |next |then |so |and )*(?:we )?(?:let(?: us)? |suppose|assume|assuming|consider|"
    r"define|denote|set (?=⟦)|case\b|introduce)"
)
GOAL: Final = re.compile(
    r"^(?:now,? |first,? |next,? |then,? |so,? )*(?:(?:we (?:want|need|have|wish|are asked|must|aim)|"
    r"(?:our|the) goal is|it remains|the (?:question|problem|task) (?:is|asks)(?: us)?|you) ?(?:to|for)\b|"
    r"(?:find|determine|compute|calculate|evaluate|solve|show|prove|simplify|expand|factor|check|verify|"
    r"what|how|which|who|when will|where is)\b)"
)
CONDITION: Final = re.compile(r"\b(if|suppose|assum\w*|when|whenever|case|provided|only|until)\b")
GIVING: Final = re.compile(
    r"(?:^|[ ,])(?:gives?(?: us)?|giving(?: us)?|yield(?:s|ing)?|(?:we|to|can) (?:now )?(?:get|obtain|have|"
    r"find|conclude|deduce|see|know|compute|calculate|derive|arrive at|write|reach)(?: that)?|"
    r"(?:it )?follows that|results? in|resulting in|leads? to|leading to|means(?: that)?|shows?(?: that)?|"
    r"so that|"
    r"therefore|thus|hence|so|then|consequently|produces?|implies(?: that)?|becomes|simplif(?:ies|y|ying) to|"
    r"reduces? to|turns? into|is equivalent to|evaluates? to|expands? to|factors? (?:as|to|into)|"
    r"leaves?(?: us)?(?: with)?|obtaining|getting|to be|out to be|written as|expressed as|given by|as)"
    r"(?=[ ,:])|:(?= )"
)
"""Words before the conclusion of a sentence; the last one counts."""
ADJUNCT: Final = re.compile(
    r"^(?:(?:now|so|then|and|next|finally|therefore|thus|hence),? )?"
    r"(?:since|because|as|by|using|from|\w+ing)\b[^,:]*(?:,[^,:]*⟦\d+⟧[^,:]*)*[,:] "
)
"""A clause in front of the main one that gives a reason or says what is done."""
EQUATING: Final = re.compile(
    r"\b(becomes|simplif(?:ies|y|ying) to|reduces? to|is equivalent to|evaluates? to|expands? to|"
    r"factors? (?:as|to|into)|written as|expressed as|turns? into|is equal to|equals?|is|are|was|were)\b"
)
"""Words between two values that are the same."""
REWRITING: Final = re.compile(
    r"\b(simplif\w*|expand\w*|expansion|factor\w*|combin\w*|distribut\w*|multiply\w* out|collect\w*|reduc\w*|"
    r"rewrit\w*|rearrang\w* terms|like terms)\b"
)
"""Words of a step that only rewrites an expression."""
CALCULATING: Final = re.compile(
    rf"{REWRITING.pattern}|\b(multipl\w*|evaluat\w*|comput\w*|calculat\w*|arithmetic)\b"
)
"""Words of an edge that says so too."""
BRINGING_IN: Final = re.compile(
    r"\b(problem|given|states?|told|assum\w*|known|recall|fact|also|constraint|condition)\b"
)
"""Words of an edge that may bring in something that no step says."""
HARMLESS: Final = words(
    "the a an this that these those we our us it its is are be by of to in for on from with and as at "
    "which both side sides left right hand equation equations expression expressions inequality formula "
    "result results answer value values term terms number therefore thus hence so then now finally first "
    "next also again step again solving solve solved simplifying simplify simplified simplifies "
    "simplification substituting substitute substitution expanding expand expansion factoring factor "
    "factorization combining combine like collecting dividing divide subtracting subtract adding add "
    "multiplying multiply taking take applying apply using use evaluating evaluate computing compute "
    "calculating calculate rearranging rearrange isolating isolate moving move replacing replace plugging "
    "plug rewriting rewrite evaluates equals equal gives give yields yield get obtain have find conclude "
    "follows holds true must solution solutions root roots possible either or since because given per sum "
    "product difference quotient total final original resulting new last above previous let here one see "
    "know deduce there exactly only over into out through distributing distribute arithmetic algebra "
    "algebraically linear quadratic polynomial variable constant x-value y-value directly is becomes "
    "lowest simplest form reduces leaves means shows reads boxed completing square squaring cancelling "
    "canceling common zero property product's transitivity chaining consequently i.e respectively where "
    "real integer whole problem states says stated satisfies satisfy unknown's as-is back working "
    "performing operation operations order law rule"
)
"""Words that add nothing to what the formulas of a sentence say."""
ALTERING: Final = words(
    "hundred thousand million billion percent times more less fewer greater larger smaller mod squared cubed "
    "factorial apart higher lower older younger"
)
"""Words after a number that make another one of it."""
MULTIPLIERS: Final = ALTERING | words(
    "dozen dozens score scores pair pairs couple gross hundreds thousands millions billions trillion "
    "percentage"
)
"""Such words, where a unit is expected."""
CHANGING: Final = re.compile(
    r"\b(was|were|ago|later|earlier|from now|"
    r"now|new|remain\w*|left|current\w*|updated|next|after|before|then|its|other|another|rest)\b"
)
"""Words of a phrase that may name something else each time."""
OTHER_ARITHMETIC: Final = re.compile(
    r"\b(?:quaternions?|boolean|(?:in|of|to) base|base[- ](?:\d|two|ten|b\b)|finite fields?|"
    r"(?:work|working|arithmetic|calculate|compute|calculations?|operations?|equations?) "
    r"(?:is |are |all )*modulo)",
    re.IGNORECASE,
)
"""Words of a solution whose numbers may not be written, or not be added, as usual."""
SCALE: Final = re.compile(r"\b(?:maps?|scales?|represents?|corresponds?|models?|drawing)\b", re.IGNORECASE)
"""Words of a step by which an equation between different units is a correspondence, and no equality."""
ROOTS: Final = re.compile(r"(?<!square )(?<!cube )(?<!real )(?<!positive )\broots\b|\bvieta", re.IGNORECASE)
"""Words by which variables may be complex numbers."""
RINGS: Final = re.compile(
    r"\b(?:quaternions?|boolean|modular arithmetic|modulo|in base|finite field|sets? [A-Z]\b)", re.IGNORECASE
)
"""Words of a solution whose variables may be no numbers, or whose equations may hold up to something."""
LINEAR: Final = re.compile(r"\b(?:matri(?:x|ces)|vectors?)", re.IGNORECASE)
"""Words of a solution whose products may depend on their order."""
DIGITS: Final = re.compile(r"\bdigits?\b", re.IGNORECASE)
"""Words of a solution in which letters side by side may be digits of one number."""
COMPLEX: Final = re.compile(r"\b(complex (?:number|plane|root|conjugate)s?|imaginary)\b", re.IGNORECASE)
"""Words of a solution whose variables may be complex numbers."""
UNUSUAL: Final = re.compile(
    rf"{RINGS.pattern}|{LINEAR.pattern}|{DIGITS.pattern}|{COMPLEX.pattern}",
    re.IGNORECASE,
)
"""Words of a solution whose variables may be no real numbers, or whose signs may mean something else."""
IMAGINARY_UNIT: Final = re.compile(
    r"(?<![A-Za-z\\_])i\s*\^\s*\{?2\}?\s*=\s*-\s*1|i\s*=\s*\\sqrt\s*\{?-\s*1"
    r"|\\(?:Re|Im|cis|operatorname\{(?:cis|Re|Im)\}|mathrm\{(?:cis|Re|Im)\})(?![A-Za-z])"
    r"|e\s*\^\s*\{[^{}$]*(?<![A-Za-z\\_])i\s*\\(?:pi|theta)|\\pi\s*i(?![A-Za-z])"
    r"|(?<![A-Za-z\\_])[\da-z]\s*[+-]\s*(?:\d+|[a-z])i(?![A-Za-z\d_^=+])|\\sqrt\s*\{\s*-\s*\d+\s*\}"
)
"""By which `i` in formulas is the imaginary unit: `i^2 = -1`, `\\Re`, `e^{i\\pi}`, `a + bi`, `\\sqrt{-3}`."""
INDEX: Final = re.compile(
    r"_\s*(?:i(?![A-Za-z])|\{[^{}]*(?<![A-Za-z\\])i(?![A-Za-z])[^{}]*\})|(?<![A-Za-z])i(?:\$|\\\))?-?th\b"
    r"|(?<![A-Za-z\\\d])(?<![-+]\s)(?<![-+])i\s*(?:=\s*[\da-z]|<|>|\\[lg]eq?\b|\\in\b|\\neq?\b)"
)
"""By which `i` in formulas is an index, or some other variable."""
SOLVING: Final = re.compile(r"\b(solv\w*|(?<!square )(?<!cube )roots?|zeros?|zeroes|solutions?)\b")
"""Words before a value without a subject: it is that of the unknown."""
ALTERED: Final = re.compile(
    r"\b(doubl\w*|tripl\w*|halv\w*|half|twice|thrice|squar\w*|cub(?:e|es|ed|ing)|"
    r"(?:square|cube) roots?|opposite|reciprocal|invers\w*|revers\w*|negat\w*|differentiat\w*|"
    r"integrat\w*|derivative|average|mean)\b"
)
"""Words before a value without a subject: it is that of something else than what a premise is about."""
OPERATING: Final = re.compile(
    r"\b(add\w*|subtract\w*|multipl\w*|divid\w*|sum|products?|difference|quotient|total|plus|minus|times|more|"
    r"less|substitut\w*|plug\w*|insert\w*|replac\w*|put\w*|set\w*|increas\w*|decreas\w*|rais\w*|remov\w*|remain\w*|number|count)\b"
)
"""Words of an operation: with a formula beside them, something is done to what a premise gives."""
NAMING_OTHERS: Final = re.compile(
    r"\b((?<!lowest )(?<!simplest )(?<!like )(?<!in )terms?|sides?|(?:numbers?|count|sum|product|total) of|"
    r"coefficients?|\w-\w*|(?:first|next|last|previous|zero|constant|linear|quadratic) \w+)"
)
"""Words of a phrase without a formula: it names a part of what was spoken of, or a number of its own."""
PREDICATE: Final = re.compile(r"\b(is|are|was|were|be|equals?|satisf\w*|works?|holds?|has|have)\b")
"""A verb after a formula: something is said of it."""
RESULT: Final = re.compile(r"^is (?:the|our) (?:final |required |desired )?(?:answer|result|solution)$")
"""A predicate that only calls the value the result."""
BECOMING: Final = re.compile(
    r"becomes|simplif(?:ies|y|ying) to|reduces? to|evaluates? to|expands? to|factors? (?:as|to|into)|"
    r"written as|expressed as|turns? into"
)
"""Words between a statement and the one that is made of it."""
KINDS: Final = {
    "sum": words("+"), "total": words("+"), "difference": words("+"), "product": words("*"),
    "quotient": words("/ ratio"), "ratio": words("/ ratio"), "fraction": words("/ ratio"),
}  # fmt: skip
"""Names of values that are worked out in one way, and the operations of which they are values."""
SAME_AS: Final = re.compile(
    r"(?:value|answer|result|simplification|form|evaluation|calculation|computation|solution|expression|quantity)"
    r"s? (?:of|for|to)$"
)
"""A lead after which a formula is what is spoken of: `the value of A is`."""
SOLUTIONS: Final = re.compile(r"\b(solutions?|roots?|zeros|zeroes|values|either|possib\w*|answers)\b")
ABOUT_FORMULAS: Final = words(
    "equation inequality relation identity condition constraint system solution root zero line curve problem"
)
"""A phrase with one of these names a statement, and no quantity that a statement is about."""
