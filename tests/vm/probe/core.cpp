// What the DRM core answers for every driver (drm_ioctl.c, drm_auth.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <array>
#include <drm.h>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

std::string version(const Client& client) {
    std::array<char, 64> name{};
    std::array<char, 64> date{};
    drm_version arguments{};
    arguments.name = name.data();
    arguments.name_len = name.size() - 1;
    arguments.date = date.data();
    arguments.date_len = date.size() - 1;
    const int error = client.attempt(DRM_IOCTL_VERSION, &arguments);
    return fmt::format("{}, {}.{}.{}, {} ({}), {} ({})", errno_text(error), arguments.version_major,
                       arguments.version_minor, arguments.version_patchlevel, name.data(),
                       arguments.name_len, date.data(), arguments.date_len);
}

std::string version_in_little_room(const Client& client) {
    std::array<char, 4> name{'?', '?', '?', '?'};
    drm_version arguments{};
    arguments.name = name.data();
    arguments.name_len = 2;
    const int error = client.attempt(DRM_IOCTL_VERSION, &arguments);
    return fmt::format("{}, {} of {}", errno_text(error),
                       std::string_view(name.data(), name.size()), arguments.name_len);
}

std::string unique(const Client& client) {
    std::array<char, 64> text{};
    drm_unique arguments{text.size() - 1, text.data()};
    const int error = client.attempt(DRM_IOCTL_GET_UNIQUE, &arguments);
    return fmt::format("{}, {} '{}'", errno_text(error), arguments.unique_len, text.data());
}

std::string set_version(const Client& client, drm_set_version arguments) {
    const int error = client.attempt(DRM_IOCTL_SET_VERSION, &arguments);
    return fmt::format("{}, {}.{} {}.{}", errno_text(error), arguments.drm_di_major,
                       arguments.drm_di_minor, arguments.drm_dd_major, arguments.drm_dd_minor);
}

std::string unique_after_version(const Client& client) {
    const std::string set = set_version(client, {1, 4, -1, -1});
    return fmt::format("{}; {}", set, unique(client));
}

struct Capability {
    std::string_view name;
    std::uint64_t number;
};

constexpr std::array<Capability, 17> capabilities{{
    {"0", 0},
    {"DUMB_BUFFER", 1},
    {"VBLANK_HIGH_CRTC", 2},
    {"DUMB_PREFERRED_DEPTH", 3},
    {"DUMB_PREFER_SHADOW", 4},
    {"PRIME", 5},
    {"TIMESTAMP_MONOTONIC", 6},
    {"ASYNC_PAGE_FLIP", 7},
    {"CURSOR_WIDTH", 8},
    {"CURSOR_HEIGHT", 9},
    {"ADDFB2_MODIFIERS", 0x10},
    {"PAGE_FLIP_TARGET", 0x11},
    {"CRTC_IN_VBLANK_EVENT", 0x12},
    {"SYNCOBJ", 0x13},
    {"SYNCOBJ_TIMELINE", 0x14},
    {"0x15", 0x15},
    {"2^63", std::uint64_t{1} << 63},
}};

std::string capability(const Client& client, std::uint64_t number) {
    drm_get_cap arguments{number, 99};
    const int error = client.attempt(DRM_IOCTL_GET_CAP, &arguments);
    return error != 0 ? errno_text(error) : fmt::format("ok, {}", arguments.value);
}

std::string set_capability(const Client& client, std::uint64_t number, std::uint64_t value) {
    return errno_text(client.attempt(DRM_IOCTL_SET_CLIENT_CAP, drm_set_client_cap{number, value}));
}

std::string magic(const Client& client) {
    drm_auth first{};
    drm_auth second{};
    const int error = client.attempt(DRM_IOCTL_GET_MAGIC, &first);
    insist("GET_MAGIC", client.attempt(DRM_IOCTL_GET_MAGIC, &second));
    return fmt::format("{}, zero {}, again {}", errno_text(error), yes_or_no(first.magic == 0),
                       first.magic == second.magic ? "same" : "differs");
}

std::string accept_magic(const Client& client, const Client& other) {
    drm_auth magic{};
    insist("GET_MAGIC", other.attempt(DRM_IOCTL_GET_MAGIC, &magic));
    const int first = client.attempt(DRM_IOCTL_AUTH_MAGIC, &magic);
    const int second = client.attempt(DRM_IOCTL_AUTH_MAGIC, &magic);
    return fmt::format("{}, again {}", errno_text(first), errno_text(second));
}

std::string plain(const Client& client, unsigned long request) {
    return errno_text(client.attempt(request, nullptr));
}

std::string master(const Client& client) {
    const std::string dropped = plain(client, DRM_IOCTL_DROP_MASTER);
    const std::string dropped_again = plain(client, DRM_IOCTL_DROP_MASTER);
    const std::string set = plain(client, DRM_IOCTL_SET_MASTER);
    return fmt::format("dropped {}, again {}, set {}, again {}", dropped, dropped_again, set,
                       plain(client, DRM_IOCTL_SET_MASTER));
}

std::string second_master(const Client& client) {
    const Client other(Node::primary);
    const std::string second = plain(other, DRM_IOCTL_SET_MASTER);
    return fmt::format("{}, {}", second, plain(client, DRM_IOCTL_SET_MASTER));
}

