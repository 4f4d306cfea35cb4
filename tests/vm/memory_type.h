// What the kernel says of the type that it maps memory with on x86 (PAT).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gem_upload::guest_tests {

/// Pages whose type the kernel has changed from write-back for the sake of a driver.
struct PageCounts {
    std::uint64_t write_combining = 0;
    std::uint64_t uncached = 0;
};

/// Of all of this machine's memory. Throws failed_call.
[[nodiscard]] PageCounts count_typed_pages();

/// "wb", "wc" or "uc" of a device's memory, which is reserved with one type as a whole: that of the
/// range which begins where the device's first memory BAR does; none if none is reserved there.
/// DEVICE is a folder in sysfs.
[[nodiscard]] std::optional<std::string> type_of_device_memory(const std::string& device);

} // namespace gem_upload::guest_tests
