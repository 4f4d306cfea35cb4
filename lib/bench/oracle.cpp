#include "bench/oracle.h"

#include <fmt/format.h>
#include <vector>

namespace gem_upload::bench {

std::optional<std::string> find_difference(std::span<const std::uint32_t> pixels,
                                           std::uint32_t width, std::uint32_t first) {
    // One pass over the mapping: reads through the aperture are slow, and two could differ.
    const std::vector<std::uint32_t> seen(pixels.begin(), pixels.end());
    std::size_t wrong = 0;
    std::size_t first_wrong = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen[i] != first + static_cast<std::uint32_t>(i)) {
            first_wrong = wrong++ == 0 ? i : first_wrong;
        }
    }
    if (wrong == 0) {
        return std::nullopt;
    }
    return fmt::format("{} of {} pixels differ from what was uploaded; the first, at x {} y {}, is "
                       "{:#010x} and should be {:#010x}",
                       wrong, seen.size(), first_wrong % width, first_wrong / width,
                       seen[first_wrong], first + static_cast<std::uint32_t>(first_wrong));
}

} // namespace gem_upload::bench
