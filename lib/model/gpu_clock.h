// The GPU's clock.
#pragma once

#include "model/gpu.h"

#include <cstdint>

namespace gem_upload::model {

/// Ticks a second of the chip's TIMESTAMP registers; 0 on gen4 and gen5.
/// Sources: kernel gt/intel_gt_clock_utils.c, read_clock_frequency; SNB PRM volume 1 part 3,
/// TIMESTAMP.
[[nodiscard]] std::uint32_t clock_frequency(const ChipModel& chip);

/// What those registers count, since some moment.
[[nodiscard]] std::uint64_t gpu_clock(const ChipModel& chip);

} // namespace gem_upload::model
