#include "model/front/drm/user_memory.h"
#include "model/front/i915/domains.h"
#include "model/front/i915/execution.h"
#include "model/front/i915/waiting.h"

#include <cerrno>

namespace gem_upload::model::i915 {
namespace {

ExecObject* target_of(Execution& execution, std::uint32_t handle) {
    if ((execution.arguments.flags & I915_EXEC_HANDLE_LUT) != 0) {
        return handle < execution.objects.size() ? &execution.objects[handle] : nullptr;
    }
    for (ExecObject& object : execution.objects) {
        if (object.exec.handle == handle) {
            return &object;
        }
    }
    return nullptr;
}

bool valid_domains(const drm_i915_gem_relocation_entry& relocation) {
    const std::uint32_t write = relocation.write_domain;
    return (write & (write - 1)) == 0 && ((write | relocation.read_domains) & ~gpu_domains) == 0;
}

/// relocate_entry(): waits for the GPU's use of the object first, as set_to_gtt_domain and
/// prepare_write do.
int write_address(Execution& execution, Object& object, std::uint64_t offset,
                  std::uint64_t address) {
    wait_for_use(execution.device(), object);
    const auto lock = object.lock();
    if (object.tiling.mode != I915_TILING_NONE && !object.memory().relocates_by_cpu()) {
        return -EINVAL;
    }
    object.memory().relocate(offset, static_cast<std::uint32_t>(address));
    if (execution.device().chip().generation >= 8) {
        object.memory().relocate(offset + 4, static_cast<std::uint32_t>(address >> 32));
    }
    return 0;
}

/// eb_relocate_entry().
int relocate(Execution& execution, ExecObject& object, drm_i915_gem_relocation_entry& relocation) {
    ExecObject* target = target_of(execution, relocation.target_handle);
    if (target == nullptr) {
        return -ENOENT;
    }
    if (!valid_domains(relocation)) {
        return -EINVAL;
    }
    target->write = target->write || relocation.write_domain != 0;
    const std::uint64_t address = canonical(target->address);
    if (relocation.presumed_offset == address) {
        return 0;
    }
    const std::uint64_t width = execution.device().chip().generation >= 8 ? 8 : 4;
    if (relocation.offset > object.object->size() - width || relocation.offset % 4 != 0) {
        return -EINVAL;
    }
    const auto delta = static_cast<std::uint64_t>(
        static_cast<std::int64_t>(static_cast<std::int32_t>(relocation.delta)));
    const int error = write_address(execution, *object.object, relocation.offset,
                                    canonical(target->address + delta));
    if (error == 0) {
        relocation.presumed_offset = address;
    }
    return error;
}

} // namespace

int relocate_objects(Execution& execution) {
    for (ExecObject& object : execution.objects) {
        const std::uint64_t bytes =
            object.exec.relocation_count * sizeof(drm_i915_gem_relocation_entry);
        if (!writable(object.exec.relocs_ptr, bytes)) {
            return -EFAULT;
        }
        auto* const relocations =
            user_pointer<drm_i915_gem_relocation_entry>(object.exec.relocs_ptr);
        for (std::uint32_t i = 0; i < object.exec.relocation_count; ++i) {
            if (const int error = relocate(execution, object, relocations[i])) {
                return error;
            }
        }
    }
    return 0;
}

} // namespace gem_upload::model::i915
