// An engine's ring registers, from its base, and MI_MODE.
// Source: SNB PRM volume 1 part 3, "Ring Buffer"; the same from gen3 on.
#pragma once

#include <cstdint>

namespace gem_upload::model::pci::ring {

inline constexpr std::uint32_t tail = 0x30;
inline constexpr std::uint32_t head = 0x34;
inline constexpr std::uint32_t start = 0x38;
inline constexpr std::uint32_t control = 0x3c;
inline constexpr std::uint32_t mode = 0x9c; ///< MI_MODE

inline constexpr std::uint32_t tail_bits = 0x001ffff8;
inline constexpr std::uint32_t head_bits = 0x001ffffc;
inline constexpr std::uint32_t start_bits = 0xfffff000;
inline constexpr std::uint32_t size_bits = 0x001ff000; ///< of control: pages, less one

inline constexpr std::uint32_t stop = 1U << 8U; ///< of mode: between requests

} // namespace gem_upload::model::pci::ring
