// What an upload must have left behind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gem_upload::bench {

/// Compares an image of packed rows of `width` pixels with the counter that starts at `first` and
/// rises by one a pixel (wrapping at 2^32). Returns the first difference and the count of wrong
/// pixels in one sentence, or nothing.
[[nodiscard]] std::optional<std::string> find_difference(std::span<const std::uint32_t> pixels,
                                                         std::uint32_t width, std::uint32_t first);

} // namespace gem_upload::bench
