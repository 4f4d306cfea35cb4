#include "vm/unpacked_kernel.h"

#include "util/error.h"
#include "vm/process.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

namespace gem_upload::vm {
namespace {

namespace fs = std::filesystem;

void depmod(const std::string& root, const std::string& release, StopSignals& signals) {
    ProcessSpec spec;
    spec.argv = {"depmod", "-b", root, release};
    (void)run_helper(spec, signals);
}

} // namespace

std::vector<std::string> images_in(const std::string& root) {
    std::vector<std::string> images;
    std::error_code ignored;
    for (const char* name : {"boot", "lib/modules", "usr/lib/modules"}) {
        // "lib" is often a link to "usr/lib".
        const fs::path folder = fs::canonical(fs::path(root) / name, ignored);
        for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end;
             entry.increment(ignored)) {
            if (entry.depth() > 1) {
                entry.disable_recursion_pending();
            } else if (!entry->is_symlink() &&
                       entry->path().filename().string().starts_with("vmlinuz")) {
                images.push_back(entry->path());
            }
        }
    }
    std::ranges::sort(images);
    images.erase(std::unique(images.begin(), images.end()), images.end());
    return images;
}

KernelFiles kernel_in_folder(const std::string& root) {
    const std::vector<std::string> images = images_in(root);
    if (images.empty()) {
        throw failure(fmt::format("'{}' holds no kernel: neither boot/vmlinuz-RELEASE nor "
                                  "lib/modules/RELEASE/vmlinuz is in it",
                                  root));
    }
    if (images.size() > 1) {
        throw failure(
            fmt::format("'{}' holds several kernels ({}): name one of them with --kernel, "
                        "and its modules with --modules",
                        root, fmt::join(images, ", ")));
    }
    return {images.front(), root, root};
}

void index_modules(const std::string& root, StopSignals& signals) {
    // depmod looks into lib/modules, whatever the package calls it.
    if (!fs::exists(root + "/lib") && fs::exists(root + "/usr/lib")) {
        fs::create_directory_symlink("usr/lib", root + "/lib");
    }
    if (!fs::exists(root + "/lib/modules")) {
        return;
    }
    for (const fs::directory_entry& release : fs::directory_iterator(root + "/lib/modules")) {
        depmod(root, release.path().filename(), signals);
    }
}

void unpack_debian_packages(const std::vector<std::string>& packages, const std::string& root,
                            StopSignals& signals) {
    for (const std::string& package : packages) {
        ProcessSpec spec;
        spec.argv = {"dpkg-deb", "-x", package, root};
        (void)run_helper(spec, signals);
    }
    index_modules(root, signals);
}

std::string with_module_index(const std::string& folder, const std::string& release,
                              const std::string& work, StopSignals& signals) {
    if (fs::exists(folder + "/modules.dep")) {
        return folder;
    }
    const std::string root = work + "/indexed";
    std::string likeness = root + "/lib/modules/" + release;
    fs::create_directories(likeness);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        fs::create_symlink(entry.path(), likeness / entry.path().filename());
    }
    depmod(root, release, signals);
    return likeness;
}

} // namespace gem_upload::vm
