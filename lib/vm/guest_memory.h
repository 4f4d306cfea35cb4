// The guest's memory as the device process sees it: mappings of descriptors that QEMU hands over.
#pragma once

#include "util/unique_fd.h"
#include "vm/mpqemu_message.h"

#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <span>
#include <vector>

namespace gem_upload::vm {

class GuestMemory {
public:
    GuestMemory() = default;
    GuestMemory(const GuestMemory&) = delete;
    GuestMemory& operator=(const GuestMemory&) = delete;
    ~GuestMemory() { unmap(); }

    /// Takes the place of all that was mapped before. Throws failed_call.
    void map(const std::vector<MemoryRange>& ranges, const std::vector<UniqueFd>& descriptors);
    /// From a guest-physical address to where its piece ends; empty where there is none.
    [[nodiscard]] std::span<std::byte> at(std::uint64_t physical) const;

private:
    struct Piece {
        std::uint64_t physical;
        std::span<std::byte> bytes;
    };
    void unmap();

    mutable std::shared_mutex mutex_;
    std::vector<Piece> pieces_;
};

} // namespace gem_upload::vm
