// SET_TILING and GET_TILING (gem/i915_gem_tiling.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

struct Mode {
    std::string_view name;
    std::uint32_t value;
};

constexpr std::array<Mode, 5> modes{{
    {"NONE", I915_TILING_NONE},
    {"X", I915_TILING_X},
    {"Y", I915_TILING_Y},
    {"3", 3},
    {"0xffffffff", 0xffffffff},
}};

constexpr std::array<std::uint32_t, 20> strides{0,     1,     64,     128,    256,    384,   500,
                                                512,   513,   768,    1024,   1280,   1536,  8192,
                                                16384, 16896, 131072, 131584, 262144, 262656};

std::string set_tiling(const Client& client, std::uint32_t handle, std::uint32_t mode,
                       std::uint32_t stride) {
    drm_i915_gem_set_tiling arguments{};
    arguments.handle = handle;
    arguments.tiling_mode = mode;
    arguments.stride = stride;
    arguments.swizzle_mode = 99;
    const int error = client.attempt(DRM_IOCTL_I915_GEM_SET_TILING, &arguments);
    return fmt::format("{}, mode {:#x}, stride {}, swizzle {}", errno_text(error),
                       arguments.tiling_mode, arguments.stride, arguments.swizzle_mode);
}

std::string get_tiling(const Client& client, std::uint32_t handle) {
    drm_i915_gem_get_tiling arguments{};
    arguments.handle = handle;
    arguments.tiling_mode = arguments.swizzle_mode = arguments.phys_swizzle_mode = 99;
    const int error = client.attempt(DRM_IOCTL_I915_GEM_GET_TILING, &arguments);
    return fmt::format("{}, mode {}, swizzle {}, physical {}", errno_text(error),
                       arguments.tiling_mode, arguments.swizzle_mode, arguments.phys_swizzle_mode);
}

std::string set_and_get(const Client& client, std::uint32_t mode) {
    const std::uint32_t handle = client.create(1 << 20);
    insist("SET_TILING", set_tiling(client, handle, mode, 512).starts_with("ok") ? 0 : EINVAL);
    return get_tiling(client, handle);
}

std::string set_refused(const Client& client) {
    const std::uint32_t handle = client.create(1 << 20);
    const std::string first = set_tiling(client, handle, I915_TILING_X, 512);
    const std::string second = set_tiling(client, handle, I915_TILING_X, 500);
    return fmt::format("{}; {}; {}", first, second, get_tiling(client, handle));
}

std::string back_to_none(const Client& client) {
    const std::uint32_t handle = client.create(1 << 20);
    (void)set_tiling(client, handle, I915_TILING_Y, 512);
    const std::string second = set_tiling(client, handle, I915_TILING_NONE, 512);
    return fmt::format("{}; {}", second, get_tiling(client, handle));
}

/// Where a dword of the second tile, written without a fence, is found in a GTT mapping.
std::string detiled(const Client& client, std::uint32_t mode) {
    constexpr std::uint32_t stride = 1024;
    constexpr std::uint32_t rows = 64;
    const std::uint32_t handle = client.create(stride * rows);
    client.write(handle, page + 512, {0x5eed});
    insist("SET_TILING", set_tiling(client, handle, mode, stride).starts_with("ok") ? 0 : EINVAL);
    const Mapping map(client.fd(), map_offset(client, handle, I915_MMAP_OFFSET_GTT), stride * rows);
    client.set_domain(handle, I915_GEM_DOMAIN_GTT, 0);
    std::string answer = "nowhere";
    for (std::uint32_t place = 0; place < stride * rows && answer == "nowhere"; place += 16) {
        const std::string found = read_text(map.at(place));
        if (found != "0x0") {
            answer = fmt::format("{} at row {} byte {}", found, place / stride, place % stride);
        }
    }
    return answer;
}

} // namespace

Questions tiling_questions() {
    Questions questions;
    for (const Mode& mode : modes) {
        for (const std::uint32_t stride : strides) {
            questions.push_back({fmt::format("SET_TILING {} stride {}", mode.name, stride),
                                 [mode, stride](const Client& client) {
                                     return set_tiling(client, client.create(1 << 20), mode.value,
                                                       stride);
                                 }});
        }
    }
    const Questions more{
        {"SET_TILING X of a page",
         [](const Client& client) {
             return set_tiling(client, client.create(page), I915_TILING_X, 512);
         }},
        {"SET_TILING no object",
         [](const Client& client) { return set_tiling(client, 77, I915_TILING_X, 512); }},
        {"SET_TILING bad stride, no object",
         [](const Client& client) { return set_tiling(client, 77, I915_TILING_X, 500); }},
        {"SET_TILING refused changes nothing", set_refused},
        {"SET_TILING back to NONE", back_to_none},
        {"GET_TILING of a new object",
         [](const Client& client) { return get_tiling(client, client.create(page)); }},
        {"GET_TILING no object", [](const Client& client) { return get_tiling(client, 77); }},
        {"GET_TILING X", [](const Client& client) { return set_and_get(client, I915_TILING_X); }},
        {"GET_TILING Y", [](const Client& client) { return set_and_get(client, I915_TILING_Y); }},
        {"SET_TILING X through a GTT mapping",
         [](const Client& client) { return detiled(client, I915_TILING_X); }},
        {"SET_TILING Y through a GTT mapping",
         [](const Client& client) { return detiled(client, I915_TILING_Y); }},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
