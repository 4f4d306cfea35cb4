#include "vm/guest_memory.h"

#include "util/error.h"

#include <cerrno>
#include <fmt/format.h>
#include <mutex>
#include <sys/mman.h>

namespace gem_upload::vm {

void GuestMemory::unmap() {
    for (const Piece& piece : pieces_) {
        ::munmap(piece.bytes.data(), piece.bytes.size());
    }
    pieces_.clear();
}

void GuestMemory::map(const std::vector<MemoryRange>& ranges,
                      const std::vector<UniqueFd>& descriptors) {
    const std::unique_lock lock(mutex_);
    unmap();
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const MemoryRange& range = ranges[i];
        void* const address = ::mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                     descriptors.at(i).get(), static_cast<off_t>(range.offset));
        if (address == MAP_FAILED) {
            throw failed_call("mapping", fmt::format("the guest's memory at {:#x}", range.physical),
                              errno);
        }
        pieces_.push_back({range.physical, {static_cast<std::byte*>(address), range.bytes}});
    }
}

std::span<std::byte> GuestMemory::at(std::uint64_t physical) const {
    const std::shared_lock lock(mutex_);
    for (const Piece& piece : pieces_) {
        if (physical >= piece.physical && physical - piece.physical < piece.bytes.size()) {
            return piece.bytes.subspan(physical - piece.physical);
        }
    }
    return {};
}

} // namespace gem_upload::vm
