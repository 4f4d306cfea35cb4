// What a kernel's log says about trouble (kernel: kernel/panic.c, arch/x86/kernel/dumpstack.c,
// kernel/locking/lockdep.c, kernel/watchdog.c, mm/kasan/report.c, i915's gt/intel_reset.c and
// i915_gpu_error.c, drivers/iommu/intel/dmar.c).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

/// Worst first.
enum class Trouble {
    panic,          ///< the kernel has given up
    oops,           ///< a fault, a BUG(), a sanitizer's report: memory can no longer be trusted
    lockdep,        ///< the lock validator's splat
    lockup,         ///< a CPU or a task that does not get on
    gpu_hang,       ///< the driver has found the GPU hanging
    refused_access, ///< an access that the IOMMU, the kernel's lockdown or the GPU's page tables
                    ///< did not let pass
    warning,        ///< WARN()
    error,          ///< a DRM driver's *ERROR*
};

[[nodiscard]] std::string_view trouble_name(Trouble trouble); ///< "gpu-hang"
[[nodiscard]] std::optional<Trouble> trouble_from_name(std::string_view name);
/// All names, worst first.
[[nodiscard]] std::vector<std::string> trouble_names();

struct Finding {
    Trouble trouble;
    std::string line; ///< without its time stamp
    bool after_load;  ///< of the drivers
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes <=> for a comparison with 0
    auto operator<=>(const Finding&) const = default;
};

/// What a line of the log says, with or without its time stamp; nothing if it is harmless.
[[nodiscard]] std::optional<Trouble> trouble_in_line(std::string_view line);
/// In the log's order.
[[nodiscard]] std::vector<Finding> find_trouble(std::string_view log);

/// The last LINES lines, for a person who asks why.
[[nodiscard]] std::string last_lines(std::string_view log, std::size_t lines);

} // namespace gem_upload::vm
