#include "model/pci/fence_decoding.h"

#include "model/commands.h"
#include "model/tiling.h"

namespace gem_upload::model::pci {
namespace {

Tiling tiling_bit(std::uint32_t dword, unsigned bit) {
    return field(dword, bit, bit) != 0 ? Tiling::y : Tiling::x;
}

} // namespace

// Source: kernel gt/intel_ggtt_fencing.c, i915_write_fence_reg; G33 (unlike 915) has Y tiles that
// are 128 bytes wide.
std::optional<Fence> gen3_fence(const RegisterFile& registers, unsigned index) {
    constexpr std::uint64_t mib = 1U << 20U;
    const std::uint32_t held =
        registers.at(index < 8 ? 0x2000 + 4 * index : 0x3000 + 4 * (index - 8));
    if (field(held, 0, 0) == 0) {
        return std::nullopt;
    }
    const Tiling tiling = tiling_bit(held, 12);
    const std::uint64_t first = held & 0x0ff00000U;
    const std::uint64_t size = mib << field(held, 10, 8);
    return Fence{first, first + size - 1, tile_shape(tiling).width << field(held, 6, 4), tiling};
}

// Source: kernel gt/intel_ggtt_fencing.c, i965_write_fence_reg.
std::optional<Fence> gen6_fence(const RegisterFile& registers, unsigned index) {
    constexpr std::uint32_t pitch_unit = 128;
    const std::uint32_t low = registers.at(0x100000 + 8 * index);
    const std::uint32_t high = registers.at(0x100004 + 8 * index);
    if (field(low, 0, 0) == 0) {
        return std::nullopt;
    }
    return Fence{low & 0xfffff000U, high | 0xfffU, (field(high, 11, 0) + 1) * pitch_unit,
                 tiling_bit(low, 1)};
}

} // namespace gem_upload::model::pci
