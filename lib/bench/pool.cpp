#include "bench/pool.h"

#include "bench/machine_memory.h"
#include "util/error.h"
#include "util/files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fmt/format.h>
#include <sstream>
#include <sys/mman.h>

namespace gem_upload::bench {
namespace {

std::uint64_t hexadecimal(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
}

/// The value in kB of a field of the mapping that begins at `start`, as /proc/self/smaps has it.
std::uint64_t smaps_kb(std::uint64_t start, std::string_view field) {
    std::istringstream lines{read_file("/proc/self/smaps")};
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t dash = line.find('-');
        const std::size_t space = line.find(' ');
        if (dash != std::string::npos && dash < space) {
            inside = hexadecimal(line.substr(0, dash)) == start;
        } else if (inside && line.starts_with(field)) {
            return std::stoull(line.substr(field.size()));
        }
    }
    throw failure(fmt::format("/proc/self/smaps does not tell {} of the pool", field));
}

} // namespace

Pool::Pool(std::uint64_t bytes, bool huge_pages)
    : reserved_bytes_(bytes + 2 * huge_page_bytes), huge_pages_(huge_pages) {
    reserved_ = ::mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reserved_ == MAP_FAILED) {
        throw cannot_measure(fmt::format("the pool of {} cannot be reserved: {}; raise the limit "
                                         "on address space (ulimit -v)",
                                         size_text(bytes), errno_text(errno)));
    }
    // At least a page stays inaccessible before the aligned start, and after the end.
    const std::size_t before =
        huge_page_bytes - reinterpret_cast<std::uintptr_t>(reserved_) % huge_page_bytes;
    void* memory = static_cast<char*>(reserved_) + before;
    if (::mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0) {
        const int error = errno;
        ::munmap(reserved_, reserved_bytes_);
        throw cannot_measure(fmt::format("the pool of {} cannot be had: {}; free some memory",
                                         size_text(bytes), errno_text(error)));
    }
    dwords_ = {static_cast<std::uint32_t*>(memory), bytes / sizeof(std::uint32_t)};
    advise();
    std::fill(dwords_.begin(), dwords_.end(), background);
}

Pool::~Pool() {
    ::munmap(reserved_, reserved_bytes_);
}

// A kernel without transparent huge pages refuses both; describe_pages tells what came of it.
void Pool::advise() {
    const int advice = huge_pages_ ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
    if (::madvise(dwords_.data(), dwords_.size_bytes(), advice) != 0) {
        advice_errno_ = errno;
    }
}

std::string Pool::describe_pages() const {
    const std::uint64_t huge =
        smaps_kb(reinterpret_cast<std::uintptr_t>(dwords_.data()), "AnonHugePages:");
    std::string asked = huge_pages_ ? "MADV_HUGEPAGE" : "MADV_NOHUGEPAGE";
    if (advice_errno_ != 0) {
        asked += fmt::format(", refused: {}", errno_text(advice_errno_));
    }
    return fmt::format("{} of {} in huge pages, the rest in 4 KiB pages ({})",
                       size_text(huge * 1024), size_text(dwords_.size_bytes()), asked);
}

} // namespace gem_upload::bench
