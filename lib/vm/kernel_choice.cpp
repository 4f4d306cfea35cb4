#include "vm/kernel_choice.h"

#include "util/error.h"
#include "vm/kernel_package.h"
#include "vm/kernel_series.h"

#include <filesystem>
#include <fmt/format.h>

namespace gem_upload::vm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view series_prefix = "debian:";

bool names_series(const std::string& kernel) {
    return kernel.starts_with(series_prefix);
}

/// Throws usage_error for what is none.
std::string named_series(const std::string& kernel) {
    std::string series = kernel.substr(series_prefix.size());
    if (series.empty() || series_of(series) != series) {
        throw usage_error(fmt::format("'{}' names no series of kernels: it is debian:X.Y, as in "
                                      "debian:6.12",
                                      kernel));
    }
    return series;
}

bool is_package(const std::string& path) {
    return path.ends_with(".deb");
}

bool is_folder(const std::string& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

void require_existing(const char* option, const std::string& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        throw usage_error(fmt::format("{}: there is no file or folder '{}'", option, path));
    }
}

} // namespace

void check_kernel_choice(const KernelChoice& choice) {
    const auto& [kernel, modules] = choice;
    if (kernel.empty() && !modules.empty()) {
        throw usage_error("--modules goes with --kernel: image and modules of one build");
    }
    if (kernel.empty()) {
        return;
    }
    if (names_series(kernel)) {
        (void)named_series(kernel);
        if (!modules.empty()) {
            throw usage_error(
                fmt::format("{} has modules of its own: leave --modules out", kernel));
        }
        return;
    }
    require_existing("--kernel", kernel);
    if (modules.empty() && !is_folder(kernel) && !is_package(kernel)) {
        throw usage_error("--kernel with an image and --modules go together: image and modules of "
                          "one build");
    }
    if (!modules.empty()) {
        require_existing("--modules", modules);
    }
}

KernelFiles find_kernel(const KernelChoice& choice, const std::string& cache,
                        const std::string& work, const std::function<void(std::string_view)>& say,
                        StopSignals& signals) {
    const auto& [kernel, modules] = choice;
    if (kernel.empty()) {
        return stock_kernel(cache, say, signals);
    }
    if (names_series(kernel)) {
        return series_kernel(named_series(kernel), cache, say, signals);
    }
    std::vector<std::string> packages;
    for (const std::string& path : {kernel, modules}) {
        if (is_package(path)) {
            packages.push_back(path);
        }
    }
    const std::string root = work + "/package";
    if (!packages.empty()) {
        say("unpacking the kernel's package");
        unpack_debian_packages(packages, root, signals);
    }
    KernelFiles files{kernel, modules, kernel};
    if (is_package(kernel) || is_folder(kernel)) {
        files = kernel_in_folder(is_package(kernel) ? root : kernel);
        files.name = kernel;
    }
    if (!modules.empty()) {
        files.modules = is_package(modules) ? root : modules;
    } else if (!fs::exists(files.modules + "/lib/modules") &&
               !fs::exists(files.modules + "/usr/lib/modules")) {
        throw failure(fmt::format("'{}' holds a kernel without modules: name them, or their "
                                  "package, with --modules",
                                  kernel));
    }
    return files;
}

} // namespace gem_upload::vm
