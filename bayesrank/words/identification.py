"""Why cases without a gold standard do not identify the parameters, and what would."""

from bayesrank._core import prose


def why_and_remedy(
    rank: int,
    structural: int,
    parameters: int,
    weak: list[str],
    tests: int,
    populations: int,
    dependence: str,
) -> tuple[str, str]:
    """Return why the cases do not identify the parameters, and a sentence on what would.

    ``rank`` is the number of parameters identified at the posterior draws, and ``structural`` that
    of the design.
    """
    if rank < structural == parameters:
        draws = f"at the posterior draws the cases identify only {rank}"
        why = f"the design identifies all {parameters} parameters, but {draws}"
        return (
            why,
            "More draws help if the chains have not settled; else more cases, or ten verified ones of each class.",
        )
    full = rank == parameters
    why = f"the cases identify {rank} of {parameters} parameters without a gold standard"
    if full:
        why = (
            f"the cases hardly inform {prose.list_names(weak, 3)}, although all parameters "
            "are identified in principle"
        )
    elif dependence != "none":
        return (
            why,
            "Independent tests (dependence='none'), more tests, or verified cases would identify the others.",
        )
    ways = ["more cases"] * full + ["a third test"] * (tests == 2)
    ways.append(
        "a second population of another prevalence"
        if populations == 1
        else "populations that differ more"
    )
    first, last = ", ".join(ways), "ten verified cases of each class"
    return (
        why,
        f"{first[:1].upper()}{first[1:]}, or {last} would {'help' if full else 'identify the others'}.",
    )
