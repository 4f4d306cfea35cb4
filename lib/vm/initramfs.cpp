#include "vm/initramfs.h"

#include "config.h"
#include "util/error.h"
#include "util/files.h"
#include "util/siblings.h"
#include "util/unique_fd.h"
#include "vm/guest_files.h"
#include "vm/lines.h"
#include "vm/module_tree.h"
#include "vm/process.h"
#include "vm/shared_libraries.h"
#include "vm/work_folder.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace gem_upload::vm {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t needed_space = 300ULL << 20U;
constexpr std::uintmax_t large_module = 16U << 20U;

// An unprivileged user, and the groups that own DRM nodes elsewhere.
constexpr std::string_view passwd = "root:x:0:0:root:/root:/bin/sh\n"
                                    "user:x:1000:1000:user:/tmp:/bin/sh\n";
constexpr std::string_view group = "root:x:0:\nvideo:x:44:\nrender:x:105:\nuser:x:1000:\n";
constexpr std::string_view basic_path =
    "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin";

/// Where our own programs find each other in the guest, as in an installed tree.
std::string guest_libexec() {
    return fs::path("/usr/bin/" LIBEXEC_FROM_BIN).lexically_normal();
}

std::string require_busybox() {
    const std::string path = locate_program("busybox");
    if (path.empty()) {
        throw failure("there is no busybox: install busybox-static");
    }
    return path;
}

/// Writes a compressed module as a plain one.
void unpack_module(const std::string& from, const std::string& to, const char* program,
                   StopSignals& signals) {
    const UniqueFd input{::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
    const UniqueFd output{::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (!input || !output) {
        throw failed_call("unpacking", from, errno);
    }
    ProcessSpec spec;
    spec.argv = {program, "-dc"};
    spec.input = input.get();
    spec.output = output.get();
    (void)run_helper(spec, signals);
}

void add_module(GuestFiles& files, const std::string& host_path, const std::string& guest_path,
                StopSignals& signals) {
    const fs::path file(host_path);
    const std::string extension = file.extension();
    const char* const program = extension == ".xz"    ? "xz"
                                : extension == ".zst" ? "zstd"
                                : extension == ".gz"  ? "gzip"
                                                      : nullptr;
    if (program != nullptr) {
        const std::string plain = guest_path.substr(0, guest_path.size() - extension.size());
        files.add_text(plain, "");
        unpack_module(host_path, files.folder() + plain, program, signals);
        return;
    }
    files.add_file(host_path, guest_path);
    if (fs::file_size(file) > large_module && !locate_program("strip").empty()) {
        // A developer's build with debug information; only its signature is lost with it.
        ProcessSpec spec;
        spec.argv = {"strip", "--strip-debug", files.folder() + guest_path};
        (void)run_helper(spec, signals);
    }
}

void require_release(const std::string& path, const std::string& module,
                     const std::string& release) {
    const std::string built_for = module_release(read_file(path));
    if (!built_for.empty() && built_for != release) {
        throw failure(fmt::format("the module {} is of release {}, but the kernel is {}: give "
                                  "modules and image of one build",
                                  module, built_for, release));
    }
}

void add_modules(GuestFiles& files, const InitramfsSpec& spec, StopSignals& signals) {
    const auto text = [&](const char* name) {
        const std::string path = spec.module_folder + "/" + name;
        return fs::exists(path) ? read_file(path) : "";
    };
    const ModuleTree tree(text("modules.dep"), text("modules.builtin"));
    std::vector<std::string> wanted = spec.job.support;
    wanted.insert(wanted.end(), spec.job.drivers.begin(), spec.job.drivers.end());
    const std::string guest_folder = "/lib/modules/" + spec.release;
    for (const std::string& file : tree.files_for(wanted, spec.module_folder)) {
        add_module(files, spec.module_folder + "/" + file, guest_folder + "/" + file, signals);
    }
    for (const std::string& driver : spec.job.drivers) {
        if (const ModuleFile* const file = tree.find(driver)) {
            const std::string plain =
                file->path.substr(0, file->path.find(".ko") + 3); // as it lies in the guest
            require_release(files.folder() + guest_folder + "/" + plain, driver, spec.release);
        }
    }
    for (const char* name : {"modules.builtin", "modules.builtin.modinfo", "modules.order"}) {
        files.add_text(guest_folder + "/" + name, text(name));
    }
    ProcessSpec depmod;
    depmod.argv = {"depmod", "-b", files.folder(), spec.release};
    (void)run_helper(depmod, signals);
}

void add_our_programs(GuestFiles& files, const std::vector<std::string>& benchmarks) {
    // A sanitized program reads /proc before its main() could mount it.
    files.add_script("/init", fmt::format("#!/bin/busybox sh\n"
                                          "/bin/busybox mount -t proc proc /proc\n"
                                          "exec {}/gem-upload-guest\n",
                                          guest_libexec()));
    files.add_program(find_sibling("gem-upload-guest"), guest_libexec() + "/gem-upload-guest");
    files.add_program(find_sibling("gem-upload"), "/usr/bin/gem-upload");
    for (const std::string& name : benchmarks) {
        files.add_program(find_sibling(name), guest_libexec() + "/" + name);
    }
}

std::string path_for(const std::vector<std::string>& programs) {
    std::string path = guest_libexec() + ":" + std::string(basic_path);
    std::set<std::string> folders;
    for (const std::string& program : programs) {
        const std::string folder = fs::path(program).parent_path();
        if (folders.insert(folder).second &&
            (":" + path + ":").find(":" + folder + ":") == std::string::npos) {
            path += ":" + folder;
        }
    }
    return path;
}

} // namespace

std::vector<std::string> busybox_applets(StopSignals& signals) {
    ProcessSpec spec;
    spec.argv = {require_busybox(), "--list"};
    const std::string list = run_helper(spec, signals);
    std::vector<std::string> applets;
    for (const std::string_view line : lines_of(list)) {
        applets.emplace_back(line);
    }
    return applets;
}

std::string build_initramfs(InitramfsSpec spec, const std::string& folder, StopSignals& signals) {
    require_space(folder, needed_space);
    GuestFiles files(folder + "/root", signals);
    for (const char* empty : {"/proc", "/sys", "/dev", "/tmp", "/run", "/root", "/share"}) {
        files.add_folder(empty);
    }
    files.add_program(require_busybox(), "/bin/busybox");
    add_our_programs(files, spec.benchmarks);
    for (const std::string& program : spec.programs) {
        files.add_command(program);
    }
    add_modules(files, spec, signals);
    files.add_text("/etc/passwd", passwd);
    files.add_text("/etc/group", group);
    spec.job.path = path_for(spec.programs);
    files.add_text(job_path, job_to_text(spec.job));
    std::string archive = folder + "/initramfs";
    files.pack(archive);
    return archive;
}

} // namespace gem_upload::vm
