#include "drm/loaded_libraries.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <link.h>
#include <string_view>
#include <system_error>

namespace gem_upload::drm {
namespace {

constexpr std::array<std::string_view, 5> recorded = {"libdrm.so", "libdrm_intel.so",
                                                      "libpciaccess.so", "libkmod.so", "libc.so"};

int add_library(dl_phdr_info* info, std::size_t /*size*/, void* names) {
    const std::filesystem::path loaded(info->dlpi_name);
    const std::string name = loaded.filename();
    const bool wanted = std::ranges::any_of(
        recorded, [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (wanted) {
        std::error_code error;
        const auto file = std::filesystem::canonical(loaded, error);
        static_cast<std::vector<std::string>*>(names)->push_back(error ? name
                                                                       : file.filename().string());
    }
    return 0;
}

} // namespace

std::vector<std::string> loaded_libraries() {
    std::vector<std::string> names;
    ::dl_iterate_phdr(add_library, &names);
    std::ranges::sort(names);
    return names;
}

} // namespace gem_upload::drm
