#include "vm/kernel_package.h"

#include "util/error.h"
#include "util/unique_fd.h"
#include "vm/lines.h"
#include "vm/process.h"
#include "vm/work_folder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
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

std::optional<std::string> newest_in(const std::string& folder) {
    std::optional<fs::directory_entry> newest;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (!newest || entry.last_write_time() > newest->last_write_time()) {
            newest = entry;
        }
    }
    return newest ? std::optional<std::string>(newest->path()) : std::nullopt;
}

/// boot/vmlinuz-RELEASE (Debian) or lib/modules/RELEASE/vmlinuz (Fedora).
std::optional<std::string> find_image(const std::string& root) {
    std::error_code ignored;
    for (const char* folder : {"boot", "lib/modules"}) {
        for (fs::recursive_directory_iterator entry(fs::path(root) / folder, ignored), end;
             entry != end; entry.increment(ignored)) {
            if (entry.depth() > 1) {
                entry.disable_recursion_pending();
            } else if (entry->path().filename().string().starts_with("vmlinuz")) {
                return entry->path();
            }
        }
    }
    return std::nullopt;
}

KernelFiles files_in(const std::string& root) {
    const std::optional<std::string> image = find_image(root);
    if (!image) {
        throw failure(fmt::format("'{}' holds no kernel image: remove that folder, and it is "
                                  "fetched anew",
                                  root));
    }
    return {*image, root, fs::path(root).filename()};
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

std::vector<std::string> files_ending_in(const std::string& folder, std::string_view ending) {
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename().string().ends_with(ending)) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// The packages with image and modules, by the one that stands for the newest kernel.
std::vector<std::string> apt_packages(const std::string& folder, StopSignals& signals) {
    for (const char* meta : meta_packages) {
        try {
            std::vector<std::string> packages;
            for (const std::string& name :
                 needed_packages(run_in(folder, {"apt-cache", "depends", meta}, signals))) {
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

void fetch_with_apt(const std::string& folder, const Say& say, StopSignals& signals) {
    std::vector<std::string> command = {"apt-get", "-q", "download"};
    for (const std::string& package : apt_packages(folder, signals)) {
        say(fmt::format("fetching {} (about 70 MB, kept in the cache)", package));
        command.push_back(package);
    }
    (void)run_in(folder, command, signals);
    for (const std::string& package : files_ending_in(folder, ".deb")) {
        (void)run_in(folder, {"dpkg-deb", "-x", package, "root"}, signals);
    }
}

/// Untested.
void fetch_with_dnf(const std::string& folder, const Say& say, StopSignals& signals) {
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
}

/// depmod looks into lib/modules, whatever the package calls it.
void index_modules(const std::string& root, StopSignals& signals) {
    if (!fs::exists(root + "/lib") && fs::exists(root + "/usr/lib")) {
        fs::create_directory_symlink("usr/lib", root + "/lib");
    }
    for (const fs::directory_entry& release : fs::directory_iterator(root + "/lib/modules")) {
        (void)run_in(root, {"depmod", "-b", root, release.path().filename()}, signals);
    }
}

KernelFiles fetch(const std::string& cache, const std::string& folder, const Say& say,
                  StopSignals& signals) {
    require_space(cache, package_space);
    const WorkFolder work(cache);
    const bool apt = !locate_program("apt-get").empty();
    if (!apt && locate_program("dnf").empty()) {
        throw failure("there is neither apt-get nor dnf");
    }
    apt ? fetch_with_apt(work.path(), say, signals) : fetch_with_dnf(work.path(), say, signals);
    const std::string root = work.path() + "/root";
    index_modules(root, signals);
    (void)files_in(root);
    const auto packages = files_ending_in(work.path(), apt ? ".deb" : ".rpm");
    const std::string name = fs::path(packages.at(0)).stem();
    fs::rename(root, folder + "/" + name);
    return files_in(folder + "/" + name);
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
    const std::string folder = cache + "/kernels";
    fs::create_directories(folder);
    if (const auto here = newest_in(folder)) {
        return files_in(*here);
    }
    const Lock lock(cache + "/kernels.lock", say, signals);
    if (const auto here = newest_in(folder)) {
        return files_in(*here); // another run has fetched it in the meantime
    }
    try {
        return fetch(cache, folder, say, signals);
    } catch (const Error& error) {
        throw failure(fmt::format("the distribution's kernel could not be fetched: {} (or name "
                                  "another with --kernel and --modules)",
                                  error.what()));
    } catch (const fs::filesystem_error& error) {
        throw failure(
            fmt::format("the distribution's kernel could not be unpacked: {}", error.what()));
    }
}

} // namespace gem_upload::vm
