#include "util/siblings.h"

#include "config.h"
#include "util/error.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace gem_upload {

std::string find_sibling(std::string_view name) {
    namespace fs = std::filesystem;
    // Installed: bin/ and libexec/gem-upload-tools/. Build tree: a folder per kind, tests one
    // deeper.
    static constexpr std::string_view folders[] = {
        ".",           LIBEXEC_FROM_BIN, "../benchmarks",
        "../tools",    "../lib/model",   "../../benchmarks",
        "../../tools", "../../lib/model"};
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    std::vector<std::string> searched;
    for (const std::string_view folder : folders) {
        const fs::path path = (here / folder).lexically_normal();
        std::error_code ignored;
        if (fs::is_regular_file(path / name, ignored)) {
            return path / name;
        }
        searched.push_back(path);
    }
    throw failure(fmt::format("'{}' is missing from this installation (looked in {})", name,
                              fmt::join(searched, ", ")));
}

} // namespace gem_upload
