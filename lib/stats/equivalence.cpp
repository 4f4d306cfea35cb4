#include "stats/equivalence.h"

#include "stats/values.h"
#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gem_upload::stats {
namespace {

void require_margin(double margin) {
    if (!(margin > 0 && std::isfinite(margin))) {
        throw usage_error(fmt::format("a margin of {} is not above 0", margin));
    }
}

/// The probability that an estimate is at most this one where the truth is `truth`.
double one_sided_p(const Estimate& estimate, double truth) {
    switch (estimate.status) {
    case IntervalStatus::too_few_values:
        return 0.5; // it may lie on either side
    case IntervalStatus::constant_values:
        return estimate.value <= truth ? 0 : 1;
    case IntervalStatus::exists:
        break;
    }
    return student_distribution((estimate.value - truth) / estimate.standard_error,
                                estimate.degrees_of_freedom);
}

} // namespace

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
    case Verdict::equivalent:
        return "equivalent";
    case Verdict::improved:
        return "improved";
    case Verdict::regressed:
        return "regressed";
    case Verdict::inconclusive:
        break;
    }
    return "inconclusive";
}

double p_value(const Estimate& estimate) {
    if (estimate.status != IntervalStatus::exists) {
        const bool sure = estimate.status == IntervalStatus::constant_values && estimate.value != 0;
        return sure ? 0 : 1;
    }
    return 2 * student_distribution(-std::abs(estimate.value) / estimate.standard_error,
                                    estimate.degrees_of_freedom);
}

std::optional<Interval> interval_at(const Estimate& estimate, double confidence) {
    require_confidence(confidence);
    if (estimate.status == IntervalStatus::too_few_values) {
        return std::nullopt;
    }
    if (estimate.status == IntervalStatus::constant_values) {
        return Interval{estimate.value, estimate.value};
    }
    return student_interval(estimate.value, estimate.standard_error, estimate.degrees_of_freedom,
                            confidence);
}

double non_inferiority_p(const Estimate& estimate, double margin) {
    require_margin(margin);
    Estimate mirrored = estimate; // the upper tail, without what 1 - p loses
    mirrored.value = -estimate.value;
    return one_sided_p(mirrored, margin);
}

double equivalence_p(const Estimate& estimate, double margin) {
    return std::max(non_inferiority_p(estimate, margin), one_sided_p(estimate, margin));
}

double log_margin(double fraction) {
    require_margin(fraction);
    return std::log1p(fraction);
}

Verdict verdict(const Estimate& estimate, double margin) {
    require_margin(margin);
    const std::optional<Interval> narrow = interval_at(estimate, 0.90);
    if (!narrow) {
        return Verdict::inconclusive;
    }
    if (-margin <= narrow->low && narrow->high <= margin) {
        return Verdict::equivalent;
    }
    const Interval wide = *interval_at(estimate, 0.95);
    if (wide.high < 0) {
        return Verdict::regressed;
    }
    return wide.low > 0 ? Verdict::improved : Verdict::inconclusive;
}

} // namespace gem_upload::stats
