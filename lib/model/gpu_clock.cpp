#include "model/gpu_clock.h"

#include <chrono>

namespace gem_upload::model {

std::uint32_t clock_frequency(const ChipModel& chip) {
    constexpr std::uint32_t front_side_bus = 266'666'992; // of the gen3 chip here
    if (chip.generation <= 3) {
        return front_side_bus / 16;
    }
    if (chip.generation <= 5) {
        return 0;
    }
    if (chip.generation <= 8) {
        return 12'500'000;
    }
    return chip.generation >= 12 ? 19'200'000 : 12'000'000; // a half of the crystal's
}

std::uint64_t gpu_clock(const ChipModel& chip) {
    constexpr std::uint64_t second = 1'000'000'000;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto nanoseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    const std::uint64_t frequency = clock_frequency(chip);
    return nanoseconds / second * frequency + nanoseconds % second * frequency / second;
}

} // namespace gem_upload::model
