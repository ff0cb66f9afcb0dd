"""What people say around their question: why they ask, for whom, what they are busy with.

Arrives: items, of which some are of words that nothing is known of. Leaves: the items without the clauses that only
tell a story, and the texts of these: they are told back, so that nobody thinks that they were understood.

A clause is a story when it ends before the question begins or starts behind its end, has someone who does something
("I am drawing a chart", "olen tekemässä raporttia"), and asks nothing. What it names, the question is about: the offer
in "I'm printing offer X for a meeting" stays, as a topic, unless the question names another. A clause that might narrow
the question ("of the offers we lost") is none: it stays, and the question is declined for its unknown word.
"""

from dataclasses import replace

from cpq_graph.query.language.heads import SUPERLATIVES
from cpq_graph.query.language.items import (
    FamilyRef,
    FeatureRef,
    Identifier,
    Item,
    Number,
    PartyRef,
    Unknown,
    Word,
)  # fmt: skip
from cpq_graph.query.language.lexicon import Language

# A time is none of them: that of the story need not be that of the question.
_NAMED = {Identifier: "offer", FamilyRef: "family", PartyRef: "party"}
_NOUNS = {"entity.offer", "entity.company", "entity.participant", "entity.user"}
# Where a question begins.
_OPENERS = ("ask", "count", "who", "when", "share", "howmuch", "top")
# What a story may speak of in passing.
_PASSING = frozenset(
    "filler and or of in to from by have cop for all rel as than type value other more same since ask.do belong "
    "best comma dash just contain configured whose".split()
) | {""}
_NARROWING = frozenset("neg only without otherthan atleastone danger before after until between".split())
_BOUNDARY = frozenset({"stop", "comma", "dash"})
_LINKING = frozenset("so joten sillä koska että because but mutta".split())
_ILLATIVE = ("iin", "een", "aan", "ään", "oon", "öön", "uun", "yyn", "hin", "seen")
_PLURAL_GENITIVE = ("jen", "ien", "iden", "itten", "ään")
# What a question asks for or counts, rather than what somebody is busy with.
_ASKED = ("prop.name", "prop.id", "entity.product")
_JOINING = frozenset("because since as while before so that kun jotta koska sillä ennen kuin".split())
_PURPOSE = frozenset({"varten"})
_REQUESTS = frozenset(
    "need needs i'd like want would tarvitsen tarvitsisin tarvitsemme haluaisin haluan haluaisimme pitäisi siihen "
    "tarvittaisiin".split()
)
_SUBJECTS = {
    "en": frozenset(
        "i i'm i've i'd i'll we we're we've we'd we'll he he's she she's they they're you my our someone somebody me "
        "us".split()
    ),
    "fi": frozenset(
        "olen olemme ollaan oltiin "
        "minä mä me mulla minulla meillä hän he ne mun meidän minun minua mua meitä joku pomo pomoni kollega kollegani "
        "asiakas asiakkaani esimies esimieheni johto".split()
    ),
}
_REPORTING = {
    "en": frozenset("asked asks asking wants wanted needs wonders wondering says said claims thinks requested".split()),
    "fi": frozenset(
        "kysyy kysyi kyselee kyseli pyysi pyytää haluaa halusi väittää väitti sanoo sanoi tarvitsee mietti "
        "pohtii".split()
    ),
}
_GREETINGS = frozenset(
    "hi hello hey dear good morning afternoon evening there sorry , . ! - but and so then because since as that "
    "hei moi moikka terve huomenta hyvää päivää iltapäivää iltaa heips no joten ja mutta koska sillä että taas".split()
)
# What tells of something that is so, and what bids to leave something out.
_FINITE = frozenset().union(*_SUBJECTS.values(), *_REPORTING.values()) | frozenset(
    "does do did has have had pitäisi pitää täytyy vaikuttaako muuttuuko".split()
)
_EXCLUDING = frozenset(
    "leave leaving exclude excluding omit skip ignore include including only without except out jätä jättäkää pois "
    "ohita huomioi paitsi ilman vain ones".split()
)
# Finnish verbs say themselves that it is I or we who do it.
_FIRST_PERSON = ("en", "an", "än", "in", "on", "un", "yn", "ön", "mme", "nko", "nkö")


