#include "vm/guest_files.h"

#include "util/error.h"
#include "util/files.h"
#include "util/unique_fd.h"
#include "vm/process.h"
#include "vm/shared_libraries.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <vector>

namespace gem_upload::vm {
namespace {

namespace fs = std::filesystem;

/// Below this, calling strip costs more than it spares the guest.
constexpr std::uintmax_t worth_stripping = 1U << 20U;

/// "/bin/sh" of "#!/bin/sh -e"; empty where the file is no script.
std::string interpreter_of(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    if (!line.starts_with("#!")) {
        return "";
    }
    const std::size_t begin = line.find_first_not_of(" \t", 2);
    return begin == std::string::npos
               ? ""
               : line.substr(begin, line.find_first_of(" \t", begin) - begin);
}

/// All paths below a folder, from it on, each after the folder that it is in.
std::string relative_paths(const std::string& folder) {
    std::string paths;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        paths += entry.path().string().substr(folder.size() + 1) + "\n";
    }
    return paths;
}

} // namespace

std::string GuestFiles::make_place(const std::string& guest_path) const {
    const std::string path = folder_ + guest_path;
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    if (error) {
        throw failed_call("making the folder of", path, error.value());
    }
    return path;
}

void GuestFiles::add_folder(const std::string& guest_path) {
    (void)make_place(guest_path + "/.");
}

void GuestFiles::add_text(const std::string& guest_path, std::string_view text) {
    std::ofstream file(make_place(guest_path));
    file << text;
    file.close();
    if (!file) {
        throw failed_call("writing", folder_ + guest_path, errno);
    }
}

void GuestFiles::add_script(const std::string& guest_path, std::string_view text) {
    add_text(guest_path, text);
    fs::permissions(folder_ + guest_path, fs::perms::owner_exec, fs::perm_options::add);
}

void GuestFiles::add_file(const std::string& host_path, const std::string& guest_path) {
    const std::string place = make_place(guest_path);
    std::error_code error;
    fs::copy_file(host_path, place, fs::copy_options::skip_existing, error);
    if (error) {
        throw failed_call("copying into the guest's files", host_path, error.value());
    }
}

bool GuestFiles::has(const std::string& guest_path) const {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(folder_ + guest_path, ignored));
}

void GuestFiles::add_stripped(const std::string& host_path, const std::string& guest_path) {
    std::error_code absent;
    if (fs::file_size(host_path, absent) < worth_stripping || locate_program("strip").empty()) {
        add_file(host_path, guest_path);
        return;
    }
    ProcessSpec spec;
    spec.argv = {"strip", "-o", make_place(guest_path), host_path};
    try {
        (void)run_helper(spec, signals_);
    } catch (const Error&) {
        add_file(host_path, guest_path); // what cannot be stripped goes as it is
    }
}

void GuestFiles::add_library(const std::string& host_path) {
    if (!libraries_.insert(host_path).second) {
        return;
    }
    if (host_path == dynamic_loader) {
        add_file(host_path, host_path);
        return;
    }
    // All in the one folder that the loader searches without being told to.
    add_file(host_path, library_folder_ + "/" + fs::path(host_path).filename().string());
}

void GuestFiles::add_program(const std::string& host_path, const std::string& guest_path) {
    if (has(guest_path)) {
        return;
    }
    add_stripped(host_path, guest_path);
    const std::vector<std::string> libraries = shared_libraries(host_path, signals_);
    for (const std::string& library : libraries) {
        if (fs::path(library).filename() == "libc.so.6") {
            library_folder_ = fs::path(library).parent_path();
        }
    }
    for (const std::string& library : libraries) {
        add_library(library);
    }
}

void GuestFiles::add_command(const std::string& host_path) {
    const std::string interpreter = interpreter_of(host_path);
    if (interpreter.empty()) {
        add_program(host_path, host_path);
        return;
    }
    add_file(host_path, host_path);
    if (!has(interpreter) && !fs::path(interpreter).filename().string().ends_with("sh")) {
        add_program(interpreter, interpreter);
    }
}

void GuestFiles::pack(const std::string& archive) {
    const std::string list = archive + ".list";
    replace_file(list, relative_paths(folder_));
    const UniqueFd input{::open(list.c_str(), O_RDONLY | O_CLOEXEC)};
    const UniqueFd output{::open(archive.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (!input || !output) {
        throw failed_call("opening", archive, errno);
    }
    ProcessSpec spec;
    spec.argv = {"cpio", "-o", "-H", "newc", "--quiet", "-R", "0:0"};
    spec.folder = folder_;
    spec.input = input.get();
    spec.output = output.get();
    (void)run_helper(spec, signals_);
}

} // namespace gem_upload::vm
