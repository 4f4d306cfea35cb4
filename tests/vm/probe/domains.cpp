// SET_DOMAIN, SW_FINISH (gem/i915_gem_domain.c, i915_gem.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

struct Domains {
    std::string_view name;
    std::uint32_t bits;
};

constexpr std::array<Domains, 11> domains{{
    {"nothing", 0},
    {"CPU", I915_GEM_DOMAIN_CPU},
    {"GTT", I915_GEM_DOMAIN_GTT},
    {"WC", I915_GEM_DOMAIN_WC},
    {"CPU|GTT", I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_GTT},
    {"CPU|WC", I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_WC},
    {"RENDER", I915_GEM_DOMAIN_RENDER},
    {"COMMAND", I915_GEM_DOMAIN_COMMAND},
    {"CPU|RENDER", I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_RENDER},
    {"bit 8", 1U << 8U},
    {"all", ~0U},
}};

std::string set_domain(const Client& client, std::uint32_t handle, std::uint32_t read,
                       std::uint32_t write) {
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_SET_DOMAIN,
                                     drm_i915_gem_set_domain{handle, read, write}));
}

std::string sw_finish(const Client& client, std::uint32_t handle) {
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_SW_FINISH, drm_i915_gem_sw_finish{handle}));
}

/// Writes through one kind of mapping and reads through another, with the domains that are owed.
std::string carried(const Client& client, std::uint64_t write_flags, std::uint32_t write_domain,
                    std::uint64_t read_flags, std::uint32_t read_domain) {
    const std::uint32_t handle = client.create(page);
    const Mapping writer = map_legacy(client, handle, page, write_flags);
    const Mapping reader = map_legacy(client, handle, page, read_flags);
    client.set_domain(handle, write_domain, write_domain);
    const std::string written = touch_write(writer.at(64), 0x12345678);
    client.set_domain(handle, read_domain, 0);
    return fmt::format("{}, {}", written, read_text(reader.at(64)));
}

Questions pair_questions() {
    Questions questions;
    for (const Domains& read : domains) {
        for (const Domains& write : domains) {
            questions.push_back({fmt::format("SET_DOMAIN read {} write {}", read.name, write.name),
                                 [read, write](const Client& client) {
                                     return set_domain(client, client.create(page), read.bits,
                                                       write.bits);
                                 }});
        }
        questions.push_back(
            {fmt::format("SET_DOMAIN read {} of no object", read.name),
             [read](const Client& client) { return set_domain(client, 77, read.bits, 0); }});
    }
    return questions;
}

} // namespace

Questions domain_questions() {
    Questions questions = pair_questions();
    const Questions more{
        {"SET_DOMAIN WB to WC mapping",
         [](const Client& client) {
             return carried(client, 0, I915_GEM_DOMAIN_CPU, I915_MMAP_WC, I915_GEM_DOMAIN_WC);
         }},
        {"SET_DOMAIN WC to WB mapping",
         [](const Client& client) {
             return carried(client, I915_MMAP_WC, I915_GEM_DOMAIN_WC, 0, I915_GEM_DOMAIN_CPU);
         }},
        {"SW_FINISH", [](const Client& client) { return sw_finish(client, client.create(page)); }},
        {"SW_FINISH no object", [](const Client& client) { return sw_finish(client, 77); }},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
