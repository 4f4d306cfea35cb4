#include "stats/values.h"

#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gem_upload::stats {

void require_finite(std::span<const double> values) {
    if (values.empty()) {
        throw usage_error("there are no values to summarise");
    }
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [](double value) { return !std::isfinite(value); });
    if (bad != values.end()) {
        throw usage_error(fmt::format("value {} of {} is {}: only finite numbers can be summarised",
                                      bad - values.begin() + 1, values.size(), *bad));
    }
}

void require_positive(std::span<const double> values) {
    const auto bad =
        std::find_if(values.begin(), values.end(), [](double value) { return !(value > 0); });
    if (bad != values.end()) {
        throw usage_error(
            fmt::format("value {} of {} is {}: a ratio can be made of numbers above 0 only",
                        bad - values.begin() + 1, values.size(), *bad));
    }
}

void require_confidence(double confidence) {
    if (!(confidence > 0 && confidence < 1)) {
        throw usage_error(fmt::format("a confidence of {} is not between 0 and 1", confidence));
    }
}

std::vector<double> logs(std::span<const double> values) {
    require_positive(values);
    std::vector<double> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [](double value) { return std::log(value); });
    return result;
}

} // namespace gem_upload::stats
