// The program's memory as the kernel sees it: an address that is none is EFAULT, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gem_upload::model {

/// What an address of the program's points to.
template <typename Type>
Type* user_pointer(std::uint64_t address) {
    // The uAPI leaves no other way. NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<Type*>(static_cast<std::uintptr_t>(address));
}

/// access_ok(): the range lies where programs have their memory, mapped or not.
[[nodiscard]] bool user_range(std::uint64_t address, std::uint64_t bytes);

/// All of the range can be read, or written. On kernels before 5.14, which cannot be asked, true
/// for every user_range() but the first page.
[[nodiscard]] bool readable(std::uint64_t address, std::uint64_t bytes);
[[nodiscard]] bool writable(std::uint64_t address, std::uint64_t bytes);

/// copy_from_user() and copy_to_user() of one value: false where the memory is not there.
template <typename Type>
[[nodiscard]] bool copy_from_user(Type& value, std::uint64_t address) {
    if (!readable(address, sizeof value)) {
        return false;
    }
    std::memcpy(&value, user_pointer<const void>(address), sizeof value);
    return true;
}
template <typename Type>
[[nodiscard]] bool copy_to_user(std::uint64_t address, const Type& value) {
    if (!writable(address, sizeof value)) {
        return false;
    }
    std::memcpy(user_pointer<void>(address), &value, sizeof value);
    return true;
}

} // namespace gem_upload::model
