#include "util/files.h"

#include "util/error.h"
#include "util/unique_fd.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gem_upload {
namespace {

void write_all(int fd, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            throw failed_call("writing", path, errno);
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Pipes and terminals cannot be synced, and need not be.
void sync_data(int fd, const std::string& path) {
    if (::fdatasync(fd) != 0 && errno != EINVAL && errno != EROFS) {
        throw failed_call("syncing", path, errno);
    }
}

/// Links (/dev/stdout among them), devices and pipes: a rename would put a file in their place.
bool cannot_be_renamed_over(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

} // namespace

MappedFile::MappedFile(const std::string& path) {
    const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0) {
        throw failed_call("opening", path, errno);
    }
    const auto bytes = static_cast<std::size_t>(status.st_size);
    if (bytes == 0) {
        return;
    }
    void* memory = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (memory == MAP_FAILED) {
        throw failed_call("mapping", path, errno);
    }
    content_ = {static_cast<const char*>(memory), bytes};
}

MappedFile::~MappedFile() {
    if (!content_.empty()) {
        ::munmap(const_cast<char*>(content_.data()), content_.size());
    }
}

std::string read_file(const std::string& path) {
    const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!fd) {
        throw failed_call("opening", path, errno);
    }
    std::string text;
    char buffer[65536];
    for (;;) {
        const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
        if (count == 0) {
            return text;
        }
        if (count < 0) {
            if (errno == EINTR) {
                continue;
            }
            throw failed_call("reading", path, errno);
        }
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

std::string read_first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

void append_synced(const std::string& path, std::string_view text) {
    const UniqueFd fd{::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)};
    if (!fd) {
        throw failed_call("opening", path, errno);
    }
    write_all(fd.get(), text, path);
    sync_data(fd.get(), path);
}

void replace_file(const std::string& path, std::string_view text) {
    if (cannot_be_renamed_over(path)) {
        append_synced(path, text);
        return;
    }
    const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
    {
        const UniqueFd fd{
            ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
        if (!fd) {
            throw failed_call("creating", temporary, errno);
        }
        try {
            write_all(fd.get(), text, temporary);
            sync_data(fd.get(), temporary);
        } catch (...) {
            ::unlink(temporary.c_str());
            throw;
        }
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::unlink(temporary.c_str());
        throw failed_call("renaming onto", path, error);
    }
}

} // namespace gem_upload
