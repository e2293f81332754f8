"""The hook that Inspect loads: at the end of an eval set, it writes ranking and report beside the logs.

Inspect finds it by the entry point ``bayesrank`` of the group ``inspect_ai``.
``BAYESRANK_INSPECT=off`` disables it.
"""

import os
from logging import getLogger
from urllib.parse import unquote, urlsplit

from inspect_ai.hooks import EvalSetEnd, Hooks, hooks

logger = getLogger(__name__)


@hooks(name="ranking", description="Credible ranking of the models, beside the logs of an eval set")
class RankingHook(Hooks):
    """Rank the models of an eval set, and write ``ranking.json`` and ``ranking.html`` into the folder of its logs."""

    def enabled(self) -> bool:
        return os.environ.get("BAYESRANK_INSPECT", "").lower() != "off"

    async def on_eval_set_end(self, data: EvalSetEnd) -> None:
        # What the analysis needs loads when there is something to rank.
        from bayesrank._core.errors import ArgumentError
        from bayesrank.integrations.inspect import write_ranking

        parts = urlsplit(data.log_dir)
        folder = unquote(parts.path) if parts.scheme == "file" else data.log_dir
        try:
            write_ranking(folder)
        except ArgumentError as error:
            advice = (
                f"bayesrank.integrations.inspect.write_ranking({folder!r}, ...) takes these choices"
            )
            logger.warning("bayesrank wrote no ranking: %s. %s.", error, advice)
