// Chains of i915_user_extension (i915_user_extensions.c).
#pragma once

#include <cstdint>
#include <functional>

namespace gem_upload::model::i915 {

/// Calls DO_IT with the name and the address of each extension until one fails: its negative errno,
/// or what is wrong with the chain, or 0.
[[nodiscard]] int
for_each_extension(std::uint64_t address,
                   const std::function<int(std::uint32_t name, std::uint64_t address)>& do_it);

} // namespace gem_upload::model::i915
