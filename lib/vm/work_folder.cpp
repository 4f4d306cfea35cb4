#include "vm/work_folder.h"

#include "util/error.h"
#include "vm/lines.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace gem_upload::vm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view work_prefix = "work.";

std::string cache_root() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') {
        return cache;
    }
    const char* const home = std::getenv("HOME");
    if (home != nullptr && *home == '/') {
        return std::string(home) + "/.cache";
    }
    throw failure("there is no place for fetched kernels: set XDG_CACHE_HOME to a folder");
}

/// "work.PID.XXXXXX" of a process that is no more.
bool is_left_over(const std::string& name) {
    if (!name.starts_with(work_prefix)) {
        return false;
    }
    const std::string_view rest = std::string_view(name).substr(work_prefix.size());
    const auto pid = number_in<pid_t>(rest.substr(0, rest.find('.')));
    return pid && ::kill(*pid, 0) != 0 && errno == ESRCH;
}

void remove_left_overs(const std::string& folder) {
    std::error_code ignored; // another run may be removing the same
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (is_left_over(entry.path().filename())) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

} // namespace

std::string cache_folder() {
    const std::string folder = cache_root() + "/gem-upload-tools";
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || ::access(folder.c_str(), W_OK) != 0) {
        throw failure(fmt::format("'{}' cannot be written ({}): set XDG_CACHE_HOME to a folder "
                                  "that can",
                                  folder, errno_text(error ? error.value() : errno)));
    }
    remove_left_overs(folder);
    return folder;
}

void require_space(const std::string& folder, std::uint64_t bytes) {
    struct statvfs status {};
    if (::statvfs(folder.c_str(), &status) != 0) {
        throw failed_call("statvfs", folder, errno);
    }
    const std::uint64_t free = std::uint64_t{status.f_bavail} * status.f_frsize;
    if (free < bytes) {
        throw failure(fmt::format("there is no space in '{}': {} MiB are needed and {} MiB are "
                                  "free; make room, or set XDG_CACHE_HOME to another folder",
                                  folder, bytes >> 20U, free >> 20U));
    }
}

WorkFolder::WorkFolder(const std::string& parent)
    : path_(fmt::format("{}/{}{}.XXXXXX", parent, work_prefix, ::getpid())) {
    if (::mkdtemp(path_.data()) == nullptr) {
        throw failed_call("making a folder", parent, errno);
    }
}

WorkFolder::~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

} // namespace gem_upload::vm
