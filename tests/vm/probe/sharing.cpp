// Global names and PRIME (drm_gem.c, drm_prime.c, gem/i915_gem_dmabuf.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gem_upload::probe {
namespace {

std::uint32_t name_of(const Client& client, std::uint32_t handle) {
    drm_gem_flink arguments{handle, 0};
    insist("FLINK", client.attempt(DRM_IOCTL_GEM_FLINK, &arguments));
    return arguments.name;
}

drm_gem_open open_name(const Client& client, std::uint32_t name) {
    drm_gem_open arguments{name, 0, 0};
    insist("OPEN", client.attempt(DRM_IOCTL_GEM_OPEN, &arguments));
    return arguments;
}

std::string flink_twice(const Client& client) {
    const std::uint32_t first = client.create(page);
    const std::uint32_t second = client.create(page);
    const std::uint32_t name = name_of(client, first);
    return fmt::format("again {}, another {}, zero {}",
                       name_of(client, first) == name ? "same" : "differs",
                       name_of(client, second) == name ? "same" : "differs", yes_or_no(name == 0));
}

std::string opened(const Client& client) {
    const std::uint32_t handle = client.create(3 * page);
    client.write(handle, 0, {0x600d});
    const std::uint32_t name = name_of(client, handle);
    const drm_gem_open first = open_name(client, name);
    const drm_gem_open second = open_name(client, name);
    return fmt::format("size {:#x}, handle {} then {}, content {:#x}", first.size, first.handle,
                       second.handle, client.read(second.handle, 0, 1)[0]);
}

std::string opened_elsewhere(const Client& client) {
    const std::uint32_t handle = client.create(page);
    client.write(handle, 0, {0x600d});
    const std::uint32_t name = name_of(client, handle);
    const Client other(Node::primary);
    const drm_gem_open there = open_name(other, name);
    client.close(handle);
    return fmt::format("handle {}, content {:#x}", there.handle, other.read(there.handle, 0, 1)[0]);
}

std::string opened_after_close(const Client& client) {
    const std::uint32_t handle = client.create(page);
    const std::uint32_t name = name_of(client, handle);
    client.close(handle);
    return errno_text(client.attempt(DRM_IOCTL_GEM_OPEN, drm_gem_open{name, 0, 0}));
}

int export_handle(const Client& client, std::uint32_t handle, std::uint32_t flags, int& fd) {
    drm_prime_handle arguments{handle, flags, -1};
    const int error = client.attempt(DRM_IOCTL_PRIME_HANDLE_TO_FD, &arguments);
    fd = arguments.fd;
    return error;
}

class Exported {
public:
    Exported(const Client& client, std::uint32_t handle) {
        insist("PRIME_HANDLE_TO_FD", export_handle(client, handle, DRM_CLOEXEC | DRM_RDWR, fd_));
    }
    Exported(const Exported&) = delete;
    Exported& operator=(const Exported&) = delete;
    ~Exported() { ::close(fd_); }
    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_ = -1;
};

std::uint32_t import_fd(const Client& client, int fd) {
    drm_prime_handle arguments{0, 0, fd};
    insist("PRIME_FD_TO_HANDLE", client.attempt(DRM_IOCTL_PRIME_FD_TO_HANDLE, &arguments));
    return arguments.handle;
}

std::string export_flags(const Client& client, std::uint32_t flags) {
    int fd = -1;
    const int error = export_handle(client, client.create(page), flags, fd);
    if (error != 0) {
        return errno_text(error);
    }
    const int closes = ::fcntl(fd, F_GETFD);
    const int mode = ::fcntl(fd, F_GETFL) & O_ACCMODE;
    ::close(fd);
    return fmt::format("ok, close-on-exec {}, writable {}", yes_or_no(closes != 0),
                       yes_or_no(mode == O_RDWR));
}

std::string exported_size(const Client& client) {
    const Exported shared(client, client.create(3 * page));
    const off_t end = ::lseek(shared.fd(), 0, SEEK_END);
    const off_t start = ::lseek(shared.fd(), 0, SEEK_SET);
    return fmt::format("{:#x}, {}", end, start);
}

std::string imported_at_home(const Client& client) {
    const std::uint32_t handle = client.create(page);
    const Exported shared(client, handle);
    const Exported again(client, handle);
    return fmt::format("{}, {}", import_fd(client, shared.fd()) == handle ? "same" : "differs",
                       import_fd(client, again.fd()) == handle ? "same" : "differs");
}

std::string imported_elsewhere(const Client& client) {
    const std::uint32_t handle = client.create(page);
    client.write(handle, 0, {0x600d});
    const Exported shared(client, handle);
    const Client other(Node::render);
    const std::uint32_t first = import_fd(other, shared.fd());
    const std::uint32_t second = import_fd(other, shared.fd());
    client.close(handle);
    return fmt::format("handle {} then {}, content {:#x}", first, second,
                       other.read(first, 0, 1)[0]);
}

std::string mapped(const Client& client, std::size_t length, std::uint64_t offset) {
    const std::uint32_t handle = client.create(2 * page);
    client.write(handle, page, {0x600d});
    const Exported shared(client, handle);
    const Mapping map(shared.fd(), offset, length);
    if (map.error() != 0) {
        return errno_text(map.error());
    }
    return "ok, " + read_text(map.at(length - page));
}

std::string synchronised(const Client& client, std::uint64_t flags) {
    const Exported shared(client, client.create(page));
    dma_buf_sync sync{flags};
    return errno_text(::ioctl(shared.fd(), DMA_BUF_IOCTL_SYNC, &sync) == 0 ? 0 : errno);
}

std::string imported_from(const Client& client, int fd) {
    const drm_prime_handle arguments{0, 0, fd};
    return errno_text(client.attempt(DRM_IOCTL_PRIME_FD_TO_HANDLE, arguments));
}

std::string import_of_a_file(const Client& client) {
    const int fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const std::string answer = imported_from(client, fd);
    ::close(fd);
    return answer;
}

Questions name_questions() {
    return {
        {"FLINK", flink_twice, Node::primary},
        {"FLINK no object",
         [](const Client& client) {
             return errno_text(client.attempt(DRM_IOCTL_GEM_FLINK, drm_gem_flink{77, 0}));
         },
         Node::primary},
        {"FLINK on a render node",
         [](const Client& client) {
             return errno_text(
                 client.attempt(DRM_IOCTL_GEM_FLINK, drm_gem_flink{client.create(page), 0}));
         }},
        {"OPEN", opened, Node::primary},
        {"OPEN by another client", opened_elsewhere, Node::primary},
        {"OPEN after the object was closed", opened_after_close, Node::primary},
        {"OPEN no name",
         [](const Client& client) {
             return errno_text(client.attempt(DRM_IOCTL_GEM_OPEN, drm_gem_open{7777, 0, 0}));
         },
         Node::primary},
        {"OPEN on a render node",
         [](const Client& client) {
             return errno_text(client.attempt(DRM_IOCTL_GEM_OPEN, drm_gem_open{1, 0, 0}));
         }},
    };
}

} // namespace

