// QUERY (i915_query.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

constexpr std::int32_t room = 4096;

/// One item: the ioctl's errno and the length that the item got, which may be an errno too.
std::string item(const Client& client, drm_i915_query_item& item, std::uint32_t flags = 0) {
    const drm_i915_query arguments{1, flags, pointer(&item)};
    const int error = client.attempt(DRM_IOCTL_I915_QUERY, arguments);
    return fmt::format("{}, {}", errno_text(error),
                       item.length < 0 ? errno_text(-item.length) : std::to_string(item.length));
}

std::string length_of(const Client& client, std::uint64_t id, std::uint32_t flags = 0) {
    drm_i915_query_item asked{id, 0, flags, 0};
    return item(client, asked);
}

std::string with_room(const Client& client, std::uint64_t id, std::int32_t length, bool zeroed) {
    std::vector<std::byte> data(room, zeroed ? std::byte{0} : std::byte{1});
    drm_i915_query_item asked{id, length, 0, pointer(data.data())};
    return item(client, asked);
}

std::string into_nowhere(const Client& client, std::uint64_t id) {
    const std::string length = length_of(client, id);
    drm_i915_query_item asked{id, room, 0, 0};
    return item(client, asked);
}

std::string engines(const Client& client) {
    std::vector<std::uint64_t> data(room / 8);
    drm_i915_query_item asked{DRM_I915_QUERY_ENGINE_INFO, room, 0, pointer(data.data())};
    std::string answer = item(client, asked);
    const auto* info = reinterpret_cast<const drm_i915_query_engine_info*>(data.data());
    for (std::uint32_t i = 0; i < info->num_engines; ++i) {
        const drm_i915_engine_info& engine = info->engines[i];
        answer += fmt::format(", class {} instance {} flags {:#x} capabilities {:#x}",
                              engine.engine.engine_class, engine.engine.engine_instance,
                              engine.flags, engine.capabilities);
    }
    return answer;
}

std::string regions(const Client& client) {
    std::vector<std::uint64_t> data(room / 8);
    drm_i915_query_item asked{DRM_I915_QUERY_MEMORY_REGIONS, room, 0, pointer(data.data())};
    std::string answer = item(client, asked);
    const auto* info = reinterpret_cast<const drm_i915_query_memory_regions*>(data.data());
    for (std::uint32_t i = 0; i < info->num_regions; ++i) {
        const drm_i915_memory_region_info& region = info->regions[i];
        answer +=
            fmt::format(", class {} instance {} size {}", region.region.memory_class,
                        region.region.memory_instance, region.probed_size == 0 ? "none" : "some");
    }
    return answer;
}

} // namespace

Questions query_questions() {
    Questions questions;
    for (const std::uint64_t id : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
        const auto add = [&questions, id](std::string_view what, auto ask) {
            questions.push_back({fmt::format("QUERY {} {}", id, what), ask});
        };
        add("length", [id](const Client& client) { return length_of(client, id); });
        add("length, flags 1", [id](const Client& client) { return length_of(client, id, 1); });
        add("in a byte", [id](const Client& client) { return with_room(client, id, 1, true); });
        add("in much room",
            [id](const Client& client) { return with_room(client, id, room, true); });
        add("in memory not zeroed",
            [id](const Client& client) { return with_room(client, id, room, false); });
        add("into no memory", [id](const Client& client) { return into_nowhere(client, id); });
    }
    const Questions more{
        {"QUERY engines", engines},
        {"QUERY memory regions", regions},
        {"QUERY nothing",
         [](const Client& client) {
             return errno_text(client.attempt(DRM_IOCTL_I915_QUERY, drm_i915_query{0, 0, 0}));
         }},
        {"QUERY with flags",
         [](const Client& client) {
             return errno_text(client.attempt(DRM_IOCTL_I915_QUERY, drm_i915_query{0, 1, 0}));
         }},
        {"QUERY items nowhere",
         [](const Client& client) {
             return errno_text(client.attempt(DRM_IOCTL_I915_QUERY, drm_i915_query{1, 0, 0}));
         }},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
