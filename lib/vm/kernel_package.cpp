#include "vm/kernel_package.h"

#include "util/error.h"
#include "util/unique_fd.h"
#include "vm/kernel_series.h"
#include "vm/lines.h"
#include "vm/process.h"
#include "vm/work_folder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <sys/file.h>
#include <thread>

namespace gem_upload::vm {
namespace {

namespace fs = std::filesystem;
using Say = std::function<void(std::string_view)>;

/// Debian's package and what it unpacks to are about 480 MiB.
constexpr std::uint64_t package_space = 900ULL << 20U;

/// Packages that stand for the newest kernel: Debian's, Ubuntu's.
constexpr const char* meta_packages[] = {"linux-image-amd64", "linux-image-generic"};

using Names = std::vector<std::string>;

/// Of the kernel in an unpacked package.
std::string series_in_folder(const std::string& root) {
    const Names images = images_in(root);
    const std::string image = images.empty() ? "" : fs::path(images.front()).filename();
    return series_of(std::string_view(image).substr(std::min(image.find('-') + 1, image.size())));
}

KernelFiles files_in(const std::string& root) {
    const Names images = images_in(root);
    if (images.empty()) {
        throw failure(fmt::format("'{}' holds no kernel image: remove that folder, and it is "
                                  "fetched anew",
                                  root));
    }
    return {images.front(), root, fs::path(root).filename()};
}

/// The latest to be fetched into a folder, of SERIES where it is not empty.
std::optional<std::string> newest_in(const std::string& folder, std::string_view series = "") {
    std::optional<fs::directory_entry> newest;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const bool wanted = series.empty() || series_in_folder(entry.path()) == series;
        if (wanted && (!newest || entry.last_write_time() > newest->last_write_time())) {
            newest = entry;
        }
    }
    return newest ? std::optional<std::string>(newest->path()) : std::nullopt;
}

/// Held by one run at a time; the kernel lets it go when its holder dies.
class Lock {
public:
    Lock(const std::string& path, const Say& say, StopSignals& signals)
        : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        if (!fd_) {
            throw failed_call("opening", path, errno);
        }
        for (bool told = false; ::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0; told = true) {
            if (errno != EWOULDBLOCK && errno != EINTR) {
                throw failed_call("locking", path, errno);
            }
            if (!told) {
                say("waiting for another run that is fetching the kernel");
            }
            if (const std::optional<int> signal = signals.stop()) {
                throw Interrupted{*signal};
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
    }

private:
    UniqueFd fd_;
};

std::string run_in(const std::string& folder, std::vector<std::string> argv, StopSignals& signals) {
    ProcessSpec spec;
    spec.argv = std::move(argv);
    spec.folder = folder;
    return run_helper(spec, signals);
}

Names files_ending_in(const std::string& folder, std::string_view ending) {
    Names files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename().string().ends_with(ending)) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// The packages with image and modules, by the one that stands for the newest kernel.
Names stock_packages(StopSignals& signals) {
    for (const char* meta : meta_packages) {
        try {
            Names packages;
            for (const std::string& name :
                 needed_packages(run_in("", {"apt-cache", "depends", meta}, signals))) {
                if (name.starts_with("linux-image-") || name.starts_with("linux-modules-")) {
                    packages.push_back(name);
                }
            }
            if (!packages.empty()) {
                return packages;
            }
        } catch (const Error&) {
            continue; // a distribution that has no package of this name
        }
    }
    throw failure("apt knows no package linux-image-amd64: run 'apt-get update'");
}

Names known_packages(StopSignals& signals) {
    const std::string output = run_in("", {"apt-cache", "pkgnames", "linux-"}, signals);
    Names names;
    for (const std::string_view line : lines_of(output)) {
        names.emplace_back(line);
    }
    return names;
}

/// What downloads and unpacks a kernel into the folder "root" in FOLDER.
using Download = std::function<void(const std::string& folder)>;

void download_with_apt(const std::string& folder, const Names& packages, const Say& say,
                       StopSignals& signals) {
    Names command = {"apt-get", "-q", "download"};
    for (const std::string& package : packages) {
        say(fmt::format("fetching {} (about 100 MB, kept in the cache)", package));
        command.push_back(package);
    }
    (void)run_in(folder, command, signals);
    unpack_debian_packages(files_ending_in(folder, ".deb"), folder + "/root", signals);
}

/// Untested.
void download_with_dnf(const std::string& folder, const Say& say, StopSignals& signals) {
    say("fetching kernel-core and kernel-modules (kept in the cache)");
    (void)run_in(folder,
                 {"dnf", "-q", "download", "kernel-core", "kernel-modules-core", "kernel-modules"},
                 signals);
    fs::create_directory(folder + "/root");
    for (const std::string& package : files_ending_in(folder, ".rpm")) {
        const UniqueFd archive{
            ::open((folder + "/archive").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
        ProcessSpec unpack;
        unpack.argv = {"rpm2cpio", package};
        unpack.output = archive.get();
        (void)run_helper(unpack, signals);
        ::lseek(archive.get(), 0, SEEK_SET);
        ProcessSpec spec;
        spec.argv = {"cpio", "-idm", "--quiet"};
        spec.folder = folder + "/root";
        spec.input = archive.get();
        (void)run_helper(spec, signals);
    }
    index_modules(folder + "/root", signals);
}

/// Leaves the kernel in a folder of its own in FOLDER, named for its package.
KernelFiles fetch(const std::string& cache, const std::string& folder, const Download& download) {
    require_space(cache, package_space);
    const WorkFolder work(cache);
    download(work.path());
    const std::string root = work.path() + "/root";
    (void)files_in(root);
    Names packages = files_ending_in(work.path(), ".deb");
    if (packages.empty()) {
        packages = files_ending_in(work.path(), ".rpm");
    }
    const std::string name = fs::path(packages.at(0)).stem();
    fs::create_directories(folder);
    fs::rename(root, folder + "/" + name);
    return files_in(folder + "/" + name);
}

/// WHAT is named where it cannot be had.
KernelFiles fetch_or_explain(const std::string& cache, const std::string& folder,
                             std::string_view what, const Download& download) {
    try {
        return fetch(cache, folder, download);
    } catch (const Error& error) {
        throw failure(fmt::format("{} could not be fetched: {} (or name another with --kernel)",
                                  what, error.what()));
    } catch (const fs::filesystem_error& error) {
        throw failure(fmt::format("{} could not be unpacked: {}", what, error.what()));
    }
}

std::string stock_folder(const std::string& cache) {
    return cache + "/kernels";
}

/// Not beside the stock kernels: the newest of those is what is booted by default.
std::string series_folder(const std::string& cache, const std::string& series) {
    return cache + "/series/" + series;
}

std::optional<std::string> cached_of_series(const std::string& cache, const std::string& series) {
    const auto own = newest_in(series_folder(cache, series));
    return own ? own : newest_in(stock_folder(cache), series);
}

bool is_stock_series(const std::string& series, StopSignals& signals) {
    try {
        const auto release = packaged_release(stock_packages(signals).front());
        return release && series_of(*release) == series;
    } catch (const Error&) {
        return false;
    }
}

Names require_series(const std::string& series, StopSignals& signals) {
    if (locate_program("apt-cache").empty()) {
        throw failure(fmt::format("debian:{} is a package that apt fetches, and there is no apt: "
                                  "name an image or a folder with --kernel",
                                  series));
    }
    const Names known = known_packages(signals);
    Names packages = newest_of_series(known, series);
    if (packages.empty()) {
        const Names there = series_in(known);
        throw failure(there.empty() ? std::string("apt knows no kernels: run 'apt-get update'")
                                    : fmt::format("apt knows no kernel of the series {}: it has {}",
                                                  series, fmt::join(there, ", ")));
    }
    return packages;
}

} // namespace

std::vector<std::string> needed_packages(std::string_view apt_cache_output) {
    constexpr std::string_view prefix = "Depends: ";
    std::vector<std::string> packages;
    for (std::string_view line : lines_of(apt_cache_output)) {
        line.remove_prefix(std::min(line.find_first_not_of(" |"), line.size()));
        if (line.starts_with(prefix)) {
            packages.emplace_back(line.substr(prefix.size()));
        }
    }
    return packages;
}

KernelFiles stock_kernel(const std::string& cache, const Say& say, StopSignals& signals) {
    const std::string folder = stock_folder(cache);
    if (const auto here = newest_in(folder)) {
        return files_in(*here);
    }
    const Lock lock(cache + "/kernels.lock", say, signals);
    if (const auto here = newest_in(folder)) {
        return files_in(*here); // another run has fetched it in the meantime
    }
    return fetch_or_explain(cache, folder, "the distribution's kernel",
                            [&](const std::string& work) {
                                if (!locate_program("apt-get").empty()) {
                                    download_with_apt(work, stock_packages(signals), say, signals);
                                } else if (!locate_program("dnf").empty()) {
                                    download_with_dnf(work, say, signals);
                                } else {
                                    throw failure("there is neither apt-get nor dnf");
                                }
                            });
}

KernelFiles series_kernel(const std::string& series, const std::string& cache, const Say& say,
                          StopSignals& signals) {
    if (const auto here = cached_of_series(cache, series)) {
        return files_in(*here);
    }
    const Lock lock(cache + "/kernels.lock", say, signals);
    if (const auto here = cached_of_series(cache, series)) {
        return files_in(*here);
    }
    const Names packages = require_series(series, signals);
    const std::string folder =
        is_stock_series(series, signals) ? stock_folder(cache) : series_folder(cache, series);
    return fetch_or_explain(
        cache, folder, fmt::format("the kernel debian:{}", series),
        [&](const std::string& work) { download_with_apt(work, packages, say, signals); });
}

} // namespace gem_upload::vm
