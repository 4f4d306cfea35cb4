// Executes empty batches one after the other and prints what i915 says of hangs, for tests of
// injected ones. Usage: hang_program COUNT [unrecoverable|unbannable|uncaptured]
#include "raw_gem.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace gem_upload::raw;

const char* name_of(int error) {
    return error == 0 ? "0" : strerrorname_np(error);
}

void set_switch(const Gem& gem, std::uint64_t parameter, std::uint64_t value) {
    drm_i915_gem_context_param arguments{};
    arguments.param = parameter;
    arguments.value = value;
    gem.call(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &arguments, "CONTEXT_SETPARAM");
}

void prepare(const Gem& gem, const std::string& kind) {
    if (kind == "unrecoverable") {
        set_switch(gem, I915_CONTEXT_PARAM_RECOVERABLE, 0);
    } else if (kind == "unbannable") {
        set_switch(gem, I915_CONTEXT_PARAM_BANNABLE, 0);
    } else if (kind == "uncaptured") {
        set_switch(gem, I915_CONTEXT_PARAM_NO_ERROR_CAPTURE, 1);
    }
}

int execute(const Gem& gem, std::uint32_t batch) {
    drm_i915_gem_exec_object2 object{};
    object.handle = batch;
    drm_i915_gem_execbuffer2 arguments{};
    arguments.buffers_ptr = reinterpret_cast<std::uintptr_t>(&object);
    arguments.buffer_count = 1;
    return gem.attempt(DRM_IOCTL_I915_GEM_EXECBUFFER2, &arguments);
}

int wait(const Gem& gem, std::uint32_t batch) {
    drm_i915_gem_wait arguments{};
    arguments.bo_handle = batch;
    arguments.timeout_ns = -1;
    return gem.attempt(DRM_IOCTL_I915_GEM_WAIT, &arguments);
}

void execute_and_tell(const Gem& gem) {
    constexpr std::array<std::uint32_t, 2> empty{0x05000000, 0}; // MI_BATCH_BUFFER_END
    const std::uint32_t batch = gem.create(4096);
    std::uint32_t* const memory = gem.map(batch, 4096); // some chips have no pwrite
    gem.set_domain(batch, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
    std::memcpy(memory, empty.data(), sizeof empty);
    const int executed = execute(gem, batch);
    const int waited = wait(gem, batch);
    drm_i915_reset_stats stats{};
    gem.call(DRM_IOCTL_I915_GET_RESET_STATS, &stats, "GET_RESET_STATS");
    std::printf("EXEC %s WAIT %s active %u pending %u resets %u\n", name_of(executed),
                name_of(waited), stats.batch_active, stats.batch_pending, stats.reset_count);
}

std::string error_state() {
    std::ifstream file("/sys/class/drm/card0/error");
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

int main(int argc, char** argv) {
    const Gem gem;
    prepare(gem, argc > 2 ? argv[2] : "");
    for (int i = std::atoi(argv[1]); i > 0; --i) {
        execute_and_tell(gem);
    }
    drm_i915_gem_context_create context{};
    std::printf("CONTEXT_CREATE %s\n",
                name_of(gem.attempt(DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &context)));
    std::printf("error: %s", error_state().c_str());
    return 0;
}
