// PREAD and PWRITE (i915_gem.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

constexpr std::uint64_t everything = ~std::uint64_t{0};
constexpr std::uint32_t object_bytes = 2 * page;

struct Range {
    std::string_view name;
    std::uint64_t offset;
    std::uint64_t size;
};

constexpr std::array<Range, 15> ranges{{
    {"nothing", 0, 0},
    {"nothing at the end", object_bytes, 0},
    {"nothing past the end", object_bytes + 1, 0},
    {"one byte", 0, 1},
    {"the last byte", object_bytes - 1, 1},
    {"a byte past the end", object_bytes, 1},
    {"all", 0, object_bytes},
    {"one too many", 0, object_bytes + 1},
    {"across the end", object_bytes - 4, 8},
    {"across a page", page - 6, 13},
    {"odd offset and size", 3, 7},
    {"far past the end", std::uint64_t{1} << 40, 4},
    {"offset that overflows", everything - 3, 8},
    {"size that overflows", page, everything - page + 1},
    {"all there is", 0, everything},
}};

int write(const Client& client, std::uint32_t handle, std::uint64_t offset, std::uint64_t size,
          const void* data) {
    return client.attempt(DRM_IOCTL_I915_GEM_PWRITE,
                          drm_i915_gem_pwrite{handle, 0, offset, size, pointer(data)});
}

int read(const Client& client, std::uint32_t handle, std::uint64_t offset, std::uint64_t size,
         void* data) {
    return client.attempt(DRM_IOCTL_I915_GEM_PREAD,
                          drm_i915_gem_pread{handle, 0, offset, size, pointer(data)});
}

Questions range_questions() {
    Questions questions;
    for (const Range& range : ranges) {
        questions.push_back({fmt::format("PWRITE {}", range.name), [range](const Client& client) {
                                 const std::vector<std::byte> data(object_bytes + 1);
                                 return errno_text(write(client, client.create(object_bytes),
                                                         range.offset, range.size, data.data()));
                             }});
        questions.push_back({fmt::format("PREAD {}", range.name), [range](const Client& client) {
                                 std::vector<std::byte> data(object_bytes + 1);
                                 return errno_text(read(client, client.create(object_bytes),
                                                        range.offset, range.size, data.data()));
                             }});
    }
    return questions;
}

/// What a PWRITE of bytes in an otherwise zeroed object leaves around them; after PAGES the object
/// has pages and the kernel takes another path.
std::string neighbours(const Client& client, bool pages) {
    const std::uint32_t handle = client.create(object_bytes);
    if (pages) {
        client.set_domain(handle, I915_GEM_DOMAIN_GTT, I915_GEM_DOMAIN_GTT);
    }
    const std::array<unsigned char, 5> data{1, 2, 3, 4, 5};
    insist("PWRITE", write(client, handle, page - 3, data.size(), data.data()));
    const std::vector<std::uint32_t> found = client.read(handle, page - 8, 4);
    return fmt::format("{:08x} {:08x} {:08x} {:08x}", found[0], found[1], found[2], found[3]);
}

/// How a write ends whose second page of data is not there, and what it wrote of the first.
std::string half_there(const Client& client, bool pages) {
    const std::uint32_t handle = client.create(object_bytes);
    if (pages) {
        client.set_domain(handle, I915_GEM_DOMAIN_GTT, I915_GEM_DOMAIN_GTT);
    }
    const Mapping memory = anonymous_pages(2);
    ::munmap(memory.at(page), page);
    return errno_text(write(client, handle, 0, object_bytes, memory.at(0)));
}

std::string read_half_there(const Client& client) {
    const Mapping memory = anonymous_pages(2);
    ::munmap(memory.at(page), page);
    return errno_text(read(client, client.create(object_bytes), 0, object_bytes, memory.at(0)));
}

std::string read_into_read_only(const Client& client) {
    const Mapping memory = anonymous_pages(1, PROT_READ);
    return errno_text(read(client, client.create(page), 0, page, memory.at(0)));
}

std::string write_from_unreadable(const Client& client) {
    const Mapping memory = anonymous_pages(1, PROT_NONE);
    return errno_text(write(client, client.create(page), 0, page, memory.at(0)));
}

std::string write_then_map(const Client& client) {
    const std::uint32_t handle = client.create(page);
    const std::uint32_t data = 0x11111111;
    insist("PWRITE", write(client, handle, 0, sizeof data, &data));
    client.set_domain(handle, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
    return read_text(map_legacy(client, handle, page).at(0));
}

} // namespace

Questions transfer_questions() {
    Questions questions = range_questions();
    const Questions more{
        {"PWRITE no object",
         [](const Client& client) { return errno_text(write(client, 77, 0, 4, &client)); }},
        {"PWRITE nothing to no object",
         [](const Client& client) { return errno_text(write(client, 77, 0, 0, nullptr)); }},
        {"PWRITE from no memory",
         [](const Client& client) {
             return errno_text(write(client, client.create(page), 0, 4, nullptr));
         }},
        {"PWRITE nothing from no memory",
         [](const Client& client) {
             return errno_text(write(client, client.create(page), 0, 0, nullptr));
         }},
        {"PWRITE from no memory past the end",
         [](const Client& client) {
             return errno_text(write(client, client.create(page), page, 4, nullptr));
         }},
        {"PWRITE from unreadable memory", write_from_unreadable},
        {"PWRITE from memory half there",
         [](const Client& client) { return half_there(client, false); }},
        {"PWRITE from memory half there, object with pages",
         [](const Client& client) { return half_there(client, true); }},
        {"PWRITE beside zeros", [](const Client& client) { return neighbours(client, false); }},
        {"PWRITE beside zeros, object with pages",
         [](const Client& client) { return neighbours(client, true); }},
        {"PWRITE then map", write_then_map},
        {"PREAD no object",
         [](const Client& client) {
             std::uint32_t data = 0;
             return errno_text(read(client, 77, 0, 4, &data));
         }},
        {"PREAD nothing of no object",
         [](const Client& client) { return errno_text(read(client, 77, 0, 0, nullptr)); }},
        {"PREAD into no memory",
         [](const Client& client) {
             return errno_text(read(client, client.create(page), 0, 4, nullptr));
         }},
        {"PREAD into memory half there", read_half_there},
        {"PREAD into read-only memory", read_into_read_only},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
