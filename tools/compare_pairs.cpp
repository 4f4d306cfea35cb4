#include "compare_pairs.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gem_upload::tools {
namespace {

using stats::Estimate;
using stats::Interval;
using stats::IntervalStatus;

PairResult evaluate_pair(const Comparison& comparison, std::size_t reference, std::size_t other) {
    const Series& a = comparison.series[reference];
    const Series& b = comparison.series[other];
    std::vector<double> paired_a;
    std::vector<double> paired_b;
    for (std::size_t i = 0; comparison.paired && i < a.rounds.size(); ++i) {
        const auto same = std::lower_bound(b.rounds.begin(), b.rounds.end(), a.rounds[i]);
        if (same != b.rounds.end() && *same == a.rounds[i]) {
            paired_a.push_back(a.values[i]);
            paired_b.push_back(b.values[static_cast<std::size_t>(same - b.rounds.begin())]);
        }
    }
    if (paired_a.empty()) {
        return {reference, other, false, std::min(a.values.size(), b.values.size()),
                stats::welch_log_ratio(a.values, b.values)};
    }
    return {reference, other, true, paired_a.size(), stats::paired_log_ratio(paired_a, paired_b)};
}

/// How `mine` does against `theirs`, whichever way round the pair was evaluated.
Estimate advantage(const ComparisonResult& result, std::size_t mine, std::size_t theirs) {
    const PairResult& pair =
        *std::find_if(result.pairs.begin(), result.pairs.end(), [&](const PairResult& candidate) {
            return candidate.reference == std::min(mine, theirs) &&
                   candidate.other == std::max(mine, theirs);
        });
    Estimate estimate = pair.log_ratio;
    if (mine < theirs) {
        estimate.value = -estimate.value;
        if (estimate.interval) {
            estimate.interval = Interval{-estimate.interval->high, -estimate.interval->low};
        }
    }
    return estimate;
}

/// The set that does best against the one nearest to it, and that one.
struct Winner {
    std::size_t first = 0;
    std::size_t next = 0;
};

Winner find_winner(const ComparisonResult& result) {
    Winner best;
    double best_lead = -HUGE_VAL;
    for (std::size_t mine = 0; mine < result.series.size(); ++mine) {
        std::size_t nearest = mine;
        double lead = HUGE_VAL;
        for (std::size_t theirs = 0; theirs < result.series.size(); ++theirs) {
            const double value = theirs == mine ? HUGE_VAL : advantage(result, mine, theirs).value;
            if (value < lead) {
                lead = value;
                nearest = theirs;
            }
        }
        if (lead > best_lead) {
            best_lead = lead;
            best = {mine, nearest};
        }
    }
    return best;
}

std::string interval_text(const Interval& interval) {
    return fmt::format("95 % interval {} to {} %", percent_text(interval.low),
                       percent_text(interval.high));
}

std::string why_no_interval(const Estimate& estimate) {
    return estimate.status == IntervalStatus::too_few_values
               ? "no interval exists with so few values: take at least 2 rounds, better 6 or more"
               : "the values do not vary at all, so no interval can be made";
}

bool is_proven(const Estimate& estimate) {
    return estimate.interval && estimate.interval->excludes(0);
}

/// "15.7 % faster", "3.1 % slower": as the change of a rate.
std::string change_text(double log_ratio) {
    const double percent = stats::percent_change(log_ratio);
    return fmt::format("{} % {}", percent_text(std::abs(percent)),
                       percent < 0 ? "slower" : "faster");
}

std::string change_and_interval(const Estimate& estimate) {
    if (estimate.value >= 0) {
        return fmt::format("{} ({})", change_text(estimate.value),
                           interval_text(stats::percent_change(*estimate.interval)));
    }
    const Interval change = stats::percent_change(*estimate.interval);
    return fmt::format("{} ({})", change_text(estimate.value),
                       interval_text({-change.high, -change.low}));
}

std::string two_set_conclusion(const Comparison& comparison, const ComparisonResult& result) {
    const Estimate& estimate = result.pairs.front().log_ratio;
    const std::string& reference = comparison.series[0].name;
    const std::string& other = comparison.series[1].name;
    if (is_proven(estimate)) {
        const std::string change = change_and_interval(estimate);
        return fmt::format("{} is {} than {}{}.", other, change.substr(0, change.find(" (")),
                           reference, change.substr(change.find(" (")));
    }
    const std::string measured = fmt::format("Not proven: {} measured {} than {}, but ", other,
                                             change_text(estimate.value), reference);
    if (!estimate.interval) {
        return measured + why_no_interval(estimate) + ".";
    }
    return measured + fmt::format("the {} includes no change.",
                                  interval_text(stats::percent_change(*estimate.interval)));
}

std::string several_set_conclusion(const Comparison& comparison, const ComparisonResult& result) {
    const Winner winner = find_winner(result);
    const std::string& first = comparison.series[winner.first].name;
    std::vector<std::string> unproven;
    for (std::size_t i = 0; i < comparison.series.size(); ++i) {
        if (i != winner.first && !is_proven(advantage(result, winner.first, i))) {
            unproven.push_back(comparison.series[i].name);
        }
    }
    const Estimate lead = advantage(result, winner.first, winner.next);
    const std::string& next = comparison.series[winner.next].name;
    if (unproven.empty()) {
        return fmt::format("{} is the fastest: {} than {}, the next ({}).", first,
                           change_text(lead.value), next,
                           interval_text(stats::percent_change(*lead.interval)));
    }
    const bool only_next = unproven == std::vector{next};
    return fmt::format(
        "Not proven which is the fastest: {} measured {} than {}, the next ({}), "
        "but {}.",
        first, change_text(lead.value), next,
        lead.interval ? interval_text(stats::percent_change(*lead.interval))
                      : why_no_interval(lead),
        only_next ? "that is not proven"
                  : fmt::format("is not proven faster than {}", fmt::join(unproven, ", ")));
}

} // namespace