def asides(items: list[Item], language: Language) -> tuple[list[Item], tuple[str, ...]]:
    """The items without stories, and the stories' texts."""
    clauses = _clauses([_as_id(items, k) for k in range(len(items))])
    told = [_is_story(clause, language) for clause in clauses]
    asked = next((k for k, c in enumerate(clauses) if not told[k] and any(map(_opens, c))), len(clauses))
    # Behind the question, what bids to do something further is no story.
    told = [t and (k < asked or _begins_with_subject(clauses[k], language)) for k, t in enumerate(told)]
    first = 0
    for k, clause in enumerate(clauses[:-1]):
        if not (clause[-1].concept == "stop" or clauses[k + 1][0].text.lower() in {"so", "joten"}):
            continue
        sentence = [i for c in clauses[first : k + 1] for i in c]
        if _asks(sentence) or _names(sentence):
            break
        if _is_reason(sentence):
            told[first : k + 1] = [True] * (k + 1 - first)
        first = k + 1
    if not any(told) or all(t or _empty(c) for t, c in zip(told, clauses, strict=True)):
        return items, ()
    told = [t or _resumes(c) for t, c in zip(told, clauses, strict=True)]
    kept = [i for clause, story in zip(clauses, told, strict=True) if not story for i in clause]
    stories = [clause for clause, story in zip(clauses, told, strict=True) if story]
    topics = [i for clause in stories for i in _topic(clause)]
    if {_kind(i) for i in topics} & {_kind(i) for i in kept} - {""}:
        # The story is about one thing, the question about another.
        return items, ()
    texts = tuple(_text([i for i in clause if i not in topics]) for clause in stories)
    return [*topics, *kept], tuple(t for t in texts if t)


def _as_id(items: list[Item], k: int) -> Item:
    """A number right behind "offer" as the id that it is."""
    item, before = items[k], items[k - 1] if k else None
    numbered = isinstance(item.means, Number) and item.means.unit is None and item.text.isdigit() and len(item.text) > 2
    if numbered and before is not None and before.concept == "entity.offer" and not before.text.endswith(("s", "t")):
        return replace(item, means=Identifier(item.text))
    return item


def _topic(clause: list[Item]) -> list[Item]:
    """What a story names, each with the noun in front of it and a colon behind."""
    found: list[Item] = []
    for k, item in enumerate(clause):
        if _kind(item):
            noun = [clause[k - 1]] if k and clause[k - 1].concept in _NOUNS else []
            mark = replace(item, start=item.end, text=":", means=Word("stop"), others=())
            found += [*noun, item, mark]
    return found


def _kind(item: Item) -> str:
    """Of what kind a thing is that a story may name."""
    return _NAMED.get(type(item.means), "")


def _clauses(items: list[Item]) -> list[list[Item]]:
    """The items by clause; a boundary belongs to the clause that it ends."""
    found: list[list[Item]] = [[]]
    for k, item in enumerate(items):
        if _opens(item) and found[-1] and not any(_opens(i) for i in found[-1]) and _reported(found[-1]):
            found.append([])
        if found[-1] and (item.text.lower() in _LINKING or _requests(items, k) or _purpose_ends(found[-1], item)):
            found.append([])
        found[-1].append(item)
        if item.text.lower() in _PURPOSE:
            # "Hyllyjen suunnittelua varten | tarvitsisin …"
            found.append([])
        if item.concept in _BOUNDARY and k + 1 < len(items):
            found.append([])
    return found


def _purpose_ends(clause: list[Item], item: Item) -> bool:
    """Whether a purpose ends where somebody begins: "For the shelf plan | I need", "Palaveriin | tarvitsen"."""
    begins = item.text.lower() in {"i", "we", "i'd", "we'd", "tarvitsen", "tarvitsisin", "tarvitsemme", "haluaisin"}
    return begins and _is_purpose(clause)


def _is_purpose(clause: list[Item]) -> bool:
    """Whether a clause that no mark ends is only what for: "for" and words that nothing is known of."""
    what = [i for i in clause if i.concept != "filler"]
    unknown = [i for i in what if isinstance(i.means, Unknown)]
    if not unknown or clause[-1].concept in _BOUNDARY:
        return False
    english = what[0].concept == "for" and len(unknown) == len(what) - 1
    finnish = len(unknown) == len(what) and all(i.text.lower().endswith(_ILLATIVE) for i in unknown)
    return english or finnish


def _requests(items: list[Item], k: int) -> bool:
    """Whether a request begins at "and": "… and I need", "… ja tarvitsisin"."""
    following = {w for i in items[k + 1 : k + 4] for w in i.text.lower().split()}
    return items[k].concept == "and" and bool(following & _REQUESTS)


def _opens(item: Item) -> bool:
    return item.concept.split(".")[0] in _OPENERS


def _reported(clause: list[Item]) -> bool:
    """Whether a clause tells that somebody asks: "my boss asked | how many"."""
    words = {w for i in clause for w in i.text.lower().split()}
    return bool(words & (_REPORTING["en"] | _REPORTING["fi"]))


