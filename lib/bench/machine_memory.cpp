#include "bench/machine_memory.h"

#include "util/error.h"
#include "util/files.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <sstream>
#include <string_view>

namespace gem_upload::bench {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

/// The number at the text's beginning, times 1024 where `unit` follows it.
std::optional<std::uint64_t> parse_size(std::string_view text, std::string_view unit) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const bool scaled = !unit.empty() && text.starts_with(unit);
    if (scaled && value > std::numeric_limits<std::uint64_t>::max() / kib) {
        return std::nullopt;
    }
    return scaled ? value * kib : value;
}

std::uint64_t read_total(const std::string& root) {
    const std::string path = root + "/proc/meminfo";
    std::istringstream lines{read_file(path)};
    const std::string_view name = "MemTotal:";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(name)) {
            if (const auto total = parse_size(std::string_view{line}.substr(name.size()), " kB")) {
                return *total;
            }
        }
    }
    throw failure(
        fmt::format("{} has no MemTotal, so that the pool's size cannot be chosen", path));
}

/// The lowest limit that `files` of the group and its ancestors set. A group may lie outside what
/// this mount shows (a container without a namespace of its own): missing files limit nothing.
std::optional<std::uint64_t> lowest_limit(const std::string& mount, std::string group,
                                          std::initializer_list<std::string_view> files) {
    std::optional<std::uint64_t> lowest;
    for (;;) {
        for (const std::string_view file : files) {
            const auto limit = parse_size(
                read_first_line(fmt::format("{}{}/{}", mount, group, file)), ""); // "max": nothing
            if (limit && (!lowest || *limit < *lowest)) {
                lowest = limit;
            }
        }
        if (group.empty()) {
            return lowest;
        }
        group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
}

/// A line of /proc/self/cgroup is "0::/path" in version 2 and "4:cpu,memory:/path" in version 1
/// (cgroups(7)).
std::optional<std::uint64_t> read_cgroup_limit(const std::string& root) {
    std::optional<std::uint64_t> lowest;
    std::istringstream lines;
    try {
        lines.str(read_file(root + "/proc/self/cgroup"));
    } catch (const Error&) {
        return std::nullopt; // a kernel without control groups has no such file
    }
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const std::string group = line.substr(second + 1) == "/" ? "" : line.substr(second + 1);
        std::optional<std::uint64_t> limit;
        if (controllers == ",,") {
            limit = lowest_limit(root + "/sys/fs/cgroup", group, {"memory.max", "memory.high"});
        } else if (controllers.find(",memory,") != std::string::npos) {
            limit = lowest_limit(root + "/sys/fs/cgroup/memory", group, {"memory.limit_in_bytes"});
        }
        if (limit && (!lowest || *limit < *lowest)) {
            lowest = limit;
        }
    }
    return lowest;
}

std::optional<std::uint64_t> read_last_level_cache(unsigned cpu, const std::string& root) {
    std::optional<std::uint64_t> size;
    std::uint64_t highest = 0;
    for (unsigned index = 0;; ++index) {
        const std::string folder =
            fmt::format("{}/sys/devices/system/cpu/cpu{}/cache/index{}/", root, cpu, index);
        const auto level = parse_size(read_first_line(folder + "level"), "");
        if (!level) {
            return size;
        }
        const auto bytes = parse_size(read_first_line(folder + "size"), "K");
        if (bytes && *level >= highest && read_first_line(folder + "type") != "Instruction") {
            highest = *level;
            size = bytes;
        }
    }
}

std::uint64_t wanted_bytes(const MachineMemory& memory) {
    const std::uint64_t cache = memory.last_level_cache_bytes.value_or(0);
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return std::max(512 * mib, cache > most / 4 ? most : 4 * cache);
}

} // namespace

std::uint64_t MachineMemory::usable_bytes() const {
    return std::min(total_bytes, cgroup_limit_bytes.value_or(total_bytes));
}

MachineMemory read_machine_memory(unsigned cpu, const std::string& root) {
    return {read_total(root), read_cgroup_limit(root), read_last_level_cache(cpu, root)};
}

std::uint64_t pool_bytes(const MachineMemory& memory) {
    const std::uint64_t bytes = std::min(wanted_bytes(memory), memory.usable_bytes() / 4);
    if (bytes < huge_page_bytes) {
        throw cannot_measure(fmt::format(
            "a quarter of the usable memory ({}) is too little for a pool; run it where at least "
            "8 MiB may be used",
            size_text(memory.usable_bytes())));
    }
    return bytes / huge_page_bytes * huge_page_bytes;
}

std::string describe_pool(const MachineMemory& memory) {
    const std::string cache = memory.last_level_cache_bytes
                                  ? fmt::format("4 x the last-level cache of {}",
                                                size_text(*memory.last_level_cache_bytes))
                                  : "4 x the last-level cache, which the kernel does not tell";
    const bool limited = memory.usable_bytes() / 4 < wanted_bytes(memory);
    const bool by_cgroup = memory.usable_bytes() < memory.total_bytes;
    const std::string quarter =
        fmt::format("a quarter of the {} {}", size_text(memory.usable_bytes()),
                    by_cgroup ? "that the control group allows" : "of memory");
    return limited ? fmt::format("{} ({}: less than the larger of 512 MiB and {})",
                                 size_text(pool_bytes(memory)), quarter, cache)
                   : fmt::format("{} (the larger of 512 MiB and {})", size_text(pool_bytes(memory)),
                                 cache);
}

std::string size_text(std::uint64_t bytes) {
    if (bytes == 0 || bytes % kib != 0) {
        return fmt::format("{} bytes", bytes);
    }
    return bytes % mib == 0 ? fmt::format("{} MiB", bytes / mib)
                            : fmt::format("{} kB", bytes / kib);
}

} // namespace gem_upload::bench
