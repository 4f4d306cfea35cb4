// Fence registers: ranges of the global address space behind which a tiled object looks linear.
#pragma once

#include "model/gpu.h"
#include "model/tiling.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gem_upload::model {

/// One register: the addresses FIRST to LAST (inclusive) hold a tiled object.
struct Fence {
    std::uint64_t first;
    std::uint64_t last;
    std::uint32_t pitch; ///< bytes
    Tiling tiling;
};

/// The fence registers of a chip. Not synchronised: the owner changes them only while no batch
/// runs.
class FenceRegisters {
public:
    explicit FenceRegisters(const ChipModel& chip);

    /// Programs register INDEX, or says why the chip's register cannot hold that fence (limits as
    /// in the kernel's i915_gem_tiling.c and intel_ggtt_fencing.c).
    [[nodiscard]] std::optional<Fault> set(unsigned index, const Fence& fence);
    void clear(unsigned index);

    /// Whether address bits are folded at all, in accesses through fences and in the blitter's
    /// tiled ones: yes, unless told otherwise, for from gen6 on the kernel decides.
    void set_swizzling(bool fenced, bool blitted);
    /// How the blitter finds its way in a tiled surface.
    [[nodiscard]] Swizzle blit_swizzle(Tiling tiling) const;

    [[nodiscard]] unsigned count() const { return static_cast<unsigned>(registers_.size()); }
    /// The fence that an address lies in, or nullptr.
    [[nodiscard]] const Fence* find(std::uint64_t address) const;
    /// Where an access at ADDRESS really goes: detiled where a fence covers it, unchanged where
    /// none does; contiguous up to at most 4 GiB - 1.
    [[nodiscard]] Place detile(std::uint64_t address) const;

private:
    [[nodiscard]] std::optional<Fault> check(const Fence& fence) const;

    const ChipModel* chip_;
    std::vector<std::optional<Fence>> registers_;
    bool swizzles_fenced_ = true;
    bool swizzles_blitted_ = true;
};

} // namespace gem_upload::model
