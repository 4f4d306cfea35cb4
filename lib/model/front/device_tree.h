// The files that programs on the model find in place of the kernel's: /dev/dri, and the model's
// device in /sys and debugfs. Real files in a temporary folder, laid out as sysfs lays them out.
#pragma once

#include "model/gpu.h"

#include <string>
#include <string_view>

namespace gem_upload::model {

inline constexpr std::string_view device_pci_address = "0000:00:02.0";
/// Within the tree.
inline constexpr std::string_view error_state_path = "/sys/class/drm/card0/error";
inline constexpr unsigned drm_major = 226;
inline constexpr unsigned primary_minor = 0;
inline constexpr unsigned render_minor = 128;

/// Creates the tree of one device in a new folder and returns its path. Removes trees whose
/// makers are gone first. Throws failed_call.
[[nodiscard]] std::string create_device_tree(const ChipModel& chip);

/// Removes a tree; what is gone already is no error.
void remove_device_tree(const std::string& path) noexcept;

} // namespace gem_upload::model