Questions sharing_questions() {
    Questions questions = name_questions();
    const Questions more{
        {"PRIME export without flags",
         [](const Client& client) { return export_flags(client, 0); }},
        {"PRIME export to close on exec",
         [](const Client& client) { return export_flags(client, DRM_CLOEXEC); }},
        {"PRIME export to read and write",
         [](const Client& client) { return export_flags(client, DRM_RDWR); }},
        {"PRIME export with flag 0", [](const Client& client) { return export_flags(client, 1); }},
        {"PRIME export no object",
         [](const Client& client) {
             int fd = -1;
             return errno_text(export_handle(client, 77, 0, fd));
         }},
        {"PRIME exported size", exported_size},
        {"PRIME import at home", imported_at_home},
        {"PRIME import by another client", imported_elsewhere},
        {"PRIME import of no descriptor",
         [](const Client& client) { return imported_from(client, -1); }},
        {"PRIME import of a file", import_of_a_file},
        {"PRIME import of the device",
         [](const Client& client) { return imported_from(client, client.fd()); }},
        {"PRIME mapping", [](const Client& client) { return mapped(client, 2 * page, 0); }},
        {"PRIME mapping of the second page",
         [](const Client& client) { return mapped(client, page, page); }},
        {"PRIME mapping too long",
         [](const Client& client) { return mapped(client, 3 * page, 0); }},
        {"PRIME synchronise to read",
         [](const Client& client) { return synchronised(client, DMA_BUF_SYNC_READ); }},
        {"PRIME synchronise to write",
         [](const Client& client) { return synchronised(client, DMA_BUF_SYNC_WRITE); }},
        {"PRIME synchronise, end",
         [](const Client& client) {
             return synchronised(client, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
         }},
        {"PRIME synchronise without direction",
         [](const Client& client) { return synchronised(client, 0); }},
        {"PRIME synchronise with unknown flag",
         [](const Client& client) { return synchronised(client, 1 << 4 | DMA_BUF_SYNC_READ); }},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
