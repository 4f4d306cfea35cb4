#include "vm/bootable_kernel.h"

#include "util/error.h"
#include "util/files.h"
#include "util/unique_fd.h"
#include "vm/kernel_image.h"
#include "vm/process.h"
#include "vm/work_folder.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

namespace gem_upload::vm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kept_images = 4;
constexpr std::uint64_t image_space = 256ULL << 20U;

/// FNV-1a of 64 bits: a name, not a proof.
std::uint64_t fingerprint(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
    return hash;
}

UniqueFd open_or_throw(const std::string& path, int flags) {
    UniqueFd fd{::open(path.c_str(), flags | O_CLOEXEC, 0644)};
    if (!fd) {
        throw failed_call("opening", path, errno);
    }
    return fd;
}

/// A vmlinux in TARGET, or an empty file where the payload is none that can be booted by itself.
void extract(const Compression* compression, std::string_view payload, const std::string& folder,
             const std::string& target, StopSignals& signals) {
    payload.remove_suffix(std::min(payload.size(), compression->trailer));
    const std::string packed = folder + "/payload";
    replace_file(packed, payload);
    const UniqueFd input = open_or_throw(packed, O_RDONLY);
    const UniqueFd output = open_or_throw(target, O_WRONLY | O_CREAT | O_TRUNC);
    ProcessSpec spec;
    spec.argv = {std::string(compression->program), "-dc"};
    spec.input = input.get();
    spec.output = output.get();
    (void)run_helper(spec, signals);
    if (!has_pvh_entry(read_file(target))) {
        replace_file(target, "");
    }
}

void remove_oldest(const std::string& folder) {
    std::vector<fs::directory_entry> images;
    std::error_code ignored; // another run may be removing the same
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        images.push_back(entry);
    }
    std::ranges::sort(images, [](const fs::directory_entry& a, const fs::directory_entry& b) {
        std::error_code gone;
        return a.last_write_time(gone) > b.last_write_time(gone);
    });
    for (std::size_t i = kept_images; i < images.size(); ++i) {
        fs::remove(images[i], ignored);
    }
}

/// The extracted image in the cache; empty where it can only be booted as it is.
std::string extracted(std::string_view bytes, std::string_view payload, const std::string& cache,
                      StopSignals& signals) {
    const Compression* const compression = find_compression(payload);
    if (compression == nullptr || locate_program(std::string(compression->program)).empty()) {
        return "";
    }
    const std::string folder = cache + "/images";
    fs::create_directories(folder);
    const std::string path =
        fmt::format("{}/{:016x}-{}.vmlinux", folder, fingerprint(bytes), bytes.size());
    std::error_code absent;
    if (!fs::exists(path, absent)) {
        require_space(cache, image_space);
        const WorkFolder work(cache);
        extract(compression, payload, work.path(), work.path() + "/vmlinux", signals);
        fs::rename(work.path() + "/vmlinux", path);
        remove_oldest(folder);
    }
    fs::last_write_time(path, fs::file_time_type::clock::now(), absent);
    return fs::file_size(path, absent) > 0 ? path : "";
}

BootableKernel from_vmlinux(const std::string& path, std::string_view bytes) {
    const std::string release = vmlinux_release(bytes);
    if (release.empty()) {
        throw failure(fmt::format("'{}' is an ELF file, but no Linux kernel: it has no banner "
                                  "'Linux version'",
                                  path));
    }
    if (!has_pvh_entry(bytes)) {
        throw failure(fmt::format("'{}' cannot be booted as it is, for it was built without "
                                  "CONFIG_PVH: give its bzImage instead",
                                  path));
    }
    return {path, release};
}

} // namespace

BootableKernel prepare_kernel(const std::string& path, const std::string& cache,
                              StopSignals& signals) {
    const std::string bytes = read_file(path);
    if (is_elf_x86_64(bytes)) {
        return from_vmlinux(path, bytes);
    }
    const std::optional<BzImage> image = parse_bzimage(bytes);
    if (!image || image->release.empty()) {
        throw failure(fmt::format("'{}' is no Linux kernel for x86-64: neither a bzImage "
                                  "(vmlinuz) nor a vmlinux",
                                  path));
    }
    if (image->cut_short) {
        throw failure(
            fmt::format("'{}' is cut short: it ends before its compressed kernel does", path));
    }
    std::string vmlinux;
    try {
        vmlinux = extracted(bytes, image->payload, cache, signals);
    } catch (const Error& error) {
        throw failure(
            fmt::format("the kernel in '{}' could not be unpacked: {}", path, error.what()));
    }
    return {vmlinux.empty() ? path : vmlinux, image->release};
}

} // namespace gem_upload::vm
