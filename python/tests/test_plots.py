"""Pictures in matplotlib."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

from pathlib import Path

import matplotlib.pyplot as plt

import borduel as bd


def test_plots(votes: Path) -> None:
    ranking = bd.rank(votes)
    ax = ranking.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == [item.item for item in ranking]
    results = bd.simulate(["uniform", "dexp3"], bd.Environment.hard(2), horizon=300, runs=3)
    for band in ("sd", "quantiles"):
        ax = results.plot(band=band, log=True)
        assert [line.get_label() for line in ax.get_lines()] == ["Uniform", "DEXP3"]
    own = plt.subplots()[1]
    assert bd.design(["a", "b", "c"], 30).plot(own) is own
    assert own.get_lines()
    # Names that look like formulas are drawn as they are.
    bd.rank([("$x^", "\\frac")] * 2).plot().figure.canvas.draw()
    plt.close("all")
