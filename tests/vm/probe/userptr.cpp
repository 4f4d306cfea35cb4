// USERPTR, and what its objects refuse (gem/i915_gem_userptr.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

int userptr(const Client& client, std::uint64_t address, std::uint64_t size, std::uint32_t flags,
            std::uint32_t& handle) {
    drm_i915_gem_userptr arguments{};
    arguments.user_ptr = address;
    arguments.user_size = size;
    arguments.flags = flags;
    const int error = client.attempt(DRM_IOCTL_I915_GEM_USERPTR, &arguments);
    handle = arguments.handle;
    return error;
}

std::string userptr(const Client& client, std::uint64_t address, std::uint64_t size,
                    std::uint32_t flags) {
    std::uint32_t handle = 0;
    const int error = userptr(client, address, size, flags, handle);
    return fmt::format("{}, handle {}", errno_text(error), handle);
}

struct Case {
    std::string_view name;
    std::uint64_t skip; ///< added to the address of two pages
    std::uint64_t size;
    std::uint32_t flags;
};

constexpr std::array<Case, 14> cases{{
    {"a page", 0, page, 0},
    {"two pages", 0, 2 * page, 0},
    {"nothing", 0, 0, 0},
    {"half a page", 0, page / 2, 0},
    {"misaligned", 64, page, 0},
    {"misaligned, of odd size", 64, 100, 0},
    {"beyond the mapping", 0, 4 * page, 0},
    {"all memory", 0, ~std::uint64_t{page - 1}, 0},
    {"of 8 TiB", 0, std::uint64_t{1} << 43, 0},
    {"read-only", 0, page, I915_USERPTR_READ_ONLY},
    {"probed", 0, page, I915_USERPTR_PROBE},
    {"probed beyond the mapping", 0, 4 * page, I915_USERPTR_PROBE},
    {"unsynchronised", 0, page, I915_USERPTR_UNSYNCHRONIZED},
    {"flag 2", 0, page, 4},
}};

using Ask = std::string(const Client&, std::uint32_t handle);

std::string pread(const Client& client, std::uint32_t handle) {
    std::uint32_t data = 0;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_PREAD,
                                     drm_i915_gem_pread{handle, 0, 0, 4, pointer(&data)}));
}
std::string pwrite(const Client& client, std::uint32_t handle) {
    const std::uint32_t data = 0;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_PWRITE,
                                     drm_i915_gem_pwrite{handle, 0, 0, 4, pointer(&data)}));
}
std::string gem_mmap(const Client& client, std::uint32_t handle) {
    drm_i915_gem_mmap arguments{};
    arguments.handle = handle;
    arguments.size = page;
    return errno_text(legacy_map(client, arguments));
}
std::string mmap_gtt(const Client& client, std::uint32_t handle) {
    return errno_text(
        client.attempt(DRM_IOCTL_I915_GEM_MMAP_GTT, drm_i915_gem_mmap_gtt{handle, 0, 0}));
}
std::string mmap_wb(const Client& client, std::uint32_t handle) {
    drm_i915_gem_mmap_offset arguments{};
    arguments.handle = handle;
    arguments.flags = I915_MMAP_OFFSET_WB;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arguments));
}
std::string set_tiling(const Client& client, std::uint32_t handle) {
    drm_i915_gem_set_tiling arguments{};
    arguments.handle = handle;
    arguments.tiling_mode = I915_TILING_X;
    arguments.stride = 512;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_SET_TILING, &arguments));
}
std::string get_tiling(const Client& client, std::uint32_t handle) {
    drm_i915_gem_get_tiling arguments{};
    arguments.handle = handle;
    const int error = client.attempt(DRM_IOCTL_I915_GEM_GET_TILING, &arguments);
    return fmt::format("{}, mode {}", errno_text(error), arguments.tiling_mode);
}
template <std::uint32_t caching>
std::string set_caching(const Client& client, std::uint32_t handle) {
    return errno_text(
        client.attempt(DRM_IOCTL_I915_GEM_SET_CACHING, drm_i915_gem_caching{handle, caching}));
}
std::string get_caching(const Client& client, std::uint32_t handle) {
    drm_i915_gem_caching arguments{handle, 99};
    const int error = client.attempt(DRM_IOCTL_I915_GEM_GET_CACHING, &arguments);
    return fmt::format("{}, {}", errno_text(error), arguments.caching);
}
template <std::uint32_t read, std::uint32_t write>
std::string set_domain(const Client& client, std::uint32_t handle) {
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_SET_DOMAIN,
                                     drm_i915_gem_set_domain{handle, read, write}));
}
std::string busy(const Client& client, std::uint32_t handle) {
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_BUSY, drm_i915_gem_busy{handle, 0}));
}
std::string madvise(const Client& client, std::uint32_t handle) {
    drm_i915_gem_madvise arguments{handle, I915_MADV_DONTNEED, 99};
    const int error = client.attempt(DRM_IOCTL_I915_GEM_MADVISE, &arguments);
    return fmt::format("{}, retained {}", errno_text(error), arguments.retained);
}
std::string flink(const Client& client, std::uint32_t handle) {
    return errno_text(client.attempt(DRM_IOCTL_GEM_FLINK, drm_gem_flink{handle, 0}));
}
std::string prime(const Client& client, std::uint32_t handle) {
    return errno_text(
        client.attempt(DRM_IOCTL_PRIME_HANDLE_TO_FD, drm_prime_handle{handle, 0, -1}));
}

