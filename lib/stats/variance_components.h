// How much of the spread comes from boots, from processes within a boot, and from iterations.
#pragma once

#include <optional>
#include <vector>

namespace gem_upload::stats {

/// The values of iterations, by process, by boot; any number of each.
using NestedValues = std::vector<std::vector<std::vector<double>>>;

struct VarianceComponent {
    std::optional<double> variance = std::nullopt; ///< unit of the values squared; none: not known
    double degrees_of_freedom = 0; ///< of the level's mean square; 0: a single unit in each
    bool cut_at_zero = false;      ///< the estimate was negative
};

struct VarianceComponents {
    VarianceComponent boot;
    VarianceComponent process;
    VarianceComponent iteration;
};

/// The estimators of the nested analysis of variance with unequal numbers (Henderson 1953, method
/// I). A level is not known where it has no degrees of freedom, or where a level below it is not
/// known. Negative estimates are cut at 0 only once all are made: the levels above are reckoned
/// with the estimate as it was. Throws usage_error where there is no boot, a boot has no process, a
/// process has no value, a value is not finite, or values are too large to be squared.
[[nodiscard]] VarianceComponents variance_components(const NestedValues& values);

} // namespace gem_upload::stats
