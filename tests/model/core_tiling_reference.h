// Where a byte of a tiled surface lies, written apart from lib/model: the formula of the kernel's
// own test (i915 selftest i915_gem_client_blt.c, tiled_offset) in rows and columns.
#pragma once

#include "model/gpu.h"

#include <cstdint>

namespace gem_upload::model {

inline std::uint64_t reference_offset(Tiling tiling, Swizzle swizzle, std::uint64_t pitch,
                                      std::uint64_t x, std::uint64_t y) {
    if (tiling == Tiling::linear) {
        return y * pitch + x;
    }
    const std::uint64_t column = tiling == Tiling::x ? 512 : 16;
    const std::uint64_t column_bytes = tiling == Tiling::x ? 4096 : 512;
    const std::uint64_t rows = tiling == Tiling::x ? 8 : 32;
    const std::uint64_t v =
        y / rows * rows * pitch + y % rows * column + x / column * column_bytes + x % column;
    const auto bit6 = [v](unsigned bit) { return (v >> bit & 1U) << 6U; };
    switch (swizzle) {
    case Swizzle::none:
        return v;
    case Swizzle::bits_9:
        return v ^ bit6(9);
    case Swizzle::bits_9_10:
        return v ^ bit6(9) ^ bit6(10);
    case Swizzle::bits_9_11:
        return v ^ bit6(9) ^ bit6(11);
    case Swizzle::bits_9_10_11:
        return v ^ bit6(9) ^ bit6(10) ^ bit6(11);
    }
    return v;
}

} // namespace gem_upload::model
