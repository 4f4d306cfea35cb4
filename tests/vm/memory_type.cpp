#include "memory_type.h"

#include "util/error.h"
#include "util/files.h"
#include "util/unique_fd.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace gem_upload::guest_tests {
namespace {

constexpr const char* page_flags = "/proc/kpageflags";
/// x86 keeps a page's type in PG_arch_1 and PG_uncached (arch/x86/mm/pat/memtype.c, _PGMT_WC,
/// _PGMT_UC_MINUS; both: write-through), which kernel-page-flags.h shows as these bits.
constexpr unsigned arch_bit = 38;
constexpr unsigned uncached_bit = 39;

bool has(std::uint64_t flags, unsigned bit) {
    return ((flags >> bit) & 1U) != 0;
}

/// Where a PCI device's first memory BAR begins; sysfs has "START END FLAGS" a line.
std::optional<std::uint64_t> first_memory_bar(const std::string& device) {
    constexpr std::uint64_t is_memory = 0x200; // IORESOURCE_MEM (linux/ioport.h)
    std::istringstream resources(read_file(device + "/resource"));
    resources >> std::hex >> std::showbase;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t flags = 0;
    while (resources >> start >> end >> flags) {
        if ((flags & is_memory) != 0) {
            return start;
        }
    }
    return std::nullopt;
}

/// The words of arch/x86/mm/pat/memtype.c, cattr_name().
std::string short_name(const std::string& words) {
    if (words == "write-back") {
        return "wb";
    }
    if (words == "write-combining") {
        return "wc";
    }
    return words.starts_with("uncached") ? "uc" : words;
}

} // namespace

PageCounts count_typed_pages() {
    const UniqueFd file{::open(page_flags, O_RDONLY | O_CLOEXEC)};
    if (!file) {
        throw failed_call("opening", page_flags, errno);
    }
    PageCounts counts;
    std::vector<std::uint64_t> flags(8192);
    ssize_t bytes = 0;
    while ((bytes = ::read(file.get(), flags.data(), flags.size() * sizeof flags[0])) > 0) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(bytes) / sizeof flags[0]; ++i) {
            const bool arch = has(flags[i], arch_bit);
            const bool uncached = has(flags[i], uncached_bit);
            counts.write_combining += arch && !uncached ? 1 : 0;
            counts.uncached += uncached && !arch ? 1 : 0;
        }
    }
    if (bytes < 0) {
        throw failed_call("reading", page_flags, errno);
    }
    return counts;
}

std::optional<std::string> type_of_device_memory(const std::string& device) {
    const std::optional<std::uint64_t> bar = first_memory_bar(device);
    if (!bar) {
        return std::nullopt;
    }
    // "PAT: [mem 0x00000000fd000000-0x00000000fe000000] write-combining"
    const std::string range = fmt::format("[mem {:#018x}-", *bar);
    std::istringstream list(read_file("/sys/kernel/debug/x86/pat_memtype_list"));
    std::string line;
    while (std::getline(list, line)) {
        if (line.find(range) != std::string::npos) {
            return short_name(line.substr(line.rfind(' ') + 1));
        }
    }
    return std::nullopt;
}

} // namespace gem_upload::guest_tests
