// Addresses that the uAPI carries as integers.
#pragma once

#include <cstdint>

namespace gem_upload::model::i915 {

/// What an address of the program's points to.
template <typename Type>
Type* user_pointer(std::uint64_t address) {
    // The uAPI leaves no other way. NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<Type*>(static_cast<std::uintptr_t>(address));
}

} // namespace gem_upload::model::i915