/// A structure passed shorter or longer than the kernel's.
std::string getparam_sized(const Client& client, std::size_t size) {
    struct {
        drm_i915_getparam arguments;
        std::array<std::uint64_t, 8> more;
    } sized{};
    int value = -1;
    sized.arguments = {I915_PARAM_HAS_GEM, &value};
    const unsigned long request =
        _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, DRM_COMMAND_BASE + DRM_I915_GETPARAM, size);
    const int error = client.attempt(request, &sized);
    return fmt::format("{}, {}", errno_text(error), value);
}

std::string create_directed(const Client& client, unsigned direction) {
    drm_i915_gem_create arguments{};
    arguments.size = 100;
    const int error = client.attempt(
        _IOC(direction, DRM_IOCTL_BASE, DRM_COMMAND_BASE + DRM_I915_GEM_CREATE, sizeof arguments),
        &arguments);
    return fmt::format("{}, size {}, handle {}", errno_text(error), arguments.size,
                       arguments.handle);
}

std::string bad_argument(const Client& client, const void* address) {
    // The kernel's structure, from an address that is none.
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_CREATE, const_cast<void*>(address)));
}

Questions version_questions() {
    return {
        {"VERSION", version},
        {"VERSION on the primary node", version, Node::primary},
        {"VERSION in little room", version_in_little_room},
        {"GET_UNIQUE", unique, Node::primary},
        {"GET_UNIQUE on a render node", unique},
        {"SET_VERSION of nothing",
         [](const Client& client) {
             return set_version(client, {-1, -1, -1, -1});
         },
         Node::primary},
        {"SET_VERSION 1.4",
         [](const Client& client) {
             return set_version(client, {1, 4, 1, 6});
         },
         Node::primary},
        {"SET_VERSION 1.9",
         [](const Client& client) {
             return set_version(client, {1, 9, -1, -1});
         },
         Node::primary},
        {"SET_VERSION 2.0",
         [](const Client& client) {
             return set_version(client, {2, 0, -1, -1});
         },
         Node::primary},
        {"SET_VERSION of the driver 2.0",
         [](const Client& client) {
             return set_version(client, {-1, -1, 2, 0});
         },
         Node::primary},
        {"SET_VERSION, then GET_UNIQUE", unique_after_version, Node::primary},
    };
}

Questions authentication_questions() {
    return {
        {"GET_MAGIC", magic, Node::primary},
        {"GET_MAGIC on a render node",
         [](const Client& client) {
             return errno_text(client.attempt(DRM_IOCTL_GET_MAGIC, drm_auth{}));
         }},
        {"AUTH_MAGIC of another",
         [](const Client& client) { return accept_magic(client, Client(Node::primary)); },
         Node::primary},
        {"AUTH_MAGIC by another",
         [](const Client& client) { return accept_magic(Client(Node::primary), client); },
         Node::primary},
        {"AUTH_MAGIC of its own", [](const Client& client) { return accept_magic(client, client); },
         Node::primary},
        {"AUTH_MAGIC of nobody",
         [](const Client& client) {
             return errno_text(client.attempt(DRM_IOCTL_AUTH_MAGIC, drm_auth{7777}));
         },
         Node::primary},
        {"SET_MASTER and DROP_MASTER", master, Node::primary},
        {"SET_MASTER by two", second_master, Node::primary},
        {"SET_MASTER on a render node",
         [](const Client& client) { return plain(client, DRM_IOCTL_SET_MASTER); }},
    };
}

} // namespace

Questions core_questions() {
    Questions questions = version_questions();
    const Questions authentication = authentication_questions();
    questions.insert(questions.end(), authentication.begin(), authentication.end());
    for (const Capability& entry : capabilities) {
        questions.push_back({fmt::format("GET_CAP {}", entry.name), [entry](const Client& client) {
                                 return capability(client, entry.number);
                             }});
    }
    for (const unsigned number : {0U, 1U, 2U, 3U, 4U, 5U, 6U}) {
        questions.push_back(
            {fmt::format("SET_CLIENT_CAP {}", number),
             [number](const Client& client) { return set_capability(client, number, 1); },
             Node::primary});
    }
    for (const std::size_t size : {0U, 4U, 8U, 16U, 24U, 64U}) {
        questions.push_back(
            {fmt::format("GETPARAM in {} bytes", size),
             [size](const Client& client) { return getparam_sized(client, size); }});
    }
    for (const unsigned direction : {_IOC_NONE, _IOC_WRITE, _IOC_READ}) {
        questions.push_back(
            {fmt::format("CREATE in direction {}", direction),
             [direction](const Client& client) { return create_directed(client, direction); }});
    }
    const Questions more{
        {"CREATE of no arguments",
         [](const Client& client) { return bad_argument(client, nullptr); }},
        {"CREATE of arguments that cannot be read",
         [](const Client& client) {
             return bad_argument(client, anonymous_pages(1, PROT_NONE).at(0));
         }},
        {"CREATE of arguments that cannot be written",
         [](const Client& client) {
             return bad_argument(client, anonymous_pages(1, PROT_READ).at(0));
         }},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
