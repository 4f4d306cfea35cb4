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

/// Copies a row of DWORDS dwords from SOURCE to DESTINATION on the engine that has 2D commands: 0
/// or the errno. From gen8 on all objects are where this program wants them; before, relocations
/// tell the batch where they are.
[[nodiscard]] int copy_row(const Client& client, std::uint32_t destination, std::uint32_t source,
                           std::uint32_t dwords);

} // namespace gem_upload::probe
