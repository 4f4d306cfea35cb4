// Batches of the questions, and their submission.
#pragma once

#include "client.h"

#include <cstdint>
#include <vector>

namespace gem_upload::probe {

/// An object with a batch that ends at once.
[[nodiscard]] std::uint32_t ending_batch(const Client& client);

/// An execbuffer of OBJECTS, the last of them the batch, on the default ring.
[[nodiscard]] drm_i915_gem_execbuffer2
execbuffer(const std::vector<drm_i915_gem_exec_object2>& objects);

[[nodiscard]] drm_i915_gem_exec_object2 exec_object(std::uint32_t handle, std::uint64_t flags = 0,
                                                    std::uint64_t offset = 0);

/// EXECBUFFER2_WR, which writes back more than EXECBUFFER2: 0 or the errno.
[[nodiscard]] int submit(const Client& client, drm_i915_gem_execbuffer2& arguments);
/// The same of OBJECTS with nothing but FLAGS.
[[nodiscard]] int submit(const Client& client, std::vector<drm_i915_gem_exec_object2>& objects,
                         std::uint64_t flags = 0);

/// The ring that executes 2D copies.
[[nodiscard]] std::uint64_t copying_ring(const Client& client);

/// A batch that copies a row of DWORDS dwords from SOURCE to DESTINATION, with its relocations.
struct CopyBatch {
    std::uint32_t batch;
    std::vector<drm_i915_gem_relocation_entry> relocations;
};
[[nodiscard]] CopyBatch copying_batch(const Client& client, std::uint32_t destination,
                                      std::uint32_t source, std::uint32_t dwords);

} // namespace gem_upload::probe
