// A buffer object of i915.
#pragma once

#include "model/front/drm/gem.h"
#include "model/front/i915/address_map.h"
#include "model/front/i915/object_memory.h"
#include "model/front/i915/queue.h"

#include <array>
#include <memory>
#include <mutex>
#include <vector>

namespace gem_upload::model::i915 {

/// How a mapping reaches the object.
enum class MappingKind { write_back, write_combining, uncached, gtt };

/// A mapping in the program's address space.
struct Mapping {
    std::byte* address;
    std::size_t length;
    std::size_t offset;
    int protection;
    MappingKind kind;
};

/// Rings, as the uAPI's exec flags tell them apart, and their class numbers in BUSY's answer.
enum class Ring : std::uint8_t { render = 0, blt = 1, bsd = 2, vebox = 3, second_bsd = 4 };
inline constexpr std::size_t ring_count = 5;

class Object final : public GemObject {
public:
    Object(std::size_t bytes, Caches caches) : memory_(bytes, caches) {}
    /// A userptr object over the program's own memory.
    Object(Span user_memory, Caches caches) : memory_(user_memory, caches), userptr_(true) {}
    ~Object() override;

    [[nodiscard]] std::uint64_t size() const override { return memory_.store().bytes(); }
    [[nodiscard]] int shareable_fd() const override { return memory_.store().cpu_fd(); }
    [[nodiscard]] bool userptr() const { return userptr_; }

    /// Guards all that follows.
    [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

    [[nodiscard]] ObjectMemory& memory() { return memory_; }

    struct TilingState {
        std::uint32_t mode = 0; ///< I915_TILING_*
        std::uint32_t stride = 0;
    };
    TilingState tiling;
    bool dont_need = false; ///< I915_MADV_DONTNEED
    bool purged = false;    ///< its pages are gone for good (__I915_MADV_PURGED)
    /// Pages that are purgeable or gone are not handed out (EFAULT).
    [[nodiscard]] bool withholds_pages() const { return dont_need && !memory_.has_pages(); }
    /// False where the program's memory behind a userptr object is gone.
    [[nodiscard]] bool user_pages_there() const;

    /// The last batches that used the object.
    struct Activity {
        std::array<Sequence, ring_count> last_use{}; ///< by ring
        Sequence last_write = 0;
        Ring last_writer = Ring::render;
        Sequence last_flush = 0; ///< the kernel's own clflush before a batch
        [[nodiscard]] Sequence last() const;
    };
    Activity activity;

    void add_mapping(const Mapping& mapping);
    /// Forgets what overlaps a range; true if anything did.
    void forget_mappings(const std::byte* address, std::size_t length);
    /// Lets the mappings show what they must show now: write-back ones the CPU's view; GTT ones
    /// memory, or nothing but SIGBUS where snooping forbids them (vm_fault_gtt).
    void remap(bool gtt_forbidden);
    [[nodiscard]] bool mapped() const { return !mappings_.empty(); }

    /// Remembers an address space to leave at the end.
    void bound_in(const std::shared_ptr<AddressMap>& space);

private:
    std::mutex mutex_;
    ObjectMemory memory_;
    bool userptr_ = false;
    std::vector<Mapping> mappings_;
    std::vector<std::weak_ptr<AddressMap>> spaces_;
};

/// Maps memory for the program. FD -1: pages that raise SIGBUS.
[[nodiscard]] void* map_for_program(void* address, std::size_t length, int protection, int flags,
                                    int fd, std::size_t offset);

} // namespace gem_upload::model::i915
