"""What a judge's answers to the same questions are still worth where a pair is asked evenly over contexts, as `find` asks.

python3 docs/evenly.py prints the table of docs/how-to/cheap-judge.md. One pair, 24 contexts; in each of them people prefer the first item
with a chance of their own, and the judge has one answer. The pair is asked in contexts drawn at random, or evenly (in the one with the
fewest answers, among those in one at random). y - L(z - mean z) takes the place of people's answer y, with the L that is best.
What is printed is the mean squared error of the mean over contexts, as a share of that of as many answers in contexts drawn at random.
"""

import math
import random

CONTEXTS, PAIRS, STUDIES = 24, 60, 200
# How clear people are about a question, and how often the judge says what most of them say.
QUALITIES = [(0.75, 0.5), (0.75, 0.75), (0.9, 0.85), (0.95, 0.95)]


def questions(clear, agrees, chance):
    """People's mean answer (from -1 to 1) and the judge's answer in every context."""
    first = [chance.random() < 0.6 for _ in range(CONTEXTS)]
    people = [(2 * clear - 1) * (1 if one else -1) for one in first]
    judge = [1 if one == (chance.random() < agrees) else -1 for one in first]
    return people, judge


def mean(numbers):
    return sum(numbers) / len(numbers)


def errors(answers, clear, agrees, evenly, chance):
    """Squared errors of the mean, without the judge and with it, and the square of the correlation."""
    plain, controlled, rho2 = [], [], []
    for _ in range(PAIRS):
        people, judge = questions(clear, agrees, chance)
        truth, z = mean(people), mean(judge)
        covariance = mean([p * j for p, j in zip(people, judge, strict=True)]) - truth * z
        of_judge = 1 - z * z
        best = covariance / of_judge if of_judge else 0.0
        rho2.append(best * covariance / (1 - truth * truth))
        for _ in range(STUDIES):
            order = []
            while len(order) < answers:
                order += chance.sample(range(CONTEXTS), CONTEXTS) if evenly else [chance.randrange(CONTEXTS)]
            asked = order[:answers]
            y = mean([1 if chance.random() < (1 + people[c]) / 2 else -1 for c in asked])
            plain.append((y - truth) ** 2)
            controlled.append((y - best * (mean([judge[c] for c in asked]) - z) - truth) ** 2)
    return mean(plain), mean(controlled), mean(rho2)


def main():
    print("| correlation | answers a pair | at random, with the judge | evenly | evenly, with the judge |")
    print("|--:|--:|--:|--:|--:|")
    for clear, agrees in QUALITIES:
        for answers in (6, 12, 24, 60):
            drawn, judged, rho2 = errors(answers, clear, agrees, False, random.Random(1))
            alone, both, _ = errors(answers, clear, agrees, True, random.Random(2))
            cells = [f"{x / drawn:.2f}" for x in (judged, alone, both)]
            print(f"| {math.sqrt(rho2):.2f} | {answers} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
