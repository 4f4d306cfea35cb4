// What else a number depends on: kernel, CPU, governor, GPU frequency, libraries.
#pragma once

#include "drm/device.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gem_upload::drm {

/// Names and values in the order they are printed. The names are the keys of run.json's
/// "environment" and of the logs' `# name: value` lines; an unknown value is left out.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// kernel_release, kernel_version, kernel_command_line, boot_id, cpu_model, cpu_flags (those that
/// matter: pat, clflushopt, clflush, clwb, hypervisor, ...), governor, and with a device: device
/// (its label), driver, pci_id, gpu_min_mhz, gpu_max_mhz, gpu_actual_mhz; then libraries
/// ("libdrm 2.4.114, ...") and gem_upload_tools (our version).
[[nodiscard]] Environment read_environment(const Device* device);

} // namespace gem_upload::drm
