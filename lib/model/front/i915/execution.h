// One execbuffer on its way from the ioctl to the queue (gem/i915_gem_execbuffer.c).
#pragma once

#include "model/front/i915/ioctls.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace gem_upload::model::i915 {

struct ExecObject {
    drm_i915_gem_exec_object2 exec; ///< the kernel's copy
    std::shared_ptr<Object> object;
    std::uint64_t address = 0; ///< where it is bound, without sign extension
    bool fenced = false;       ///< gen2 and 3: a fence register must cover it
    bool write = false;        ///< the batch says that it writes it

    [[nodiscard]] bool has(std::uint64_t flag) const { return (exec.flags & flag) != 0; }
};

struct Execution {
    I915Client& client;
    drm_i915_gem_execbuffer2& arguments;
    std::shared_ptr<Context> context;
    std::shared_ptr<AddressMap> space;
    Ring ring = Ring::render;
    std::vector<ExecObject> objects;
    std::size_t batch = 0; ///< index of the batch

    [[nodiscard]] I915& device() const { return client.device(); }
};

/// Addresses have 48 bits, and are written with bit 47 extended (gen8_canonical_addr).
[[nodiscard]] std::uint64_t canonical(std::uint64_t address);
[[nodiscard]] std::uint64_t without_sign_extension(std::uint64_t address);

/// placement.cpp: gives every object its place. 0 or a negative errno.
[[nodiscard]] int place_objects(Execution& execution);

/// relocation.cpp: writes the addresses into the objects. 0 or a negative errno.
[[nodiscard]] int relocate_objects(Execution& execution);

/// On gen2 and 3 the room that a tiled object takes so that a fence can cover it
/// (i915_gem_fence_size); else its own size.
[[nodiscard]] std::uint64_t room_of(const ChipModel& chip, const ExecObject& object);

} // namespace gem_upload::model::i915
