// What else a number depends on: kernel, CPU, governor, GPU frequency, libraries.
#pragma once

#include "drm/device.h"
#include "drm/roots.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gem_upload::drm {

/// Names and values in the order they are printed. The names are the keys of run.json's
/// "environment" and of the logs' `# name: value` lines; an unknown value is left out.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// kernel_release, kernel_version, kernel_command_line, boot_id, cpu_model, cpu_microcode,
/// cpu_flags (those that matter: pat, clflush, clflushopt, clwb, hypervisor, avx2 ...),
/// cpus_online, governor, turbo, transparent_huge_pages, shmem_huge_pages, mtrr, iommu,
/// mains_power; with a device: device (its label), driver, pci_id, runtime_pm, force_probe,
/// aperture_bytes, gpu_min_mhz, gpu_max_mhz, gpu_actual_mhz; then libraries ("libdrm 2.4.114, ...",
/// what this build was made with), loaded_libraries ("libdrm.so.2.4.0 ...", the files in this
/// process) and gem_upload_tools (our version). Takes a few file reads, well under 10 ms.
[[nodiscard]] Environment read_environment(const Device* device, const SystemRoots& roots = {});

} // namespace gem_upload::drm
