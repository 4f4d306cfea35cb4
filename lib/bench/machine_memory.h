// How much memory and cache a pool that stands for the aperture's pages may reckon with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gem_upload::bench {

/// x86-64's smaller huge page.
inline constexpr std::uint64_t huge_page_bytes = std::uint64_t{2} << 20U;

struct MachineMemory {
    std::uint64_t total_bytes = 0; ///< MemTotal
    std::optional<std::uint64_t>
        cgroup_limit_bytes; ///< the lowest limit on this process; unset: none
    std::optional<std::uint64_t> last_level_cache_bytes; ///< unset: the kernel does not say

    /// What this process may use at most.
    [[nodiscard]] std::uint64_t usable_bytes() const;
};

/// Reads /proc/meminfo, this process's control groups (versions 1 and 2) and the caches of `cpu`,
/// all below `root`. Throws failed_call or failure when MemTotal cannot be read.
[[nodiscard]] MachineMemory read_machine_memory(unsigned cpu, const std::string& root = "");

/// The size of the pool: max(512 MiB, 4 x last-level cache), at most a quarter of the usable
/// memory, in whole huge pages of 2 MiB. Throws cannot_measure where a quarter is less than that.
[[nodiscard]] std::uint64_t pool_bytes(const MachineMemory& memory);

/// The size and where it comes from, in words: "512 MiB (...)".
[[nodiscard]] std::string describe_pool(const MachineMemory& memory);

/// "512 MiB", "32 kB", "400 bytes": exact, in the largest unit (of 2^10) that divides it.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

} // namespace gem_upload::bench
