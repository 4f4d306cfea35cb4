// SET_CACHING and GET_CACHING (gem/i915_gem_domain.c).
#include "answer.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

struct Caching {
    std::string_view name;
    std::uint32_t value;
};

constexpr std::array<Caching, 5> cachings{{
    {"NONE", I915_CACHING_NONE},
    {"CACHED", I915_CACHING_CACHED},
    {"DISPLAY", I915_CACHING_DISPLAY},
    {"3", 3},
    {"0xffffffff", 0xffffffff},
}};

std::string get_caching(const Client& client, std::uint32_t handle) {
    drm_i915_gem_caching arguments{handle, 99};
    const int error = client.attempt(DRM_IOCTL_I915_GEM_GET_CACHING, &arguments);
    return fmt::format("{}, {}", errno_text(error), arguments.caching);
}

int set_caching(const Client& client, std::uint32_t handle, std::uint32_t caching) {
    return client.attempt(DRM_IOCTL_I915_GEM_SET_CACHING, drm_i915_gem_caching{handle, caching});
}

std::string set_and_get(const Client& client, std::uint32_t caching) {
    const std::uint32_t handle = client.create(page);
    const int error = set_caching(client, handle, caching);
    return fmt::format("{}; then {}", errno_text(error), get_caching(client, handle));
}

std::string back_and_forth(const Client& client) {
    const std::uint32_t handle = client.create(page);
    client.write(handle, 0, {0xabcdef01});
    std::string answer;
    for (const unsigned caching : {1U, 0U, 1U}) {
        insist("SET_CACHING", set_caching(client, handle, caching));
        answer += fmt::format("{:#x} ", client.read(handle, 0, 1)[0]);
    }
    return answer + get_caching(client, handle);
}

} // namespace

Questions caching_questions() {
    Questions questions{
        {"GET_CACHING of a new object",
         [](const Client& client) { return get_caching(client, client.create(page)); }},
        {"GET_CACHING no object", [](const Client& client) { return get_caching(client, 77); }},
        {"SET_CACHING to and fro keeps the content", back_and_forth},
    };
    for (const Caching& caching : cachings) {
        questions.push_back(
            {fmt::format("SET_CACHING {}", caching.name),
             [caching](const Client& client) { return set_and_get(client, caching.value); }});
        questions.push_back({fmt::format("SET_CACHING {} no object", caching.name),
                             [caching](const Client& client) {
                                 return errno_text(set_caching(client, 77, caching.value));
                             }});
    }
    return questions;
}

} // namespace gem_upload::probe
