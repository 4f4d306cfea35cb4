#include "stats/variance_components.h"

#include "stats/values.h"
#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gem_upload::stats {
namespace {

/// The analysis of variance of one level.
struct NestedLevel {
    double squares = 0;
    double degrees_of_freedom = 0;
};

struct NestedSums {
    NestedLevel boot;
    NestedLevel process;
    NestedLevel iteration;
    double values = 0;
    double process_squares_by_boot = 0; ///< sum over processes of n_ij^2 / n_i
    double process_squares = 0;         ///< sum over processes of n_ij^2
    double boot_squares = 0;            ///< sum over boots of n_i^2
};

/// Of values less `origin`, so that the sums lose nothing where a mean dwarfs the spread.
double nested_mean(const std::vector<double>& values, double origin) {
    double sum = 0;
    for (const double value : values) {
        sum += value - origin;
    }
    return sum / static_cast<double>(values.size());
}

double nested_square(double value) {
    return value * value;
}

void require_nested(const NestedValues& values) {
    if (values.empty()) {
        throw usage_error("there are no boots to find the spread of");
    }
    for (const auto& boot : values) {
        if (boot.empty()) {
            throw usage_error("a boot has no process");
        }
        for (const auto& process : boot) {
            require_finite(process);
        }
    }
}

struct NestedBoot {
    double n = 0;
    double mean = 0;
};

/// Adds the processes of a boot, and their iterations.
NestedBoot add_nested_boot(const std::vector<std::vector<double>>& boot, double origin,
                           NestedSums& sums) {
    NestedBoot whole;
    std::vector<double> means;
    for (const auto& process : boot) {
        const double n = static_cast<double>(process.size());
        const double mean = nested_mean(process, origin);
        for (const double value : process) {
            sums.iteration.squares += nested_square(value - origin - mean);
        }
        sums.iteration.degrees_of_freedom += n - 1;
        sums.process_squares += n * n;
        whole.n += n;
        whole.mean += n * mean;
        means.push_back(mean);
    }
    whole.mean /= whole.n;
    for (std::size_t i = 0; i < boot.size(); ++i) {
        const double n = static_cast<double>(boot[i].size());
        sums.process.squares += n * nested_square(means[i] - whole.mean);
        sums.process_squares_by_boot += n * n / whole.n;
    }
    sums.process.degrees_of_freedom += static_cast<double>(boot.size() - 1);
    sums.boot_squares += whole.n * whole.n;
    sums.values += whole.n;
    return whole;
}

NestedSums nested_sums(const NestedValues& values) {
    const double origin = values.front().front().front();
    NestedSums sums;
    std::vector<NestedBoot> boots;
    double mean = 0;
    for (const auto& boot : values) {
        boots.push_back(add_nested_boot(boot, origin, sums));
        mean += boots.back().n * boots.back().mean;
    }
    mean /= sums.values;
    for (const NestedBoot& boot : boots) {
        sums.boot.squares += boot.n * nested_square(boot.mean - mean);
    }
    sums.boot.degrees_of_freedom = static_cast<double>(values.size() - 1);
    if (!std::isfinite(sums.boot.squares + sums.process.squares + sums.iteration.squares)) {
        throw usage_error("the values are too large to find their spread's sources");
    }
    return sums;
}

VarianceComponent nested_component(const NestedLevel& level, std::optional<double> estimate) {
    VarianceComponent component{.degrees_of_freedom = level.degrees_of_freedom};
    if (estimate) {
        component.variance = std::max(0.0, *estimate);
        component.cut_at_zero = *estimate < 0;
    }
    return component;
}

} // namespace

VarianceComponents variance_components(const NestedValues& values) {
    require_nested(values);
    const NestedSums sums = nested_sums(values);
    std::optional<double> iteration;
    std::optional<double> process;
    std::optional<double> boot;
    if (const double df = sums.iteration.degrees_of_freedom; df > 0) {
        iteration = sums.iteration.squares / df;
    }
    if (const double df = sums.process.degrees_of_freedom; df > 0 && iteration) {
        process =
            (sums.process.squares - df * *iteration) / (sums.values - sums.process_squares_by_boot);
    }
    if (const double df = sums.boot.degrees_of_freedom; df > 0 && process) {
        const double processes = sums.process_squares_by_boot - sums.process_squares / sums.values;
        boot = (sums.boot.squares - processes * *process - df * *iteration) /
               (sums.values - sums.boot_squares / sums.values);
    }
    return {.boot = nested_component(sums.boot, boot),
            .process = nested_component(sums.process, process),
            .iteration = nested_component(sums.iteration, iteration)};
}

} // namespace gem_upload::stats
