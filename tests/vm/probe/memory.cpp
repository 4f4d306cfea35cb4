#include "memory.h"

#include "answer.h"

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <fmt/format.h>

namespace gem_upload::probe {
namespace {

// A signal handler reaches nothing but globals.
sigjmp_buf& way_back() {
    static sigjmp_buf buffer;
    return buffer;
}

volatile std::sig_atomic_t touching =
    0; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void on_fault(int signal) {
    if (touching == 0) { // not by a question: a mistake of this program
        ::signal(signal, SIG_DFL);
        return;
    }
    touching = 0;
    ::siglongjmp(way_back(), signal);
}

template <typename Access>
std::string touch(Access access) {
    const int signal = sigsetjmp(way_back(), 1);
    if (signal != 0) {
        return signal == SIGBUS ? "SIGBUS" : "SIGSEGV";
    }
    touching = 1;
    access();
    touching = 0;
    return "ok";
}

void* address_at(std::uint64_t address) {
    return reinterpret_cast<void*>(
        static_cast<std::uintptr_t>(address)); // NOLINT(performance-no-int-to-ptr)
}

} // namespace

void catch_faults() {
    struct sigaction action {};
    action.sa_handler = on_fault;
    insist("sigaction", ::sigaction(SIGBUS, &action, nullptr) == 0 ? 0 : errno);
    insist("sigaction", ::sigaction(SIGSEGV, &action, nullptr) == 0 ? 0 : errno);
}

std::string touch_read(const void* address) {
    const auto* place = static_cast<const volatile std::uint32_t*>(address);
    return touch([place] { (void)*place; });
}

std::string touch_write(void* address, std::uint32_t value) {
    auto* place = static_cast<volatile std::uint32_t*>(address);
    return touch([place, value] { *place = value; });
}

std::string read_text(const void* address) {
    const auto* place = static_cast<const volatile std::uint32_t*>(address);
    static volatile std::uint32_t value; // outlives the jump
    value = 0;
    const std::string outcome = touch([place] { value = *place; });
    return outcome == "ok" ? fmt::format("{:#x}", std::uint32_t{value}) : outcome;
}

Mapping::Mapping(int fd, std::uint64_t offset, std::size_t length, int protection, int flags)
    : address_(::mmap(nullptr, length, protection, flags, fd, static_cast<off_t>(offset))),
      length_(length),
      error_(address_ == MAP_FAILED ? errno : 0) {}

Mapping::Mapping(std::uint64_t address, std::size_t length)
    : address_(address_at(address)), length_(length), error_(0) {}

Mapping::~Mapping() {
    if (error_ == 0) {
        ::munmap(address_, length_);
    }
}

std::byte* Mapping::at(std::size_t offset) const {
    insist("mmap", error_);
    return static_cast<std::byte*>(address_) + offset;
}

Mapping anonymous_pages(std::size_t count, int protection) {
    return {-1, 0, count * page, protection, MAP_PRIVATE | MAP_ANONYMOUS};
}

int legacy_map(const Client& client, drm_i915_gem_mmap& arguments) {
    return client.attempt(DRM_IOCTL_I915_GEM_MMAP, &arguments);
}

Mapping map_legacy(const Client& client, std::uint32_t handle, std::size_t bytes,
                   std::uint64_t flags) {
    drm_i915_gem_mmap arguments{};
    arguments.handle = handle;
    arguments.size = bytes;
    arguments.flags = flags;
    insist("MMAP", legacy_map(client, arguments));
    return {arguments.addr_ptr, bytes};
}

std::uint64_t map_offset(const Client& client, std::uint32_t handle, std::uint64_t kind) {
    drm_i915_gem_mmap_offset arguments{};
    arguments.handle = handle;
    arguments.flags = kind;
    insist("MMAP_OFFSET", client.attempt(DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arguments));
    return arguments.offset;
}

} // namespace gem_upload::probe
