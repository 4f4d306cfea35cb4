// What sets of values must be to be reckoned with.
#pragma once

#include <span>
#include <vector>

namespace gem_upload::stats {

/// Throws usage_error where there is no value or one is not finite, naming it.
void require_finite(std::span<const double> values);

/// Throws usage_error where a value is not above 0, naming it.
void require_positive(std::span<const double> values);

/// Throws usage_error unless it is between 0 and 1.
void require_confidence(double confidence);

/// Natural logarithms. Throws usage_error as require_positive() does.
[[nodiscard]] std::vector<double> logs(std::span<const double> values);

} // namespace gem_upload::stats
