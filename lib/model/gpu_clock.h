// The GPU's clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace gem_upload::model {

/// Ticks of 80 ns since some moment.
/// Source: SNB PRM volume 1 part 3, TIMESTAMP; later parts tick at rates near that.
[[nodiscard]] inline std::uint64_t gpu_clock() {
    constexpr std::int64_t tick = 80;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() / tick);
}

} // namespace gem_upload::model
