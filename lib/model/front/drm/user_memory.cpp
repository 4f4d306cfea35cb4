#include "model/front/drm/user_memory.h"

#include <cerrno>
#include <cstddef>
#include <sys/mman.h>

#ifndef MADV_POPULATE_READ // linux/mman.h of 5.14; older C libraries do not have it
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace gem_upload::model {
namespace {

constexpr std::uint64_t page = 4096;
/// TASK_SIZE_MAX of x86-64 with four levels of page tables.
constexpr std::uint64_t user_end = (std::uint64_t{1} << 47) - page;

int populate(std::uint64_t address, std::uint64_t bytes, int advice) {
    const std::uint64_t first = address / page * page;
    const int before = errno;
    const int error =
        ::madvise(user_pointer<void>(first), address + bytes - first, advice) == 0 ? 0 : errno;
    errno = before;
    return error;
}

/// Kernels before 5.14 refuse for memory of any kind.
bool can_be_asked() {
    static const bool answer = [] {
        const std::byte here{};
        return populate(reinterpret_cast<std::uintptr_t>(&here), sizeof here, MADV_POPULATE_READ) ==
               0;
    }();
    return answer;
}

/// Lets the kernel fault the pages in, which fails exactly where a copy would.
bool reachable(std::uint64_t address, std::uint64_t bytes, int advice) {
    if (!user_range(address, bytes)) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    return address >= page && (!can_be_asked() || populate(address, bytes, advice) == 0);
}

} // namespace

bool user_range(std::uint64_t address, std::uint64_t bytes) {
    return bytes <= user_end && address <= user_end - bytes;
}

bool readable(std::uint64_t address, std::uint64_t bytes) {
    return reachable(address, bytes, MADV_POPULATE_READ);
}

bool writable(std::uint64_t address, std::uint64_t bytes) {
    return reachable(address, bytes, MADV_POPULATE_WRITE);
}

} // namespace gem_upload::model
