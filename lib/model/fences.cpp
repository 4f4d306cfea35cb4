#include "model/fences.h"

#include "model/sizes.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

namespace gem_upload::model {
namespace {

const char* tiling_name(Tiling tiling) {
    return tiling == Tiling::x ? "X" : tiling == Tiling::y ? "Y" : "linear";
}

std::uint32_t pitch_limit(int generation) {
    if (generation < 4) {
        return 8192;
    }
    return generation < 7 ? 131072 : 262144;
}

Swizzle chip_swizzle(const ChipModel& chip, Tiling tiling) {
    return tiling == Tiling::x ? chip.swizzle_x : chip.swizzle_y;
}

} // namespace

FenceRegisters::FenceRegisters(const ChipModel& chip)
    : chip_(&chip), registers_(static_cast<std::size_t>(std::max(chip.fences, 0))) {}

std::optional<Fault> FenceRegisters::check(const Fence& fence) const {
    const auto fault = [&](const std::string& problem) {
        return Fault{fmt::format("{}: a fence over {:#x} to {:#x}, {} tiled, pitch {}: {}",
                                 chip_->name, fence.first, fence.last, tiling_name(fence.tiling),
                                 fence.pitch, problem)};
    };
    if (fence.tiling == Tiling::linear) {
        return fault("a fence register holds X or Y tiling only");
    }
    if (fence.last < fence.first) {
        return fault("it ends before it begins");
    }
    const TileShape shape = tile_shape(fence.tiling);
    const std::uint32_t limit = pitch_limit(chip_->generation);
    if (fence.pitch == 0 || fence.pitch % shape.width != 0 || fence.pitch > limit) {
        return fault(
            fmt::format("the pitch must be a multiple of {} up to {}", shape.width, limit));
    }
    const std::uint64_t size = fence.last - fence.first + 1;
    if (chip_->generation >= 4) {
        if (fence.first % tile_bytes != 0 || size % tile_bytes != 0) {
            return fault("it must begin and end at a multiple of 4096");
        }
        return std::nullopt;
    }
    if (!std::has_single_bit(fence.pitch)) {
        return fault("the pitch must be a power of two up to gen3");
    }
    if (!std::has_single_bit(size) || size < mib || fence.first % size != 0) {
        return fault("up to gen3 its size must be a power of two, 1 MiB or more, and its start a "
                     "multiple of its size");
    }
    return std::nullopt;
}

std::optional<Fault> FenceRegisters::set(unsigned index, const Fence& fence) {
    if (index >= registers_.size()) {
        return Fault{fmt::format("{}: there is no fence register {}, the chip has {}", chip_->name,
                                 index, registers_.size())};
    }
    if (auto fault = check(fence)) {
        return fault;
    }
    registers_[index] = fence;
    return std::nullopt;
}

void FenceRegisters::clear(unsigned index) {
    if (index < registers_.size()) {
        registers_[index].reset();
    }
}

void FenceRegisters::set_swizzling(bool fenced, bool blitted) {
    swizzles_fenced_ = fenced;
    swizzles_blitted_ = blitted;
}

Swizzle FenceRegisters::blit_swizzle(Tiling tiling) const {
    return swizzles_blitted_ ? chip_swizzle(*chip_, tiling) : Swizzle::none;
}

const Fence* FenceRegisters::find(std::uint64_t address) const {
    for (const auto& fence : registers_) {
        if (fence && address >= fence->first && address <= fence->last) {
            return &*fence;
        }
    }
    return nullptr;
}

Place FenceRegisters::detile(std::uint64_t address) const {
    const Fence* fence = find(address);
    if (fence == nullptr) {
        std::uint64_t run = std::numeric_limits<std::uint64_t>::max() - address;
        for (const auto& other : registers_) {
            if (other && other->first > address) {
                run = std::min(run, other->first - address);
            }
        }
        return {address, run};
    }
    const std::uint64_t offset = address - fence->first;
    const Swizzle swizzle = swizzles_fenced_ ? chip_swizzle(*chip_, fence->tiling) : Swizzle::none;
    const Place place = tiled_place(fence->tiling, swizzle, fence->pitch, offset % fence->pitch,
                                    offset / fence->pitch);
    return {fence->first + place.offset, place.contiguous};
}

} // namespace gem_upload::model
