// Which library files this process really runs with.
#pragma once

#include <string>
#include <vector>

namespace gem_upload::drm {

/// File names with their full version ("libdrm.so.2.4.0") of the libraries that results depend on
/// (libdrm, libdrm_intel, libpciaccess, libkmod, libc), sorted; links are followed.
[[nodiscard]] std::vector<std::string> loaded_libraries();

} // namespace gem_upload::drm
