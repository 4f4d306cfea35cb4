// Who may do what: an unprivileged user, an unauthenticated client.
#include "answer.h"
#include "asking.h"
#include "batch.h"
#include "question.h"

#include <array>
#include <cerrno>
#include <drm_mode.h>
#include <fmt/format.h>
#include <grp.h>
#include <string_view>
#include <unistd.h>

namespace gem_upload::probe {
namespace {

constexpr unsigned nobody = 65534;

using Ask = std::string(const Client&);

/// Asks in a child that has given up its privileges; CLIENT was opened before.
std::string as_nobody(const Client& client, Ask* ask) {
    return in_a_child([&client, ask] {
        insist("setgroups", ::setgroups(0, nullptr) == 0 ? 0 : errno);
        insist("setgid", ::setgid(nobody) == 0 ? 0 : errno);
        insist("setuid", ::setuid(nobody) == 0 ? 0 : errno);
        return ask(client);
    });
}

Question by_nobody(std::string_view name, Node node, Ask* ask) {
    return {fmt::format("Unprivileged, {} node: {}", node == Node::primary ? "primary" : "render",
                        name),
            [ask](const Client& client) { return as_nobody(client, ask); }, node};
}

/// By a client that is neither master nor authenticated: another one was there first.
Question by_second(std::string_view name, Ask* ask) {
    return {fmt::format("Unauthenticated: {}", name),
            [ask](const Client& /*first*/) { return as_nobody(Client(Node::primary), ask); },
            Node::primary};
}

std::string create(const Client& client) {
    drm_i915_gem_create arguments{};
    arguments.size = page;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_CREATE, &arguments));
}
std::string getparam(const Client& client) {
    int value = 0;
    return errno_text(
        client.attempt(DRM_IOCTL_I915_GETPARAM, drm_i915_getparam{I915_PARAM_HAS_GEM, &value}));
}
std::string execute(const Client& client) {
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(ending_batch(client))};
    return errno_text(submit(client, objects));
}
std::string execute_privileged(const Client& client) {
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(ending_batch(client))};
    return errno_text(submit(client, objects, I915_EXEC_SECURE));
}
std::string reset_stats(const Client& client) {
    drm_i915_reset_stats arguments{};
    arguments.reset_count = 99;
    const int error = client.attempt(DRM_IOCTL_I915_GET_RESET_STATS, &arguments);
    return fmt::format("{}, count {}", errno_text(error), arguments.reset_count);
}
std::string priority(const Client& client) {
    drm_i915_gem_context_param arguments{};
    arguments.param = I915_CONTEXT_PARAM_PRIORITY;
    arguments.value = 1;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &arguments));
}
std::string bannable(const Client& client) {
    drm_i915_gem_context_param arguments{};
    arguments.param = I915_CONTEXT_PARAM_BANNABLE;
    arguments.value = 0;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &arguments));
}
std::string create_dumb(const Client& client) {
    drm_mode_create_dumb arguments{};
    arguments.width = arguments.height = arguments.bpp = 32;
    return errno_text(client.attempt(DRM_IOCTL_MODE_CREATE_DUMB, &arguments));
}
std::string flink(const Client& client) {
    return errno_text(client.attempt(DRM_IOCTL_GEM_FLINK, drm_gem_flink{client.create(page), 0}));
}
std::string open_name(const Client& client) {
    return errno_text(client.attempt(DRM_IOCTL_GEM_OPEN, drm_gem_open{7777, 0, 0}));
}
std::string export_handle(const Client& client) {
    return errno_text(
        client.attempt(DRM_IOCTL_PRIME_HANDLE_TO_FD, drm_prime_handle{client.create(page), 0, -1}));
}
std::string set_master(const Client& client) {
    return errno_text(client.attempt(DRM_IOCTL_SET_MASTER, nullptr));
}
std::string drop_master(const Client& client) {
    return errno_text(client.attempt(DRM_IOCTL_DROP_MASTER, nullptr));
}
std::string accept_magic(const Client& client) {
    return errno_text(client.attempt(DRM_IOCTL_AUTH_MAGIC, drm_auth{7777}));
}
std::string get_magic(const Client& client) {
    return errno_text(client.attempt(DRM_IOCTL_GET_MAGIC, drm_auth{}));
}
std::string set_version(const Client& client) {
    return errno_text(client.attempt(DRM_IOCTL_SET_VERSION, drm_set_version{-1, -1, -1, -1}));
}
std::string legacy(const Client& client) {
    std::array<std::byte, 64> arguments{};
    return errno_text(client.attempt(
        DRM_IOWR(DRM_COMMAND_BASE + DRM_I915_SETPARAM, decltype(arguments)), &arguments));
}

struct Asked {
    std::string_view name;
    Ask* ask;
};

constexpr std::array<Asked, 18> asked{{
    {"CREATE", create},
    {"GETPARAM", getparam},
    {"EXEC", execute},
    {"EXEC privileged", execute_privileged},
    {"GET_RESET_STATS", reset_stats},
    {"CONTEXT_SETPARAM PRIORITY 1", priority},
    {"CONTEXT_SETPARAM BANNABLE 0", bannable},
    {"CREATE_DUMB", create_dumb},
    {"FLINK", flink},
    {"OPEN", open_name},
    {"PRIME_HANDLE_TO_FD", export_handle},
    {"SET_MASTER", set_master},
    {"DROP_MASTER", drop_master},
    {"AUTH_MAGIC", accept_magic},
    {"GET_MAGIC", get_magic},
    {"SET_VERSION", set_version},
    {"SETPARAM of old", legacy},
    {"GET_UNIQUE",
     [](const Client& client) {
         return errno_text(client.attempt(DRM_IOCTL_GET_UNIQUE, drm_unique{}));
     }},
}};

} // namespace

Questions access_questions() {
    Questions questions;
    for (const Asked& entry : asked) {
        questions.push_back(by_nobody(entry.name, Node::render, entry.ask));
        questions.push_back(by_nobody(entry.name, Node::primary, entry.ask));
        questions.push_back(by_second(entry.name, entry.ask));
    }
    return questions;
}

} // namespace gem_upload::probe