Question of_userptr(std::string_view name, Ask* ask, Node node = Node::render) {
    return {fmt::format("USERPTR object: {}", name),
            [ask](const Client& client) {
                const Mapping memory = anonymous_pages(1);
                std::uint32_t handle = 0;
                insist("USERPTR", userptr(client, pointer(memory.at(0)), page, 0, handle));
                return ask(client, handle);
            },
            node};
}

} // namespace

Questions userptr_questions() {
    Questions questions;
    for (const Case& entry : cases) {
        questions.push_back({fmt::format("USERPTR {}", entry.name), [entry](const Client& client) {
                                 const Mapping memory = anonymous_pages(4);
                                 ::munmap(memory.at(2 * page), 2 * page);
                                 return userptr(client, pointer(memory.at(0)) + entry.skip,
                                                entry.size, entry.flags);
                             }});
    }
    const Questions more{
        {"USERPTR of address 0", [](const Client& client) { return userptr(client, 0, page, 0); }},
        {"USERPTR of address 0, probed",
         [](const Client& client) { return userptr(client, 0, page, I915_USERPTR_PROBE); }},
        {"USERPTR of the kernel's memory",
         [](const Client& client) { return userptr(client, std::uint64_t{1} << 63, page, 0); }},
        of_userptr("PREAD", pread),
        of_userptr("PWRITE", pwrite),
        of_userptr("MMAP", gem_mmap),
        of_userptr("MMAP_GTT", mmap_gtt),
        of_userptr("MMAP_OFFSET WB", mmap_wb),
        of_userptr("SET_TILING", set_tiling),
        of_userptr("GET_TILING", get_tiling),
        of_userptr("SET_CACHING NONE", set_caching<I915_CACHING_NONE>),
        of_userptr("SET_CACHING CACHED", set_caching<I915_CACHING_CACHED>),
        of_userptr("SET_CACHING DISPLAY", set_caching<I915_CACHING_DISPLAY>),
        of_userptr("GET_CACHING", get_caching),
        of_userptr("SET_DOMAIN CPU", set_domain<I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU>),
        of_userptr("SET_DOMAIN GTT", set_domain<I915_GEM_DOMAIN_GTT, I915_GEM_DOMAIN_GTT>),
        of_userptr("SET_DOMAIN WC", set_domain<I915_GEM_DOMAIN_WC, 0>),
        of_userptr("BUSY", busy),
        of_userptr("MADVISE", madvise),
        of_userptr("FLINK", flink, Node::primary),
        of_userptr("PRIME_HANDLE_TO_FD", prime),
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
