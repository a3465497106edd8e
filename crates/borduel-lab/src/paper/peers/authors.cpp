// The policies of duelingbanditlib, written by RMED's authors, on the six rankers, shuffled, over so many rounds:
// name; label; rounds per CPU second; mean regret; its standard error. Built with the folder of that library on the search path.
#include "policy/policy_rmed.hpp"
#include "policy/policy_rucb_icml.hpp"
#include <cstdio>
#include <cstdlib>

const unsigned RUNS = 10, ITEMS = 6;
const double UPPER[15] = {.55, .55, .54, .61, .61, .55, .55, .58, .60, .54, .51, .56, .54, .50, .51};

int main(int, char **arguments) {
    const unsigned rounds = std::atoi(arguments[1]);
    double matrix[ITEMS][ITEMS];
    for (unsigned i = 0, place = 0; i < ITEMS; ++i) {
        matrix[i][i] = .5;
        for (unsigned j = i + 1; j < ITEMS; ++j, ++place) {
            matrix[i][j] = UPPER[place];
            matrix[j][i] = 1 - UPPER[place];
        }
    }
    const char *names[4] = {"RUCBPolicy", "RMEDPolicy, mode 1", "RMEDPolicy, mode 2", "RMEDPolicy, mode 3"};
    const char *labels[4] = {"RUCB", "RMED", "RMED, variant = rmed2", "RMED, variant = rmed2fh"};
    for (unsigned which = 0; which < 4; ++which) {
        std::mt19937 answers(which);
        bandit::randomEngine = std::mt19937(100 + which);
        double sum = 0, squares = 0;
        const std::clock_t start = std::clock();
        for (unsigned run = 0; run < RUNS; ++run) {
            std::vector<unsigned> order = {0, 1, 2, 3, 4, 5};
            std::shuffle(order.begin(), order.end(), answers);
            bandit::PolicyPtr policy;
            if (which == 0) {
                policy.reset(new bandit::RUCBPolicy(ITEMS, rounds));
            } else {
                policy.reset(new bandit::RMEDPolicy(ITEMS, rounds, which));
            }
            double regret = 0;
            for (unsigned t = 1; t <= rounds; ++t) {
                const std::pair<unsigned, unsigned> pair = policy->selectNextPair(t);
                const unsigned i = order[pair.first], j = order[pair.second];
                const bool won = std::uniform_real_distribution<double>(0, 1)(answers) < matrix[i][j];
                policy->updateState(pair, won, t);
                // The first row is the winner's.
                regret += (matrix[0][i] + matrix[0][j] - 1) / 2;
            }
            sum += regret;
            squares += regret * regret;
        }
        const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC, mean = sum / RUNS;
        const double error = std::sqrt((squares / RUNS - mean * mean) / (RUNS - 1));
        std::printf("%s;%s;%f;%f;%f\n", names[which], labels[which], RUNS * double(rounds) / seconds, mean, error);
    }
}
