"""duelpy's algorithms on the six rankers, shuffled, over so many rounds: name; label; rounds per CPU second; mean regret; its standard error."""
import sys
import time

import numpy
from duelpy.algorithms import (
    CopelandConfidenceBound,
    DoubleThompsonSampling,
    RelativeUCB,
    Rmed1,
    WinnerStaysStrongRegret,
    WinnerStaysWeakRegret,
)
from duelpy.feedback import MatrixFeedback

ROUNDS, RUNS = int(sys.argv[1]), 3
UPPER = [[0.55, 0.55, 0.54, 0.61, 0.61], [0.55, 0.55, 0.58, 0.60], [0.54, 0.51, 0.56], [0.54, 0.50], [0.51]]
MATRIX = numpy.full((6, 6), 0.5)
for i, row in enumerate(UPPER):
    for j, p in enumerate(row):
        MATRIX[i, i + 1 + j], MATRIX[i + 1 + j, i] = p, 1 - p


class Counted(MatrixFeedback):
    """Counts duels and sums their regret against the item that beats all others."""

    def __init__(self, matrix, random_state):
        super().__init__(matrix, random_state=random_state)
        lead = [row - 0.5 for row in matrix if (row >= 0.5).all()][0]
        self.lead, self.duels, self.regret = lead, 0, 0.0

    def duel(self, i, j):
        if self.duels < ROUNDS:
            self.regret += (self.lead[i] + self.lead[j]) / 2
        self.duels += 1
        return super().duel(i, j)


for algorithm, label in [
    (RelativeUCB, "RUCB"),
    (DoubleThompsonSampling, "D-TS"),
    (Rmed1, "RMED"),
    (CopelandConfidenceBound, "CCB"),
    (WinnerStaysStrongRegret, "Winner-Stays (strong)"),
    (WinnerStaysWeakRegret, "Winner-Stays (weak)"),
]:
    regrets, duels, start = [], 0, time.process_time()
    for run in range(RUNS):
        order = numpy.random.RandomState(run).permutation(6)
        feedback = Counted(MATRIX[numpy.ix_(order, order)], numpy.random.RandomState(100 + run))
        policy = algorithm(feedback_mechanism=feedback, time_horizon=ROUNDS, random_state=numpy.random.RandomState(run))
        try:
            while feedback.duels < ROUNDS:
                policy.step()
        except Exception as error:
            # A step of several duels that meets the horizon ends so; the class is made anew for every policy.
            if type(error).__name__ != "TimeBudgetExceededException":
                raise
        regrets.append(feedback.regret)
        duels += feedback.duels
    rate = duels / (time.process_time() - start)
    print(algorithm.__name__, label, rate, numpy.mean(regrets), numpy.std(regrets, ddof=1) / RUNS**0.5, sep=";", flush=True)
