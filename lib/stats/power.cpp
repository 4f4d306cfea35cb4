#include "stats/power.h"

#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/toms748_solve.hpp>

namespace gem_upload::stats {
namespace {

void require_fraction(double value, const char* what) {
    if (!(value > 0 && value < 1)) {
        throw usage_error(fmt::format("a {} of {} is not between 0 and 1", what, value));
    }
}

void require_design(double n, double spread) {
    if (!(n >= 2 && std::isfinite(n))) {
        throw usage_error(fmt::format("a spread cannot be known of {} runs", n));
    }
    if (!(spread > 0 && std::isfinite(spread))) {
        throw usage_error(fmt::format("a spread of {} is not above 0", spread));
    }
}

double degrees_of_freedom(Design design, double n) {
    return design == Design::pairs ? n - 1 : 2 * (n - 1);
}

double standard_error(Design design, double n, double spread) {
    return spread * std::sqrt((design == Design::pairs ? 1 : 2) / n);
}

/// By the size of the change in standard errors, at least 0.
double power_at(double noncentrality, double degrees, double size) {
    if (noncentrality == 0) {
        return size;
    }
    const double critical =
        -student_quantile(size / 2, degrees); // small sizes vanish from 1 - size
    // The series takes about as many steps as the noncentrality, and fails at 65536. So far out
    // only the spread's part of t matters: the change is missed where the spread is seen that much
    // larger.
    constexpr double far = 3e4;
    if (noncentrality > far) {
        const double spreads = noncentrality / critical;
        return boost::math::gamma_p(degrees / 2, std::min(degrees / 2 * spreads * spreads,
                                                          std::numeric_limits<double>::max()));
    }
    const boost::math::non_central_t shifted(degrees, noncentrality);
    // The tails are good to rounding of 1; no power is below the size.
    return std::max(size, cdf(complement(shifted, critical)) + cdf(shifted, -critical));
}

/// The change in standard errors that is found with this power.
double noncentrality_for(double power, double degrees, double size) {
    require_fraction(power, "power");
    require_fraction(size, "size");
    if (power <= size) {
        throw usage_error(fmt::format("a power of {} is had without any change", power));
    }
    double high = 1;
    while (power_at(high, degrees, size) < power) {
        high *= 2;
    }
    std::uintmax_t steps = 200;
    const auto [below, above] = boost::math::tools::toms748_solve(
        [&](double at) { return power_at(at, degrees, size) - power; }, high == 1 ? 0.0 : high / 2,
        high, boost::math::tools::eps_tolerance<double>(52), steps);
    return (below + above) / 2;
}

double half_width(double spread, double n, double degrees) {
    return student_quantile((1 + default_confidence) / 2, degrees) * spread / std::sqrt(n);
}

/// The fewest runs that are enough, where more than enough are enough, too.
template <typename Enough>
std::uint64_t fewest_runs(const Enough& enough) {
    constexpr std::uint64_t least = 2;
    std::uint64_t high = least;
    while (high < most_runs_needed && !enough(high)) {
        high *= 2;
    }
    std::uint64_t low = std::max(least, high / 2);
    high = std::min(high, most_runs_needed);
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (enough(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

} // namespace

double power_of_t_test(Design design, double n, double change, double spread, double size) {
    require_design(n, spread);
    require_fraction(size, "size");
    if (!std::isfinite(change)) {
        throw usage_error(fmt::format("a change of {} is no number", change));
    }
    return power_at(std::abs(change) / standard_error(design, n, spread),
                    degrees_of_freedom(design, n), size);
}

double smallest_detectable(Design design, double n, double spread, double power, double size) {
    require_design(n, spread);
    return standard_error(design, n, spread) *
           noncentrality_for(power, degrees_of_freedom(design, n), size);
}

std::optional<double> smallest_detectable(const Estimate& estimate, double power, double size) {
    switch (estimate.status) {
    case IntervalStatus::too_few_values:
        return std::nullopt;
    case IntervalStatus::constant_values:
        return 0;
    case IntervalStatus::exists:
        break;
    }
    return estimate.standard_error * noncentrality_for(power, estimate.degrees_of_freedom, size);
}

std::optional<std::uint64_t> runs_needed(const Estimate& estimate, std::uint64_t runs,
                                         double margin) {
    if (!(margin > 0 && std::isfinite(margin)) || runs == 0) {
        throw usage_error(
            fmt::format("runs needed are asked for with a margin of {} and {} runs", margin, runs));
    }
    constexpr std::uint64_t least = 2;
    if (estimate.status != IntervalStatus::exists) {
        return estimate.status == IntervalStatus::constant_values ? std::optional(least)
                                                                  : std::nullopt;
    }
    const double now = static_cast<double>(runs);
    const double spread = estimate.standard_error * std::sqrt(now);
    const auto enough = [&](std::uint64_t count) {
        const double n = static_cast<double>(count);
        // Degrees of freedom grow as the runs do, of pairs and of two sides alike.
        const double degrees = estimate.degrees_of_freedom * (n - 1) / std::max(1.0, now - 1);
        return half_width(spread, n, degrees) <= margin / 2;
    };
    return fewest_runs(enough);
}

std::uint64_t runs_to_detect(Design design, double spread, double change, double power,
                             double size) {
    if (!(std::abs(change) > 0)) { // a change of 0 is found by no number of runs
        throw usage_error(fmt::format("a change of {} cannot be found", change));
    }
    require_fraction(power, "power");
    return fewest_runs([&](std::uint64_t count) {
        return power_of_t_test(design, static_cast<double>(count), change, spread, size) >= power;
    });
}

} // namespace gem_upload::stats
