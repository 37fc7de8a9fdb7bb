"""A program's formulas as sentences, and sentences as formulas of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from potlang.diag import Sink
from potlang.expressions import surface as s
from potlang.expressions.expression import parse_expression
from potlang.expressions.names import name_of, written
from potlang.ir.measures import is_point
from potlang.ir.nodes import Symbol
from potlang.ir.sorts import BOOL
from potlang.sema import IncrementalElaborator
from potlang.sema.emit import sort_text
from potlang.sema.scope import FunctionEntry, TermEntry, VariableEntry
from potlang.words.constructs import SpokenBinder
from potlang.words.parts import (
    NameMeanings,
    Part,
    Unsayable,
    binding,
    excepted,
    implication,
    negation,
    part_of,
)
from potlang.words.phrases import FunctionWords, Lexicon, ProgramVocabulary
from potlang.words.read import SentenceReading, read_sentence
from potlang.words.say import binder_words, clause, phrase, sentence
from potlang.words.table import filled, language
from potlang.words.templates import DescriptionTemplate, templates_of


class Speaker:
    """Says and reads the formulas of one program in one language."""

    def __init__(self, extension: IncrementalElaborator, tree: s.ParsedProgram, name: str = "en") -> None:
        self._tree = tree
        self._scope = extension.scope
        self._sorts = extension.sorts
        self.language = language(name)
        self._names = NameMeanings(
            self._is_formula,
            self._is_declared,
            self._sort_of,
            self._sort_text,
            self._is_variable,
            self._is_date,
        )

    @cached_property
    def lexicons(self) -> tuple[Lexicon, Lexicon]:
        """The words of the program's symbols, and their names alone."""
        words = self._vocabulary()
        return Lexicon(self.language, words), Lexicon(self.language, words, plain=True)

    def say(self, text: str) -> str:
        """A formula, given as an expression, as a sentence. Raises `Unsayable`."""
        return sentence(self._part(text), self.lexicons)

    def clause(self, text: str, env: Mapping[str, str] | None = None) -> str:
        """A formula as words in a sentence; `env` has the sorts of its variables. Raises `Unsayable`."""
        return clause(self._part(text, env), self.lexicons)

    def phrase(self, text: str) -> str:
        """A term as words. Raises `Unsayable`."""
        return phrase(self._part(text), self.lexicons)

    def question(self, text: str, *, is_formula: bool) -> str:
        """The question about a formula or a term, as a clause: "whether …", "what … is". Raises Unsayable."""
        words: Mapping[str, str] = self.language.table["verdicts"]
        if is_formula:
            return filled(words["to ask whether"], {"claim": self.clause(text)})
        return filled(words["to ask what"], {"term": self.phrase(text)})

    def say_fact(self, fact: s.FactDecl) -> str:
        """A fact as a sentence. Raises `Unsayable`."""
        env = {each.name: sort for each in fact.variables if (sort := self._binder_sort(each))}
        part = self._formula(fact.formula, env)
        return sentence(part if fact.value else negation(part), self.lexicons)

    def say_statement(self, statement: s.StatementDecl) -> str:
        """A rule or a verification as a sentence. Raises `Unsayable`."""
        return sentence(self.statement(statement), self.lexicons)

    def say_claim(self, statement: s.StatementDecl, question: str) -> str:
        """A verification as a sentence; one that looks for bindings as a `question`. Raises `Unsayable`."""
        if not statement.find:
            return self.say_statement(statement)
        sought = [SpokenBinder(written(each.name), self._binder_sort(each) or "") for each in statement.find]
        words = clause(self.statement(statement, sought), self.lexicons)
        binders = binder_words("which", sought, self.lexicons[0])
        return question.replace("{binders}", binders).replace("{claim}", words)

    def binders(self, variables: Sequence[tuple[str, str]], style: str = "some") -> str:
        """Variables with their sorts as words."""
        shown = [SpokenBinder(written(name), sort) for name, sort in variables]
        return binder_words(style, shown, self.lexicons[0])

    def statement(self, statement: s.StatementDecl, free: Sequence[SpokenBinder] = ()) -> Part:
        """The parts of a rule or of a verification, in which variables may be `free`. Raises `Unsayable`."""
        binders = [SpokenBinder(each.name, self._binder_sort(each) or "") for each in statement.binders]
        env = {name_of(name): sort for name, sort in (*free, *binders)}
        if not all(env.values()):
            raise Unsayable("a variable has no sort")
        if statement.constraint is not None:
            body = self._formula(statement.constraint, env)
        else:
            body = implication(
                self._formula(statement.antecedent, env), self._formula(statement.consequent, env)
            )
        body = excepted(body, [self._formula(each, env) for each in statement.unless])
        if not binders or statement.quantifier is None:
            return body
        shown = [SpokenBinder(written(binder.name), binder.sort) for binder in binders]
        return binding(statement.quantifier, shown, body)

    def read(self, text: str, *, plain: bool = False) -> SentenceReading:
        """The formula that a sentence says; `plain`: in which symbols are said by their names alone."""
        return read_sentence(text, self.lexicons[plain])

    # --- formulas --------------------------------------------------------------------------------

    def _part(self, text: str, env: Mapping[str, str] | None = None) -> Part:
        root = parse_expression(text, "", Sink())
        if root is None:
            raise Unsayable("it is no expression")
        return part_of(root, self._names, env)

    def _formula(self, formula: s.Formula | None, env: dict[str, str]) -> Part:
        root = None if formula is None else formula.root
        if root is None:
            raise Unsayable("it is no expression")
        return part_of(root, self._names, env)

    def _binder_sort(self, binder: s.BinderDecl) -> str | None:
        return self._sort_of(binder.name) if binder.sort is None else self._sort_text(binder.sort)

    # --- names -----------------------------------------------------------------------------------

    def _is_formula(self, name: str) -> bool | None:
        match self._scope.entries.get(name):
            case FunctionEntry(symbol=Symbol(range=range_)):
                return range_ is BOOL
        return None

    def _is_variable(self, name: str) -> bool:
        entry = self._scope.entries.get(name)
        return isinstance(entry, VariableEntry) and entry.sort is not BOOL

    def _is_date(self, name: str) -> bool:
        match self._scope.entries.get(name):
            case FunctionEntry(symbol=Symbol(range=range_)):
                return is_point(range_)
            case TermEntry(node=node) if node is not None:
                return is_point(node.sort)
            case VariableEntry(sort=sort):
                return is_point(sort)
        return False

    def _is_declared(self, name: str) -> bool:
        return name in self._scope.entries

    def _sort_of(self, name: str) -> str | None:
        match self._scope.entries.get(name):
            case VariableEntry(sort=sort) if sort is not None:
                return sort_text(sort)
            case TermEntry(node=node) if node is not None:
                return sort_text(node.sort)
        return None

    def _sort_text(self, expr: s.SortExpr) -> str | None:
        sort = self._sorts.resolve(expr)
        return None if sort is None else sort_text(sort)

    # --- symbols ---------------------------------------------------------------------------------

    def _vocabulary(self) -> ProgramVocabulary:
        templates = templates_of(self._tree)
        functions: list[FunctionWords] = []
        names: dict[str, DescriptionTemplate | None] = {}
        for name, entry in self._scope.entries.items():
            template = templates.functions.get(name)
            match entry:
                case FunctionEntry(symbol=Symbol(domain=domain, range=range_)) if domain:
                    form = FunctionWords(name, len(domain), range_ is BOOL, template, is_point(range_))
                    functions.append(form)
                case _:
                    names[name] = template
        sorts: dict[str, DescriptionTemplate | None] = dict.fromkeys(self.language.sorts)
        for sort in self._sorts.order:
            sorts[sort_text(sort)] = templates.sorts.get(sort.name)
        return ProgramVocabulary(tuple(functions), names, sorts)
