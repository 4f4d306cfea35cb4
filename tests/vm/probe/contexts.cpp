// Contexts, address spaces, reset statistics, registers (gem/i915_gem_context.c, intel_uncore.c).
#include "answer.h"
#include "batch.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

std::string create(const Client& client, std::uint32_t pad) {
    drm_i915_gem_context_create arguments{99, pad};
    const int error = client.attempt(DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &arguments);
    return fmt::format("{}, context {}", errno_text(error), arguments.ctx_id);
}

std::string create_ext(const Client& client, std::uint32_t flags, const void* extensions) {
    drm_i915_gem_context_create_ext arguments{};
    arguments.flags = flags;
    arguments.extensions = pointer(extensions);
    const int error = client.attempt(DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &arguments);
    return fmt::format("{}, context {}", errno_text(error), arguments.ctx_id);
}

/// CREATE_EXT with a parameter set at once.
std::string create_with(const Client& client, std::uint64_t param, std::uint64_t value,
                        std::uint32_t name = I915_CONTEXT_CREATE_EXT_SETPARAM) {
    drm_i915_gem_context_create_ext_setparam extension{};
    extension.base.name = name;
    extension.param.param = param;
    extension.param.value = value;
    return create_ext(client, I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS, &extension);
}

std::uint32_t new_context(const Client& client) {
    drm_i915_gem_context_create arguments{};
    insist("CONTEXT_CREATE", client.attempt(DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &arguments));
    return arguments.ctx_id;
}

std::string destroy(const Client& client, std::uint32_t context, std::uint32_t pad = 0) {
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_CONTEXT_DESTROY,
                                     drm_i915_gem_context_destroy{context, pad}));
}

std::string created_in_order(const Client& client) {
    const std::uint32_t first = new_context(client);
    const std::uint32_t second = new_context(client);
    insist("CONTEXT_DESTROY", destroy(client, first) == "ok" ? 0 : ENOENT);
    return fmt::format("{} {}, the first destroyed: {}", first, second, new_context(client));
}

std::string destroyed_twice(const Client& client) {
    const std::uint32_t context = new_context(client);
    const std::string first = destroy(client, context);
    return fmt::format("{}, {}", first, destroy(client, context));
}

std::string executed_in(const Client& client, bool destroyed) {
    const std::uint32_t context = new_context(client);
    if (destroyed) {
        (void)destroy(client, context);
    }
    const std::vector<drm_i915_gem_exec_object2> objects{exec_object(ending_batch(client))};
    drm_i915_gem_execbuffer2 arguments = execbuffer(objects);
    arguments.rsvd1 = context;
    return errno_text(submit(client, arguments));
}

struct Parameter {
    std::string_view name;
    std::uint64_t number;
};

constexpr std::array<Parameter, 16> parameters{{
    {"0", 0},
    {"BAN_PERIOD", 1},
    {"NO_ZEROMAP", 2},
    {"GTT_SIZE", 3},
    {"NO_ERROR_CAPTURE", 4},
    {"BANNABLE", 5},
    {"PRIORITY", 6},
    {"SSEU", 7},
    {"RECOVERABLE", 8},
    {"VM", 9},
    {"ENGINES", 10},
    {"PERSISTENCE", 11},
    {"RINGSIZE", 12},
    {"PROTECTED_CONTENT", 13},
    {"14", 14},
    {"2^63", std::uint64_t{1} << 63},
}};

std::string get(const Client& client, std::uint32_t context, std::uint64_t number) {
    drm_i915_gem_context_param arguments{};
    arguments.ctx_id = context;
    arguments.param = number;
    arguments.size = 0;
    arguments.value = 99;
    const int error = client.attempt(DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &arguments);
    return error != 0 ? errno_text(error)
                      : fmt::format("ok, {:#x}, size {}", arguments.value, arguments.size);
}

std::string set(const Client& client, std::uint32_t context, std::uint64_t number,
                std::uint64_t value, std::uint32_t size = 0) {
    drm_i915_gem_context_param arguments{};
    arguments.ctx_id = context;
    arguments.param = number;
    arguments.size = size;
    arguments.value = value;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &arguments));
}

Questions parameter_questions_of_contexts() {
    Questions questions;
    for (const Parameter& parameter : parameters) {
        const std::uint64_t number = parameter.number;
        const auto add = [&questions, &parameter](std::string_view what, auto ask) {
            questions.push_back({fmt::format("CONTEXT_{} {}", what, parameter.name), ask});
        };
        add("GETPARAM", [number](const Client& client) { return get(client, 0, number); });
        add("GETPARAM of no context,",
            [number](const Client& client) { return get(client, 77, number); });
        add("SETPARAM 0 to", [number](const Client& client) { return set(client, 0, number, 0); });
        add("SETPARAM 1 to", [number](const Client& client) { return set(client, 0, number, 1); });
        add("SETPARAM with a size",
            [number](const Client& client) { return set(client, 0, number, 0, 8); });
        add("SETPARAM of no context,",
            [number](const Client& client) { return set(client, 77, number, 0); });
        add("CREATE_EXT with",
            [number](const Client& client) { return create_with(client, number, 0); });
    }
    return questions;
}

std::string kept(const Client& client, std::uint64_t number, std::uint64_t value) {
    const std::string first = set(client, 0, number, value);
    return fmt::format("{}, then {}", first, get(client, 0, number));
}

