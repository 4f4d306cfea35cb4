#include "drm/error_state.h"

#include "util/files.h"

#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace gem_upload::drm {

/// Source: i915_sysfs.c, error_state_read(): "No error state collected" where there is none. The
/// file is root's.
std::string describe_error_state(const Device& device, const SystemRoots& roots) {
    const std::string card = std::filesystem::path(device.primary_node).filename();
    const std::string path = fmt::format("{}/class/drm/{}/error", roots.sys, card);
    if (card.empty() || ::access(path.c_str(), F_OK) != 0) {
        return {};
    }
    if (::access(path.c_str(), R_OK) != 0) {
        return fmt::format("root can read the kernel's error state in {}", path);
    }
    const std::string line = read_first_line(path);
    if (line.empty() || line.starts_with("No error state collected")) {
        return {};
    }
    return fmt::format("the kernel's error state is in {}", path);
}

} // namespace gem_upload::drm
