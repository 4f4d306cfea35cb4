// GEM_CREATE, GEM_CREATE_EXT and GEM_CLOSE (gem/i915_gem_create.c, drm_gem.c).
#include "answer.h"
#include "question.h"

#include <array>
#include <fmt/format.h>

namespace gem_upload::probe {
namespace {

std::string create(const Client& client, std::uint64_t size) {
    drm_i915_gem_create arguments{};
    arguments.size = size;
    const int error = client.attempt(DRM_IOCTL_I915_GEM_CREATE, &arguments);
    return fmt::format("{}, size {:#x}, handle {}", errno_text(error), arguments.size,
                       arguments.handle);
}

std::string create_ext(const Client& client, std::uint64_t size, std::uint32_t flags,
                       const void* extensions) {
    drm_i915_gem_create_ext arguments{};
    arguments.size = size;
    arguments.flags = flags;
    arguments.extensions = pointer(extensions);
    const int error = client.attempt(DRM_IOCTL_I915_GEM_CREATE_EXT, &arguments);
    return fmt::format("{}, size {:#x}, handle {}", errno_text(error), arguments.size,
                       arguments.handle);
}

std::string create_in(const Client& client,
                      const std::vector<drm_i915_gem_memory_class_instance>& regions,
                      std::uint32_t pad = 0) {
    drm_i915_gem_create_ext_memory_regions extension{};
    extension.base.name = I915_GEM_CREATE_EXT_MEMORY_REGIONS;
    extension.pad = pad;
    extension.num_regions = static_cast<std::uint32_t>(regions.size());
    extension.regions = pointer(regions.data());
    return create_ext(client, page, 0, &extension);
}

std::string create_with_extension(const Client& client, std::uint32_t name, std::uint32_t flags,
                                  std::uint32_t reserved) {
    i915_user_extension extension{};
    extension.name = name;
    extension.flags = flags;
    extension.rsvd[0] = reserved;
    return create_ext(client, page, 0, &extension);
}

constexpr drm_i915_gem_memory_class_instance system_memory{I915_MEMORY_CLASS_SYSTEM, 0};
constexpr drm_i915_gem_memory_class_instance device_memory{I915_MEMORY_CLASS_DEVICE, 0};

Questions size_questions() {
    Questions questions;
    constexpr std::array<std::uint64_t, 13> sizes{0,
                                                  1,
                                                  page - 1,
                                                  page,
                                                  page + 1,
                                                  1 << 20,
                                                  std::uint64_t{1} << 32,
                                                  std::uint64_t{1} << 40,
                                                  (std::uint64_t{1} << 43) - page,
                                                  std::uint64_t{1} << 43,
                                                  std::uint64_t{1} << 63,
                                                  ~std::uint64_t{0} - page,
                                                  ~std::uint64_t{0}};
    for (const std::uint64_t size : sizes) {
        questions.push_back({fmt::format("CREATE of {:#x} bytes", size),
                             [size](const Client& client) { return create(client, size); }});
        questions.push_back(
            {fmt::format("CREATE_EXT of {:#x} bytes", size),
             [size](const Client& client) { return create_ext(client, size, 0, nullptr); }});
    }
    return questions;
}

std::string handles_in_order(const Client& client) {
    const std::uint32_t first = client.create(page);
    const std::uint32_t second = client.create(page);
    const std::uint32_t third = client.create(page);
    client.close(second);
    const std::uint32_t again = client.create(page);
    return fmt::format("{} {} {}, the second closed: {}", first, second, third, again);
}

std::string close(const Client& client, std::uint32_t handle) {
    return errno_text(client.attempt(DRM_IOCTL_GEM_CLOSE, drm_gem_close{handle, 0}));
}

std::string close_twice(const Client& client) {
    const std::uint32_t handle = client.create(page);
    client.close(handle);
    return close(client, handle);
}

std::string others_handle(const Client& client) {
    const Client other(Node::render);
    return close(other, client.create(page));
}

std::string fresh_object(const Client& client) {
    const std::uint32_t handle = client.create(page);
    for (const std::uint32_t dword : client.read(handle, 0, page / 4)) {
        if (dword != 0) {
            return "not zeroed";
        }
    }
    return "zeroed";
}

} // namespace

Questions create_questions() {
    Questions questions = size_questions();
    const Questions more{
        {"CREATE thrice: handles", handles_in_order},
        {"CREATE: content", fresh_object},
        {"CREATE with pad",
         [](const Client& client) {
             drm_i915_gem_create arguments{};
             arguments.size = page;
             arguments.pad = 1;
             return errno_text(client.attempt(DRM_IOCTL_I915_GEM_CREATE, arguments));
         }},
        {"CREATE_EXT flag CPU access",
         [](const Client& client) { return create_ext(client, page, 1, nullptr); }},
        {"CREATE_EXT flag 31",
         [](const Client& client) { return create_ext(client, page, 1U << 31U, nullptr); }},
        {"CREATE_EXT system memory",
         [](const Client& client) { return create_in(client, {system_memory}); }},
        {"CREATE_EXT system memory, pad",
         [](const Client& client) { return create_in(client, {system_memory}, 1); }},
        {"CREATE_EXT system memory twice",
         [](const Client& client) {
             return create_in(client, {system_memory, system_memory});
         }},
        {"CREATE_EXT device memory",
         [](const Client& client) { return create_in(client, {device_memory}); }},
        {"CREATE_EXT in no region", [](const Client& client) { return create_in(client, {}); }},
        {"CREATE_EXT in memory of no class",
         [](const Client& client) {
             return create_in(client, {{7, 0}});
         }},
        {"CREATE_EXT in system memory 1",
         [](const Client& client) {
             return create_in(client, {{I915_MEMORY_CLASS_SYSTEM, 1}});
         }},
        {"CREATE_EXT unknown extension",
         [](const Client& client) { return create_with_extension(client, 99, 0, 0); }},
        {"CREATE_EXT extension with flags",
         [](const Client& client) { return create_with_extension(client, 0, 1, 0); }},
        {"CREATE_EXT extension with reserved",
         [](const Client& client) { return create_with_extension(client, 0, 0, 1); }},
        {"CREATE_EXT protected content",
         [](const Client& client) {
             drm_i915_gem_create_ext_protected_content extension{};
             extension.base.name = I915_GEM_CREATE_EXT_PROTECTED_CONTENT;
             return create_ext(client, page, 0, &extension);
         }},
        {"CLOSE handle 0", [](const Client& client) { return close(client, 0); }},
        {"CLOSE no handle", [](const Client& client) { return close(client, 77); }},
        {"CLOSE twice", close_twice},
        {"CLOSE another client's handle", others_handle},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
