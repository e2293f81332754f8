"""What a text calls entities and data sets: the noun of the user's column, such as test and study."""

import re
from collections.abc import Callable, Iterable

#: Headings of columns that also name what is ranked, and what it is measured on.
NOUNS = ("algorithm", "classifier", "detector", "method", "model", "system", "team", "test")
NOUNS_OF_DATASETS = ("benchmark", "domain", "hospital", "site", "study", "task", "trial")
#: The general nouns, with their article, but not in the names of arguments and options such as ``entity=``.
GENERAL = re.compile(r"(?<![\w=.'\"-])(?:(an?) )?(entity|entities|data sets?)(?![\w=])", re.IGNORECASE)
#: Parts of a page whose text belongs to no sentence: tags but their labels, scripts, and the cells of tables.
MARKUP = re.compile(r"(<script.*?</script>|<style.*?</style>|<td.*?</td>|<[^>]*>)", re.DOTALL)

LABEL = re.compile(r'(?<= aria-label=")[^"]*')


def renaming(nouns: tuple[str, str], names: Iterable[object]) -> Callable[[str], str]:
    """Return a function that puts the nouns for entity and data set into a sentence.

    Sentences stay as they are if a name in them holds a general noun, since names must not change.

    Examples
    --------
    >>> renaming(("test", "study"), ["CT"])("An entity has 2 data sets; Entities of a data set.")
    'A test has 2 studies; Tests of a study.'
    """
    if any(GENERAL.search(str(name)) for name in names):
        return str
    entity, dataset = nouns

    def replace(found: re.Match[str]) -> str:
        article, general = found.groups()
        noun = entity if general.lower().startswith("entit") else dataset
        if general.lower() in ("entities", "data sets"):
            noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
        if article:
            fitting = "an" if noun[0] in "aeiou" else "a"
            return f"{fitting.capitalize() if article[0].isupper() else fitting} {noun}"
        return noun.capitalize() if general[0].isupper() else noun

    return lambda text: GENERAL.sub(replace, text)


def rename_in_page(html: str, rename: Callable[[str], str]) -> str:
    """Return a part of a page with other nouns in its sentences, headings and captions."""
    renamed = "".join(part if MARKUP.fullmatch(part) else rename(part) for part in MARKUP.split(html))
    return LABEL.sub(lambda found: rename(found[0]), renamed)
