// What this core can do at most with a pool of memory, to hold a method's result against.
#pragma once

#include "bench/cpu_features.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gem_upload::bench {

/// The fastest code of its kind. MB is 2^20 bytes; a copied byte counts once.
struct Ceiling {
    std::string_view code; ///< "AVX, 32 bytes"
    double mb_per_second = 0;
};

/// Shares no code with the methods that are held against it. Measured over the same memory, the
/// median of `sweeps` sweeps over the whole of it, by whatever code proves fastest in a first
/// sweep each. `memory` is a multiple of 2 MiB, and is overwritten.
class CeilingMeter {
public:
    CeilingMeter(std::span<std::uint32_t> memory, const CpuFeatures& features, unsigned sweeps);

    /// Non-temporal stores of whole lines.
    [[nodiscard]] Ceiling non_temporal_fill() const;
    /// Stores through the cache.
    [[nodiscard]] Ceiling plain_fill() const;
    /// 32 kB that stay in the cache, copied over the whole memory: what bounds a pwrite.
    [[nodiscard]] Ceiling copy_from_cache() const;
    /// One half of the memory copied to the other.
    [[nodiscard]] Ceiling copy_in_memory() const;

private:
    std::span<std::uint32_t> memory_;
    CpuFeatures features_;
    unsigned sweeps_;
};

} // namespace gem_upload::bench