def _is_story(clause: list[Item], language: Language) -> bool:
    if not any(isinstance(i.means, Unknown) for i in clause):
        return False
    begun = _begins_with_subject(clause, language) and not any(i.concept in {"ask.do", "count.do"} for i in clause)
    if any(_hard(i, told=begun) for i in clause) or sum(isinstance(i.means, FeatureRef) for i in clause) > 1:
        return False
    sentence = clause[-1].concept == "stop"
    if (
        not sentence
        and not begun
        and any(not isinstance(i.means, Unknown | FeatureRef) and not _passing(i) for i in clause)
    ):
        # Within a sentence, "of the offers we lost" narrows.
        return False
    if _is_purpose(clause):
        return True
    if clause[-1].text.lower() in _PURPOSE and not begun:
        return not any(_kind(i) for i in clause)
    if clause[0].concept in {"of", "among", "for", "in", "with", "have", "rel", "whose"}:
        return False
    words = [w for i in clause for w in i.text.lower().split()]
    subject = bool(set(words) & (_SUBJECTS[language] | _REPORTING[language]))
    if language == "fi":
        unknown = [i.text.lower() for i in clause if isinstance(i.means, Unknown)]
        nouns = _names_asked(clause)
        subject = subject or (any(_in_first_person(w) for w in unknown) and not nouns)
    return subject or begun


def _is_reason(sentence: list[Item]) -> bool:
    """Whether a sentence in front of the question, or what stands before "so", is why it is asked: something that is
    so, and nothing that bids to leave something out."""
    words = {w for i in sentence for w in i.text.lower().split()}
    finite = bool(words & _FINITE) or any(i.concept in {"cop", "have"} for i in sentence)
    return finite and not words & _EXCLUDING and any(isinstance(i.means, Unknown) for i in sentence)


def _asks(clause: list[Item]) -> bool:
    """Whether a clause asks for something, as opposed to wondering about something that nothing is known of."""
    return any(i.concept == "ask.do" or (_opens(i) and clause[-1].text != "?") for i in clause)


def _names(clause: list[Item]) -> bool:
    """Whether a clause names something: a family, a company, a time, a value."""
    return any(not isinstance(i.means, Unknown | FeatureRef | Word) for i in clause)


def _begins_with_subject(clause: list[Item], language: Language) -> bool:
    """Whether the first words, greetings apart, are of someone who does something: "I'm on the phone", "teemme …"."""
    for item in clause:
        for word in item.text.lower().split():
            if word in _GREETINGS or (word in _JOINING and item is clause[0]):
                continue
            if word in _SUBJECTS[language] - {"me", "us"} or (word in _REQUESTS and clause[-1].text == ":"):
                return True
            if language == "fi" and _in_first_person(word):
                nouns = _names_asked(clause)
                return (isinstance(item.means, Unknown) or item.concept == "filler") and not nouns
            return bool({w for i in clause[:4] for w in i.text.lower().split()} & _REPORTING[language])
    return False


def _in_first_person(word: str) -> bool:
    """Whether a Finnish word can be a verb of "I" or "we", and not a genitive of several."""
    return len(word) > 3 and word.endswith(_FIRST_PERSON) and not word.endswith(_PLURAL_GENITIVE)


def _names_asked(clause: list[Item]) -> bool:
    """Whether a clause has what a question asks for; "Mode P luminaires" are only a family."""
    return any(
        i.concept.startswith(_ASKED) and not (k and isinstance(clause[k - 1].means, FamilyRef))
        for k, i in enumerate(clause)
    )


def _passing(item: Item) -> bool:
    return isinstance(item.means, Word) and (item.concept in _PASSING or item.concept.startswith("role."))


def _hard(item: Item, *, told: bool) -> bool:
    """Whether an item is of what can be asked about, or narrows what is asked. `told`: the clause has someone who does
    something in it, so that what it denies or counts is of the story."""
    if told and (isinstance(item.means, tuple(_NAMED)) or item.concept in SUPERLATIVES):
        return False
    if isinstance(item.means, Unknown | FeatureRef) or (told and item.concept in {"neg", "before", "after", "between"}):
        return False
    if told and isinstance(item.means, Number) and item.means.unit is None and not item.text[0].isdigit():
        return False
    if not isinstance(item.means, Word):
        return True
    kind = item.concept.split(".")[0]
    return (
        item.concept in _NARROWING | SUPERLATIVES
        or kind in {*_OPENERS, "cmp", "post", "adj", "agg", "unit", "unitly"} - {"ask"}
        or item.concept == "ask"
    )  # fmt: skip


def _resumes(clause: list[Item]) -> bool:
    """Whether a clause only asks back for what was said before: "What is it?", "Could you tell me?"."""
    if any(i.concept == "who" and " " in i.text for i in clause):
        # "… the names of those": asked for.
        return False
    return any(i.concept in {"ask", "who", "when"} for i in clause) and all(
        i.concept in {"ask", "who", "when", "cop", "filler", "neg", "ask.do"} | _BOUNDARY for i in clause
    )


def _empty(clause: list[Item]) -> bool:
    return all(i.concept in _BOUNDARY | {"filler"} for i in clause)


def _text(clause: list[Item]) -> str:
    while clause and clause[-1].concept in _BOUNDARY:
        clause = clause[:-1]
    return " ".join(i.text for i in clause)
