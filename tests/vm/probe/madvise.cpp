// MADVISE (i915_gem.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <fmt/format.h>

namespace gem_upload::probe {
namespace {

std::string madvise(const Client& client, std::uint32_t handle, std::uint32_t advice) {
    drm_i915_gem_madvise arguments{handle, advice, 99};
    const int error = client.attempt(DRM_IOCTL_I915_GEM_MADVISE, &arguments);
    return fmt::format("{}, retained {}", errno_text(error), arguments.retained);
}

/// An object that was told not to be needed: before it had pages (and is gone then), or after.
std::uint32_t not_needed(const Client& client, bool pages) {
    const std::uint32_t handle = client.create(page);
    if (pages) {
        client.set_domain(handle, I915_GEM_DOMAIN_CPU, 0);
    }
    (void)madvise(client, handle, I915_MADV_DONTNEED);
    return handle;
}

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

std::string set_domain(const Client& client, std::uint32_t handle) {
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_SET_DOMAIN,
                                     drm_i915_gem_set_domain{handle, I915_GEM_DOMAIN_CPU, 0}));
}

std::string mapped(const Client& client, std::uint32_t handle, std::uint64_t kind) {
    const Mapping map(client.fd(), map_offset(client, handle, kind), page);
    return touch_read(map.at(0));
}

std::string mapped_legacy(const Client& client, std::uint32_t handle) {
    drm_i915_gem_mmap arguments{};
    arguments.handle = handle;
    arguments.size = page;
    const int error = legacy_map(client, arguments);
    return error != 0 ? errno_text(error) : touch_read(Mapping(arguments.addr_ptr, page).at(0));
}

using Ask = std::string(const Client&, std::uint32_t);

Question when_not_needed(const std::string& name, bool pages, Ask* ask) {
    return {fmt::format("MADVISE not needed {} pages, then {}", pages ? "with" : "without", name),
            [pages, ask](const Client& client) { return ask(client, not_needed(client, pages)); }};
}

std::string needed_again(const Client& client, std::uint32_t handle) {
    return madvise(client, handle, I915_MADV_WILLNEED);
}
std::string not_needed_again(const Client& client, std::uint32_t handle) {
    return madvise(client, handle, I915_MADV_DONTNEED);
}
std::string map_gtt(const Client& client, std::uint32_t handle) {
    return mapped(client, handle, I915_MMAP_OFFSET_GTT);
}
std::string map_wb(const Client& client, std::uint32_t handle) {
    return mapped(client, handle, I915_MMAP_OFFSET_WB);
}

} // namespace

Questions madvise_questions() {
    Questions questions;
    for (const std::uint32_t advice : {0U, 1U, 2U, ~0U}) {
        questions.push_back(
            {fmt::format("MADVISE {}", static_cast<int>(advice)), [advice](const Client& client) {
                 return madvise(client, client.create(page), advice);
             }});
        questions.push_back(
            {fmt::format("MADVISE {} no object", static_cast<int>(advice)),
             [advice](const Client& client) { return madvise(client, 77, advice); }});
    }
    for (const bool pages : {false, true}) {
        questions.push_back(when_not_needed("needed", pages, needed_again));
        questions.push_back(when_not_needed("not needed", pages, not_needed_again));
        questions.push_back(when_not_needed("PREAD", pages, pread));
        questions.push_back(when_not_needed("PWRITE", pages, pwrite));
        questions.push_back(when_not_needed("SET_DOMAIN", pages, set_domain));
        questions.push_back(when_not_needed("GTT mapping", pages, map_gtt));
        questions.push_back(when_not_needed("WB mapping", pages, map_wb));
        questions.push_back(when_not_needed("GEM_MMAP", pages, mapped_legacy));
    }
    return questions;
}

} // namespace gem_upload::probe
