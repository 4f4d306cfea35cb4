// gem/i915_gem_context.c, set_proto_ctx_engines() and set_proto_ctx_engines_balance().
#include "model/front/i915/engine_map.h"

#include "model/front/drm/user_memory.h"
#include "model/front/i915/extensions.h"
#include "model/front/i915/i915.h"

#include <array>
#include <cerrno>
#include <cstddef>

namespace gem_upload::model::i915 {
namespace {

using EngineInstance = i915_engine_class_instance;

/// The structures end in arrays without a length, which begin here.
constexpr std::size_t map_head = offsetof(i915_context_param_engines, engines);
constexpr std::size_t siblings_head = offsetof(i915_context_engines_load_balance, engines);

/// intel_engine_lookup_user().
std::optional<Ring> find_engine(const I915& device, const EngineInstance& engine) {
    constexpr std::array<Ring, ring_count> rings{Ring::render, Ring::blt, Ring::bsd,
                                                 Ring::second_bsd, Ring::vebox};
    for (const Ring ring : rings) {
        if (device.has_ring(ring) && engine.engine_class == engine_class(ring) &&
            engine.engine_instance == engine_instance(ring)) {
            return ring;
        }
    }
    return std::nullopt;
}

/// One of several engines executes: here always the first.
int balance(const I915& device, std::uint64_t address, EngineMap& map) {
    struct Head {
        i915_user_extension base;
        std::uint16_t engine_index;
        std::uint16_t num_siblings;
        std::uint32_t flags;
        std::uint64_t mbz64;
    } head{};
    static_assert(sizeof head == siblings_head);
    if (device.chip().generation < 8) { // wants execlists
        return -ENODEV;
    }
    if (!copy_from_user(head, address)) {
        return -EFAULT;
    }
    if (head.engine_index >= map.size()) {
        return -EINVAL;
    }
    if (map[head.engine_index]) {
        return -EEXIST;
    }
    if (head.flags != 0 || head.mbz64 != 0) {
        return -EINVAL;
    }
    for (std::uint16_t i = 0; i < head.num_siblings; ++i) {
        EngineInstance engine{};
        if (!copy_from_user(engine, address + siblings_head + i * sizeof engine)) {
            return -EFAULT;
        }
        const std::optional<Ring> ring = find_engine(device, engine);
        if (!ring) {
            return -EINVAL;
        }
        map[head.engine_index] = map[head.engine_index].value_or(*ring);
    }
    return 0;
}

int read_engines(const I915& device, std::uint64_t address, EngineMap& map) {
    for (std::optional<Ring>& ring : map) {
        EngineInstance engine{};
        if (!copy_from_user(engine, address)) {
            return -EFAULT;
        }
        address += sizeof engine;
        constexpr auto nothing = static_cast<std::uint16_t>(I915_ENGINE_CLASS_INVALID);
        constexpr auto none = static_cast<std::uint16_t>(I915_ENGINE_CLASS_INVALID_NONE);
        if (engine.engine_class == nothing && engine.engine_instance == none) {
            continue;
        }
        ring = find_engine(device, engine);
        if (!ring) {
            return -ENOENT;
        }
    }
    return 0;
}

} // namespace

int read_engine_map(const I915& device, const drm_i915_gem_context_param& arguments,
                    std::optional<EngineMap>& map) {
    if (map || arguments.size < map_head ||
        (arguments.size - map_head) % sizeof(EngineInstance) != 0) {
        return -EINVAL;
    }
    EngineMap read((arguments.size - map_head) / sizeof(EngineInstance));
    if (read.size() > I915_EXEC_RING_MASK + 1) {
        return -EINVAL;
    }
    if (const int error = read_engines(device, arguments.value + map_head, read)) {
        return error;
    }
    std::uint64_t extensions = 0;
    if (!copy_from_user(extensions, arguments.value)) {
        return -EFAULT;
    }
    const int error =
        for_each_extension(extensions, [&](std::uint32_t name, std::uint64_t address) {
            // Bonds and parallel submission are not in the model.
            return name == I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE ? balance(device, address, read)
                                                                 : -EINVAL;
        });
    if (error == 0) {
        map = std::move(read);
    }
    return error;
}

} // namespace gem_upload::model::i915
