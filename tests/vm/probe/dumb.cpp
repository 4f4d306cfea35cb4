// Dumb buffers (drm_dumb_buffers.c, gem/i915_gem_create.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <array>
#include <drm_mode.h>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

struct Shape {
    std::uint32_t width;
    std::uint32_t height;
    std::uint32_t bpp;
};

constexpr std::array<Shape, 18> shapes{{
    {64, 64, 32},
    {1, 1, 32},
    {1, 1, 1},
    {17, 3, 8},
    {17, 3, 15},
    {17, 3, 16},
    {17, 3, 24},
    {17, 3, 64},
    {1280, 720, 32},
    {0, 64, 32},
    {64, 0, 32},
    {64, 64, 0},
    {~0U, 1, 32},
    {1, ~0U, 32},
    {~0U, ~0U, 32},
    {64, 64, ~0U},
    {1 << 15, 1, 128},
    {1 << 13, 1, 32},
}};

int create(const Client& client, drm_mode_create_dumb& arguments) {
    return client.attempt(DRM_IOCTL_MODE_CREATE_DUMB, &arguments);
}

std::string create(const Client& client, const Shape& shape, std::uint32_t flags = 0) {
    drm_mode_create_dumb arguments{};
    arguments.width = shape.width;
    arguments.height = shape.height;
    arguments.bpp = shape.bpp;
    arguments.flags = flags;
    const int error = create(client, arguments);
    return fmt::format("{}, handle {}, pitch {}, size {:#x}", errno_text(error), arguments.handle,
                       arguments.pitch, arguments.size);
}

int map(const Client& client, std::uint32_t handle, std::uint32_t pad, std::uint64_t& offset) {
    drm_mode_map_dumb arguments{handle, pad, 0};
    const int error = client.attempt(DRM_IOCTL_MODE_MAP_DUMB, &arguments);
    offset = arguments.offset;
    return error;
}

std::string map(const Client& client, std::uint32_t handle, std::uint32_t pad = 0) {
    std::uint64_t offset = 0;
    return errno_text(map(client, handle, pad, offset));
}

std::string destroy(const Client& client, std::uint32_t handle) {
    return errno_text(client.attempt(DRM_IOCTL_MODE_DESTROY_DUMB, drm_mode_destroy_dumb{handle}));
}

std::string written_and_read(const Client& client) {
    drm_mode_create_dumb buffer{};
    buffer.width = buffer.height = 64;
    buffer.bpp = 32;
    insist("CREATE_DUMB", create(client, buffer));
    std::uint64_t offset = 0;
    insist("MAP_DUMB", map(client, buffer.handle, 0, offset));
    const Mapping first(client.fd(), offset, buffer.size);
    const Mapping second(client.fd(), offset, buffer.size);
    const std::string written = touch_write(first.at(page + 8), 0x600d);
    return fmt::format(
        "{}, {}, tiling {}", written, read_text(second.at(page + 8)), [&client, &buffer] {
            drm_i915_gem_get_tiling tiling{};
            tiling.handle = buffer.handle;
            insist("GET_TILING", client.attempt(DRM_IOCTL_I915_GEM_GET_TILING, &tiling));
            return tiling.tiling_mode;
        }());
}

std::string destroyed_twice(const Client& client) {
    drm_mode_create_dumb buffer{};
    buffer.width = buffer.height = 64;
    buffer.bpp = 32;
    insist("CREATE_DUMB", create(client, buffer));
    const std::string first = destroy(client, buffer.handle);
    return fmt::format("{}, {}", first, destroy(client, buffer.handle));
}

} // namespace

Questions dumb_questions() {
    Questions questions;
    for (const Shape& shape : shapes) {
        questions.push_back(
            {fmt::format("CREATE_DUMB {} x {} of {} bits", shape.width, shape.height, shape.bpp),
             [shape](const Client& client) { return create(client, shape); }, Node::primary});
    }
    const Questions more{
        {"CREATE_DUMB with flags",
         [](const Client& client) {
             return create(client, {64, 64, 32}, 1);
         },
         Node::primary},
        {"CREATE_DUMB on a render node",
         [](const Client& client) {
             return create(client, {64, 64, 32});
         }},
        {"MAP_DUMB no object", [](const Client& client) { return map(client, 77); }, Node::primary},
        {"MAP_DUMB of an object that is none",
         [](const Client& client) { return map(client, client.create(page)); }, Node::primary},
        {"MAP_DUMB with pad",
         [](const Client& client) { return map(client, client.create(page), 1); }, Node::primary},
        {"MAP_DUMB on a render node",
         [](const Client& client) { return map(client, client.create(page)); }},
        {"DESTROY_DUMB no object", [](const Client& client) { return destroy(client, 77); },
         Node::primary},
        {"DESTROY_DUMB twice", destroyed_twice, Node::primary},
        {"DESTROY_DUMB of an object that is none",
         [](const Client& client) { return destroy(client, client.create(page)); }, Node::primary},
        {"DESTROY_DUMB on a render node",
         [](const Client& client) { return destroy(client, client.create(page)); }},
        {"Dumb buffer written and read", written_and_read, Node::primary},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
