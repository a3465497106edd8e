"""Pictures in matplotlib: forest plots, regret over time, precision against budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from borduel._given import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from borduel._found import ItemScore, Verdict


def _axes(ax: Axes | None, height: float) -> Axes:
    if ax is not None:
        return ax
    plt = needed("matplotlib.pyplot", "plot()", "borduel[plot]")
    axes: Axes = plt.subplots(figsize=(7, height), layout="constrained")[1]
    return axes


def _literal(text: str) -> str:
    """Give a name as it is: matplotlib takes what stands between dollars for a formula."""
    return text.replace("$", r"\$")


def forest(items: Sequence[ItemScore], verdict: Verdict, ax: Axes | None) -> Axes:
    """Draw scores with intervals, best on top; filled marks may be best."""
    ax = _axes(ax, 1.2 + 0.28 * len(items))
    winners = set(verdict.winners)
    for place, item in enumerate(items):
        low, high, middle = (100 * x for x in (item.borda.low, item.borda.high, item.borda.estimate or float("nan")))
        ax.plot([low, high], [place, place], color="0.35", linewidth=1.5, zorder=1)
        face = "C0" if item.item in winners else "white"
        ax.scatter([middle], [place], s=36, facecolor=face, edgecolor="C0", zorder=2)
    ax.set_yticks(range(len(items)), [_literal(item.name or item.item) for item in items])
    ax.invert_yaxis()
    ax.axvline(50, color="0.85", zorder=0)
    ax.set_xlabel("chance to beat a random other item, %")
    ax.set_title(_literal(verdict.text), loc="left", fontsize="medium", wrap=True)
    return ax


def regret(results: Sequence[dict[str, Any]], ax: Axes | None, log: bool, band: Literal["sd", "quantiles"]) -> Axes:
    """Draw mean regret over time of one instance, with a band over replications."""
    ax = _axes(ax, 4.5)
    for result in results:
        curve: dict[str, Any] = result["curve"]
        rounds, mean = curve["round"], curve["mean"]
        (line,) = ax.plot(rounds, mean, label=_literal(result["label"]))
        if band == "quantiles":
            low, high = curve["q10"], curve["q90"]
        else:
            low = [m - s for m, s in zip(mean, curve["sd"], strict=True)]
            high = [m + s for m, s in zip(mean, curve["sd"], strict=True)]
        ax.fill_between(rounds, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
        ax.set_title(_literal(result["environment"]), loc="left", fontsize="medium")
    if log:
        ax.set_xscale("log")
        ax.set_yscale("log")
    ax.set_xlabel("round")
    ax.set_ylabel("regret")
    ax.legend(frameon=False)
    return ax


def precision(curve: Sequence[Mapping[str, Any]], ax: Axes | None) -> Axes:
    """Draw predicted half-widths against the number of questions."""
    ax = _axes(ax, 4)
    for key, label in (("worst", "widest"), ("mean", "on average"), ("difference", "differences")):
        points = [(point["asked"] or 0, 100 * x) for point in curve if (x := point[key]) is not None]
        if points:
            ax.plot([asked for asked, _ in points], [width for _, width in points], label=label)
    ax.set_xlabel("questions")
    ax.set_ylabel("± points")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return ax