std::string percent_text(double percent) {
    const double size = std::abs(percent);
    if (size >= 1e6) {
        return fmt::format("{:.2g}", percent);
    }
    if (size < 0.005) {
        return "0.00"; // without a sign
    }
    return fmt::format("{:.{}f}", percent, size < 9.95 ? 2 : 1);
}

ComparisonResult evaluate(const Comparison& comparison) {
    ComparisonResult result;
    for (const Series& series : comparison.series) {
        result.series.push_back(
            {stats::summarize(series.values), stats::mean_interval(series.values)});
    }
    for (std::size_t reference = 0; reference < comparison.series.size(); ++reference) {
        for (std::size_t other = reference + 1; other < comparison.series.size(); ++other) {
            result.pairs.push_back(evaluate_pair(comparison, reference, other));
        }
    }
    return result;
}

std::string conclusion(const Comparison& comparison, const ComparisonResult& result) {
    switch (comparison.series.size()) {
    case 1:
        return fmt::format("{} is the only set: there is nothing to compare it with.",
                           comparison.series.front().name);
    case 2:
        return two_set_conclusion(comparison, result);
    default:
        return several_set_conclusion(comparison, result);
    }
}

std::vector<std::string> caveats(const Comparison& comparison, const ComparisonResult& result) {
    std::vector<std::string> sentences;
    for (std::size_t i = 0; i < result.series.size(); ++i) {
        const std::string& name = comparison.series[i].name;
        if (result.series[i].mean.status == IntervalStatus::too_few_values) {
            sentences.push_back(
                fmt::format("{} holds one value: no interval exists for it.", name));
        } else if (result.series[i].mean.status == IntervalStatus::constant_values) {
            sentences.push_back(fmt::format("The values of {} are all equal: their spread is below "
                                            "what was written down, so its mean has no interval.",
                                            name));
        }
    }
    const auto from_model = [](const Series& series) { return series.model; };
    if (std::any_of(comparison.series.begin(), comparison.series.end(), from_model)) {
        sentences.emplace_back("Results marked 'model' were measured on the software GPU: they "
                               "measure the harness and this machine's memory, and no GPU.");
        if (!std::all_of(comparison.series.begin(), comparison.series.end(), from_model)) {
            sentences.emplace_back("Some results are the model's and some are not: their "
                                   "difference says nothing about either.");
        }
    }
    if (!comparison.mismatches.empty()) {
        sentences.push_back(fmt::format(
            "Forced: the sets were measured under different conditions ({}), so their difference "
            "says nothing about any other cause.",
            fmt::join(comparison.mismatches, "; ")));
    }
    return sentences;
}

} // namespace gem_upload::tools
