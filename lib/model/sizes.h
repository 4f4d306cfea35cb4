// Units of memory.
#pragma once

#include <cstdint>

namespace gem_upload::model {

inline constexpr std::uint64_t mib = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t gib = 1024 * mib;

} // namespace gem_upload::model
