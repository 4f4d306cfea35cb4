// Whether sets were measured under the same conditions.
#pragma once

#include "compare_input.h"

#include <string>
#include <vector>

namespace gem_upload::tools {

/// What differs between the sets of a comparison and should not: processor, microcode, mitigations,
/// governor, frequency limits, power supply, GPU, model or hardware. A clause each, "governor:
/// powersave (old), performance (new)". What only some sets say is not known to differ; kernels,
/// boots, drivers and libraries may differ: they are what is compared.
[[nodiscard]] std::vector<std::string> environment_differences(const Comparison& comparison);

/// Refuses comparisons whose environments differ (usage_error); with `force`, marks each of them
/// (Comparison::mismatches) instead.
void check_environments(std::vector<Comparison>& comparisons, bool force);

} // namespace gem_upload::tools
