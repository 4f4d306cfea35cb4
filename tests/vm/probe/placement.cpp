// Softpin: objects at addresses that the caller chose (gem/i915_gem_execbuffer.c, eb_pin_vma).
#include "answer.h"
#include "batch.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t gib = 1024 * mib;
constexpr std::uint64_t wide = EXEC_OBJECT_SUPPORTS_48B_ADDRESS;

std::string pin(const Client& client, std::uint64_t offset, std::uint64_t flags,
                std::uint64_t alignment = 0) {
    std::vector<drm_i915_gem_exec_object2> objects{
        exec_object(client.create(page), EXEC_OBJECT_PINNED | flags, offset),
        exec_object(ending_batch(client))};
    objects[0].alignment = alignment;
    const int error = submit(client, objects);
    return fmt::format("{}, offset {}", errno_text(error),
                       objects[0].offset == offset ? "kept" : "changed");
}

struct Place {
    std::string_view name;
    std::uint64_t offset;
    std::uint64_t flags;
};

constexpr std::array<Place, 14> places{{
    {"at 64 MiB", 64 * mib, 0},
    {"at 200 MiB", 200 * mib, 0},
    {"at 200 MiB, 48 bit", 200 * mib, wide},
    {"at 1 GiB", gib, 0},
    {"at 3 GiB", 3 * gib, 0},
    {"at 4 GiB less a page", 4 * gib - page, 0},
    {"at 4 GiB", 4 * gib, 0},
    {"at 4 GiB, 48 bit", 4 * gib, wide},
    {"at 2^46, 48 bit", std::uint64_t{1} << 46, wide},
    {"at 2^47, 48 bit, not canonical", std::uint64_t{1} << 47, wide},
    {"at 2^47, 48 bit, canonical", ~std::uint64_t{0} << 47, wide},
    {"at an odd address", 64 * mib + 4, 0},
    {"at half a page", 64 * mib + page / 2, 0},
    {"at 2^63", std::uint64_t{1} << 63, 0},
}};

std::string over_each_other(const Client& client, std::uint64_t distance) {
    std::vector<drm_i915_gem_exec_object2> objects{
        exec_object(client.create(2 * page), EXEC_OBJECT_PINNED, 64 * mib),
        exec_object(client.create(2 * page), EXEC_OBJECT_PINNED, 64 * mib + distance),
        exec_object(ending_batch(client))};
    return errno_text(submit(client, objects));
}

std::string over_another(const Client& client) {
    std::vector<drm_i915_gem_exec_object2> objects{
        exec_object(client.create(page), EXEC_OBJECT_PINNED, 64 * mib),
        exec_object(ending_batch(client))};
    insist("EXEC", submit(client, objects));
    objects[0].handle = client.create(page);
    const int error = submit(client, objects);
    return fmt::format("{}, at {:#x}", errno_text(error), objects[0].offset);
}

std::string moved(const Client& client) {
    std::vector<drm_i915_gem_exec_object2> objects{
        exec_object(client.create(page), EXEC_OBJECT_PINNED, 64 * mib),
        exec_object(ending_batch(client))};
    insist("EXEC", submit(client, objects));
    objects[0].offset = 96 * mib;
    const int error = submit(client, objects);
    return fmt::format("{}, at {:#x}", errno_text(error), objects[0].offset);
}

std::string believed(const Client& client) {
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(client.create(page), 0, 112 * mib),
                                                   exec_object(ending_batch(client))};
    const int error = submit(client, objects);
    return fmt::format("{}, offset {}", errno_text(error),
                       objects[0].offset == 112 * mib ? "kept" : "changed");
}

std::string aligned(const Client& client, std::uint64_t alignment) {
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(client.create(page)),
                                                   exec_object(ending_batch(client))};
    objects[0].alignment = alignment;
    const int error = submit(client, objects);
    return fmt::format("{}, aligned {}", errno_text(error),
                       yes_or_no(objects[0].offset % alignment == 0));
}

} // namespace

Questions placement_questions() {
    Questions questions;
    for (const Place& place : places) {
        questions.push_back({fmt::format("PINNED {}", place.name), [place](const Client& client) {
                                 return pin(client, place.offset, place.flags);
                             }});
    }
    const Questions more{
        {"PINNED against its alignment",
         [](const Client& client) { return pin(client, 64 * mib + page, 0, 64 * page); }},
        {"PINNED over each other", [](const Client& client) { return over_each_other(client, 0); }},
        {"PINNED half over each other",
         [](const Client& client) { return over_each_other(client, page); }},
        {"PINNED side by side",
         [](const Client& client) { return over_each_other(client, 2 * page); }},
        {"PINNED where another object was", over_another},
        {"PINNED elsewhere", moved},
        {"EXEC object believed to be at 112 MiB", believed},
        {"EXEC object aligned to 64 KiB",
         [](const Client& client) { return aligned(client, 1 << 16); }},
        {"EXEC object aligned to 16 MiB",
         [](const Client& client) { return aligned(client, 1 << 24); }},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