std::string reset_stats(const Client& client, std::uint32_t context, std::uint32_t flags,
                        std::uint32_t pad) {
    drm_i915_reset_stats arguments{};
    arguments.ctx_id = context;
    arguments.flags = flags;
    arguments.pad = pad;
    arguments.batch_active = arguments.batch_pending = 99;
    const int error = client.attempt(DRM_IOCTL_I915_GET_RESET_STATS, &arguments);
    return fmt::format("{}, active {}, pending {}", errno_text(error), arguments.batch_active,
                       arguments.batch_pending);
}

std::string vm_create(const Client& client, std::uint32_t flags, std::uint64_t extensions) {
    drm_i915_gem_vm_control arguments{};
    arguments.flags = flags;
    arguments.extensions = extensions;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_VM_CREATE, &arguments));
}

std::string vm_destroy(const Client& client, std::uint32_t flags, std::uint32_t vm) {
    drm_i915_gem_vm_control arguments{};
    arguments.flags = flags;
    arguments.vm_id = vm;
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_VM_DESTROY, arguments));
}

std::string read_register(const Client& client, std::uint64_t offset) {
    drm_i915_reg_read arguments{offset, 0};
    return errno_text(client.attempt(DRM_IOCTL_I915_REG_READ, &arguments));
}

Questions lifetime_questions() {
    return {
        {"CONTEXT_CREATE", [](const Client& client) { return create(client, 0); }},
        {"CONTEXT_CREATE with pad", [](const Client& client) { return create(client, 1); }},
        {"CONTEXT_CREATE: ids", created_in_order},
        {"CONTEXT_CREATE_EXT", [](const Client& client) { return create_ext(client, 0, nullptr); }},
        {"CONTEXT_CREATE_EXT single timeline",
         [](const Client& client) { return create_ext(client, 2, nullptr); }},
        {"CONTEXT_CREATE_EXT flag 2",
         [](const Client& client) { return create_ext(client, 4, nullptr); }},
        {"CONTEXT_CREATE_EXT flag 31",
         [](const Client& client) { return create_ext(client, 1U << 31U, nullptr); }},
        {"CONTEXT_CREATE_EXT extensions of nothing",
         [](const Client& client) { return create_ext(client, 1, nullptr); }},
        {"CONTEXT_CREATE_EXT extensions unannounced",
         [](const Client& client) {
             const i915_user_extension extension{};
             return create_ext(client, 0, &extension);
         }},
        {"CONTEXT_CREATE_EXT clone",
         [](const Client& client) { return create_with(client, 0, 0, 1); }},
        {"CONTEXT_CREATE_EXT unknown extension",
         [](const Client& client) { return create_with(client, 0, 0, 99); }},
        {"CONTEXT_DESTROY 0", [](const Client& client) { return destroy(client, 0); }},
        {"CONTEXT_DESTROY no context", [](const Client& client) { return destroy(client, 77); }},
        {"CONTEXT_DESTROY with pad", [](const Client& client) { return destroy(client, 77, 1); }},
        {"CONTEXT_DESTROY twice", destroyed_twice},
        {"EXEC in a new context", [](const Client& client) { return executed_in(client, false); }},
        {"EXEC in a destroyed context",
         [](const Client& client) { return executed_in(client, true); }},
    };
}

} // namespace

Questions context_questions() {
    Questions questions = lifetime_questions();
    const Questions of_parameters = parameter_questions_of_contexts();
    questions.insert(questions.end(), of_parameters.begin(), of_parameters.end());
    const Questions more{
        {"CONTEXT_SETPARAM NO_ERROR_CAPTURE is kept",
         [](const Client& client) { return kept(client, 4, 1); }},
        {"CONTEXT_SETPARAM BANNABLE is kept",
         [](const Client& client) { return kept(client, 5, 0); }},
        {"CONTEXT_SETPARAM RECOVERABLE is kept",
         [](const Client& client) { return kept(client, 8, 0); }},
        {"CONTEXT_SETPARAM PRIORITY -1",
         [](const Client& client) { return kept(client, 6, ~std::uint64_t{0}); }},
        {"CONTEXT_SETPARAM PRIORITY 2000",
         [](const Client& client) { return kept(client, 6, 2000); }},
        {"GET_RESET_STATS", [](const Client& client) { return reset_stats(client, 0, 0, 0); }},
        {"GET_RESET_STATS no context",
         [](const Client& client) { return reset_stats(client, 77, 0, 0); }},
        {"GET_RESET_STATS flags",
         [](const Client& client) { return reset_stats(client, 0, 1, 0); }},
        {"GET_RESET_STATS pad", [](const Client& client) { return reset_stats(client, 0, 0, 1); }},
        {"VM_CREATE", [](const Client& client) { return vm_create(client, 0, 0); }},
        {"VM_CREATE flags", [](const Client& client) { return vm_create(client, 1, 0); }},
        {"VM_DESTROY", [](const Client& client) { return vm_destroy(client, 0, 1); }},
        {"VM_DESTROY flags", [](const Client& client) { return vm_destroy(client, 1, 1); }},
        {"REG_READ timestamp", [](const Client& client) { return read_register(client, 0x2358); }},
        {"REG_READ timestamp, 8 bytes wide",
         [](const Client& client) { return read_register(client, 0x2358 | 1); }},
        {"REG_READ of no such register",
         [](const Client& client) { return read_register(client, 0x2000); }},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
