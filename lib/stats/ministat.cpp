#include "stats/ministat.h"

#include "stats/student.h"
#include "stats/summary.h"
#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <string_view>
#include <vector>

namespace gem_upload::stats {
namespace {

constexpr std::string_view symbols = "x+*%#@O";
static_assert(symbols.size() == ministat_most_sets);

struct Vitals {
    double n;
    double min, max, median, mean;
    double variance;
};

/// Summed in the file's order, as ministat does, so that means agree to the last bit.
double plain_mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double upper_median(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
    std::nth_element(copy.begin(), middle, copy.end());
    return *middle;
}

Vitals vitals(const MinistatSet& set) {
    const Summary summary = summarize(set.values);
    if (!summary.stddev) {
        throw usage_error(fmt::format("{} holds a single value, which has no spread", set.name));
    }
    return {static_cast<double>(summary.n),
            summary.min,
            summary.max,
            upper_median(set.values),
            plain_mean(set.values),
            *summary.stddev * *summary.stddev};
}

std::string vitals_row(char symbol, const Vitals& set) {
    return fmt::format("{} {:3.0f} {:13.8g} {:13.8g} {:13.8g} {:13.8g} {:13.8g}\n", symbol, set.n,
                       set.min, set.max, set.median, set.mean, std::sqrt(set.variance));
}

/// The 97.5 % quantile as ministat's table holds it.
double tabled_t(double degrees_of_freedom) {
    if (degrees_of_freedom > 100) {
        return 1.960;
    }
    return std::round(student_quantile(0.975, degrees_of_freedom) * 1000) / 1000;
}

std::string percentage(double difference, double error, double reference_mean) {
    if (reference_mean == 0) {
        return "\tno percentage: the reference's mean is 0\n";
    }
    return fmt::format("\t{:g}% +/- {:g}%\n", difference * 100 / reference_mean,
                       error * 100 / reference_mean);
}

std::string difference_block(const Vitals& set, const Vitals& reference) {
    const double degrees_of_freedom = set.n + reference.n - 2;
    const double pooled_stddev = std::sqrt(
        ((set.n - 1) * set.variance + (reference.n - 1) * reference.variance) / degrees_of_freedom);
    const double difference = set.mean - reference.mean;
    const double error =
        tabled_t(degrees_of_freedom) * pooled_stddev * std::sqrt(1 / set.n + 1 / reference.n);
    if (std::abs(difference) <= error) {
        return "No difference proven at 95.0% confidence\n";
    }
    return fmt::format("Difference at 95.0% confidence\n\t{:g} +/- {:g}\n{}"
                       "\t(Student's t, pooled s = {:g})\n",
                       difference, error, percentage(difference, error, reference.mean),
                       pooled_stddev);
}

} // namespace

std::string ministat_text(std::span<const MinistatSet> sets) {
    if (sets.empty() || sets.size() > ministat_most_sets) {
        throw usage_error(fmt::format("ministat's form holds 1 to {} sets, not {}",
                                      ministat_most_sets, sets.size()));
    }
    std::string text;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        text += fmt::format("{} {}\n", symbols[i], sets[i].name);
    }
    text += "    N           Min           Max        Median           Avg        Stddev\n";
    const Vitals reference = vitals(sets.front());
    text += vitals_row(symbols.front(), reference);
    for (std::size_t i = 1; i < sets.size(); ++i) {
        const Vitals set = vitals(sets[i]);
        text += vitals_row(symbols[i], set) + difference_block(set, reference);
    }
    return text;
}

} // namespace gem_upload::stats
