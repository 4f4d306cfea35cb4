#include "client.h"

#include "answer.h"
#include "memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gem_upload::probe {
namespace {

const char* path_of(Node node) {
    return node == Node::primary ? "/dev/dri/card0" : "/dev/dri/renderD128";
}

/// A write-back mapping of the object's first BYTES.
Mapping map_cached(const Client& client, std::uint32_t handle, std::size_t bytes) {
    return {client.fd(), map_offset(client, handle, I915_MMAP_OFFSET_WB), bytes};
}

} // namespace

std::uint64_t pointer(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

Client::Client(Node node) : fd_(::open(path_of(node), O_RDWR | O_CLOEXEC)) {
    insist("open", fd_ < 0 ? errno : 0);
}

Client::~Client() {
    ::close(fd_);
}

int Client::attempt(unsigned long request, void* arguments) const {
    for (;;) {
        if (::ioctl(fd_, request, arguments) == 0) {
            return 0;
        }
        if (errno != EINTR && errno != EAGAIN) {
            return errno;
        }
    }
}

std::uint32_t Client::create(std::uint64_t bytes) const {
    drm_i915_gem_create arguments{};
    arguments.size = bytes;
    insist("CREATE", attempt(DRM_IOCTL_I915_GEM_CREATE, &arguments));
    return arguments.handle;
}

void Client::close(std::uint32_t handle) const {
    insist("CLOSE", attempt(DRM_IOCTL_GEM_CLOSE, drm_gem_close{handle, 0}));
}

void Client::write(std::uint32_t handle, std::uint64_t offset,
                   const std::vector<std::uint32_t>& data) const {
    const std::size_t bytes = data.size() * sizeof data[0];
    const drm_i915_gem_pwrite arguments{handle, 0, offset, bytes, pointer(data.data())};
    const int error = attempt(DRM_IOCTL_I915_GEM_PWRITE, arguments);
    if (error != EOPNOTSUPP) {
        insist("PWRITE", error);
        return;
    }
    set_domain(handle, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
    std::memcpy(map_cached(*this, handle, offset + bytes).at(offset), data.data(), bytes);
}

std::vector<std::uint32_t> Client::read(std::uint32_t handle, std::uint64_t offset,
                                        std::size_t dwords) const {
    std::vector<std::uint32_t> data(dwords);
    const std::size_t bytes = data.size() * sizeof data[0];
    const drm_i915_gem_pread arguments{handle, 0, offset, bytes, pointer(data.data())};
    const int error = attempt(DRM_IOCTL_I915_GEM_PREAD, arguments);
    if (error != EOPNOTSUPP) {
        insist("PREAD", error);
        return data;
    }
    set_domain(handle, I915_GEM_DOMAIN_CPU, 0);
    std::memcpy(data.data(), map_cached(*this, handle, offset + bytes).at(offset), bytes);
    return data;
}

void Client::set_domain(std::uint32_t handle, std::uint32_t read, std::uint32_t write) const {
    insist("SET_DOMAIN",
           attempt(DRM_IOCTL_I915_GEM_SET_DOMAIN, drm_i915_gem_set_domain{handle, read, write}));
}

void Client::wait(std::uint32_t handle) const {
    insist("WAIT", attempt(DRM_IOCTL_I915_GEM_WAIT, drm_i915_gem_wait{handle, 0, -1}));
}

int Client::parameter(int which) const {
    int value = 0;
    insist("GETPARAM", attempt(DRM_IOCTL_I915_GETPARAM, drm_i915_getparam{which, &value}));
    return value;
}

bool Client::has_blitter() const {
    return parameter(I915_PARAM_HAS_BLT) != 0;
}

bool Client::has_full_ppgtt() const {
    return parameter(I915_PARAM_HAS_ALIASING_PPGTT) == I915_GEM_PPGTT_FULL;
}

} // namespace gem_upload::probe
