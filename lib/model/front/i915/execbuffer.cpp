#include "model/front/drm/user_memory.h"
#include "model/front/i915/batch_memory.h"
#include "model/front/i915/execution.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <optional>
#include <utility>

namespace gem_upload::model::i915 {
namespace {

/// All flags above the last that is known.
constexpr std::uint64_t flags_above(std::uint64_t last) {
    return ~(last | (last - 1));
}

/// i915_gem_check_execbuffer() and check_buffer_count().
int check_arguments(const drm_i915_gem_execbuffer2& arguments) {
    constexpr std::uint64_t illegal = flags_above(I915_EXEC_USE_EXTENSIONS) |
                                      I915_EXEC_CONSTANTS_MASK | I915_EXEC_RESOURCE_STREAMER;
    constexpr std::uint64_t reusing_clips = I915_EXEC_FENCE_ARRAY | I915_EXEC_USE_EXTENSIONS;
    const bool clipped = (arguments.flags & reusing_clips) == 0 &&
                         (arguments.num_cliprects != 0 || arguments.cliprects_ptr != 0);
    const bool garbage = arguments.DR1 != 0 || (arguments.DR4 != 0 && arguments.DR4 != ~0U);
    if (arguments.buffer_count < 1 || arguments.buffer_count > 0x7fffffff ||
        (arguments.flags & illegal) != 0 || clipped || garbage ||
        ((arguments.batch_start_offset | arguments.batch_len) & 7) != 0) {
        return -EINVAL;
    }
    return 0;
}

/// The fences of an execbuffer. There are no sync files and no syncobjs in the model, so nothing
/// that names one names anything; naming none is allowed.
int check_fences(const drm_i915_gem_execbuffer2& arguments) {
    constexpr std::uint64_t sync_files =
        I915_EXEC_FENCE_IN | I915_EXEC_FENCE_OUT | I915_EXEC_FENCE_SUBMIT;
    const bool array = (arguments.flags & I915_EXEC_FENCE_ARRAY) != 0;
    const bool extensions = (arguments.flags & I915_EXEC_USE_EXTENSIONS) != 0;
    if (extensions && (array || arguments.num_cliprects != 0 || arguments.cliprects_ptr != 0)) {
        return -EINVAL;
    }
    if (array && arguments.num_cliprects != 0) {
        return -ENOENT;
    }
    return (arguments.flags & sync_files) != 0 ? -EINVAL : 0;
}

/// i915_reset_gen7_sol_offsets().
int check_generation(const I915& device, std::uint64_t flags) {
    return (flags & I915_EXEC_GEN7_SOL_RESET) != 0 && device.chip().generation != 7 ? -EINVAL : 0;
}

/// Privileged batches are the display server's of old, up to gen5.
int check_privilege(I915Client& client, const drm_i915_gem_execbuffer2& arguments) {
    if ((arguments.flags & I915_EXEC_SECURE) == 0) {
        return 0;
    }
    const int generation = client.device().chip().generation;
    if (generation >= 11) {
        return -ENODEV;
    }
    const bool master = client.device().authentication().is_current_master(client.credentials());
    return generation < 6 && master && privileged() ? 0 : -EPERM;
}

/// eb_select_legacy_ring() where there are two rings of video: the kernel gives a client one of
/// them at random if it names none.
std::optional<Ring> one_of_two_bsd_rings(std::uint64_t flags) {
    switch (flags & I915_EXEC_BSD_MASK) {
    case I915_EXEC_BSD_DEFAULT:
    case I915_EXEC_BSD_RING1:
        return Ring::bsd;
    case I915_EXEC_BSD_RING2:
        return Ring::second_bsd;
    default:
        return std::nullopt;
    }
}

/// eb_select_legacy_ring().
std::optional<Ring> legacy_ring_of(const I915& device, std::uint64_t flags) {
    std::optional<Ring> ring;
    switch (flags & I915_EXEC_RING_MASK) {
    case I915_EXEC_DEFAULT:
    case I915_EXEC_RENDER:
        ring = Ring::render;
        break;
    case I915_EXEC_BLT:
        ring = Ring::blt;
        break;
    case I915_EXEC_BSD:
        if (device.has_ring(Ring::second_bsd)) {
            return one_of_two_bsd_rings(flags);
        }
        ring = Ring::bsd;
        break;
    case I915_EXEC_VEBOX:
        ring = Ring::vebox;
        break;
    default:
        break;
    }
    if (ring &&
        ((ring != Ring::bsd && (flags & I915_EXEC_BSD_MASK) != 0) || !device.has_ring(*ring))) {
        return std::nullopt;
    }
    return ring;
}

/// eb_select_engine().
std::optional<Ring> ring_of(const I915& device, const Context& context, std::uint64_t flags) {
    if (!context.engines) {
        return legacy_ring_of(device, flags);
    }
    const std::uint64_t index = flags & I915_EXEC_RING_MASK;
    return index < context.engines->size() ? (*context.engines)[index] : std::nullopt;
}

/// eb_validate_vma().
int validate(const ChipModel& chip, ExecObject& object) {
    drm_i915_gem_exec_object2& exec = object.exec;
    if (exec.relocation_count != 0 && !chip.relocations) {
        return -EINVAL;
    }
    std::uint64_t invalid = flags_above(EXEC_OBJECT_CAPTURE);
    if (chip.ppgtt == Ppgtt::full) {
        invalid |= EXEC_OBJECT_NEEDS_GTT;
    }
    const bool bad_alignment = exec.alignment != 0 && !std::has_single_bit(exec.alignment);
    const bool bad_offset = object.has(EXEC_OBJECT_PINNED) &&
                            exec.offset != canonical(exec.offset & ~std::uint64_t{page_bytes - 1});
    const bool bad_padding =
        object.has(EXEC_OBJECT_PAD_TO_SIZE) && exec.pad_to_size % page_bytes != 0;
    if ((exec.flags & invalid) != 0 || bad_alignment || bad_offset || bad_padding) {
        return -EINVAL;
    }
    exec.offset = without_sign_extension(exec.offset);
    object.write = object.has(EXEC_OBJECT_WRITE);
    return 0;
}

/// eb_add_vma() for the batch.
int validate_batch(const drm_i915_gem_execbuffer2& arguments, const ExecObject& batch) {
    const std::uint64_t start = arguments.batch_start_offset;
    const std::uint64_t size = batch.object->size();
    const bool self_modifying = batch.has(EXEC_OBJECT_WRITE);
    const bool overflows = start > size || arguments.batch_len > size - start;
    return self_modifying || overflows || (arguments.batch_len == 0 && start == size) ? -EINVAL : 0;
}

bool needs_fence(const ChipModel& chip, const ExecObject& object, bool is_batch) {
    const auto lock = object.object->lock();
    return chip.generation < 4 && object.object->tiling.mode != I915_TILING_NONE &&
           (object.has(EXEC_OBJECT_NEEDS_FENCE) || is_batch);
}

/// eb_lookup_vmas().
int look_up(Execution& execution) {
    const drm_i915_gem_execbuffer2& arguments = execution.arguments;
    const std::uint64_t bytes = arguments.buffer_count * sizeof(drm_i915_gem_exec_object2);
    if (!readable(arguments.buffers_ptr, bytes)) {
        return -EFAULT;
    }
    const auto* objects = user_pointer<const drm_i915_gem_exec_object2>(arguments.buffers_ptr);
    const ChipModel& chip = execution.device().chip();
    execution.batch =
        (arguments.flags & I915_EXEC_BATCH_FIRST) != 0 ? 0 : arguments.buffer_count - 1;
    execution.objects.reserve(arguments.buffer_count);
    for (std::uint32_t i = 0; i < arguments.buffer_count; ++i) {
        ExecObject object{.exec = objects[i], .object = execution.client.object(objects[i].handle)};
        if (object.object == nullptr) {
            return -ENOENT;
        }
        if (const int error = validate(chip, object)) {
            return error;
        }
        if (i == execution.batch) {
            if (const int error = validate_batch(arguments, object)) {
                return error;
            }
        }
        object.fenced = needs_fence(chip, object, i == execution.batch);
        execution.objects.push_back(std::move(object));
    }
    return 0;
}

/// The objects' places for the caller: only those that it did not know.
void tell_offsets(const Execution& execution) {
    auto* const objects = user_pointer<drm_i915_gem_exec_object2>(execution.arguments.buffers_ptr);
    for (std::size_t i = 0; i < execution.objects.size(); ++i) {
        const ExecObject& object = execution.objects[i];
        if (object.exec.offset != object.address) {
            objects[i].offset = canonical(object.address);
        }
    }
}

std::vector<Fence> fences_of(const Execution& execution) {
    std::vector<Fence> fences;
    for (const ExecObject& object : execution.objects) {
        if (object.fenced) {
            const Object::TilingState& tiling = object.object->tiling;
            const std::uint64_t room = room_of(execution.device().chip(), object);
            fences.push_back({object.address, object.address + room - 1, tiling.stride,
                              tiling.mode == I915_TILING_X ? Tiling::x : Tiling::y});
        }
    }
    return fences;
}

/// What the queue's thread gets: all it needs, and nothing of the caller's.
struct Batch {
    I915& device;
    std::shared_ptr<Context> context;
    bool hangs; ///< injected: it never ends
    Ring ring;
    std::uint64_t address;
    std::uint64_t bytes;
    std::vector<Fence> fences;
    std::vector<std::shared_ptr<Object>> flushes;
    BatchMemory memory;

    void run() {
        for (const std::shared_ptr<Object>& object : flushes) {
            const auto lock = object->lock();
            object->memory().flush_for_gpu();
        }
        if (context->hangs.banned(ring)) {
            return; // what is left of a banned context is skipped
        }
        if (hangs) {
            device.recover_from_hang(*context, ring);
        } else if (!device.execute(memory, ring, address, bytes, fences)) {
            device.blame(*context, ring);
        }
    }
};

/// eb_move_to_gpu(): the objects are the GPU's from here on.
void move_to_gpu(Execution& execution, Batch& batch, Sequence sequence) {
    for (const ExecObject& entry : execution.objects) {
        const auto lock = entry.object->lock();
        Object::Activity& activity = entry.object->activity;
        if (entry.object->memory().move_to_gpu(entry.write)) {
            batch.flushes.push_back(entry.object);
            activity.last_flush = sequence;
        }
        activity.last_use[static_cast<std::size_t>(execution.ring)] = sequence;
        if (entry.write) {
            activity.last_write = sequence;
            activity.last_writer = execution.ring;
        }
        batch.memory.add(entry.address, entry.object);
    }
}

void submit(Execution& execution, bool hangs) {
    const drm_i915_gem_execbuffer2& arguments = execution.arguments;
    const ExecObject& batch_object = execution.objects[execution.batch];
    const std::uint64_t bytes = arguments.batch_len != 0
                                    ? arguments.batch_len
                                    : batch_object.object->size() - arguments.batch_start_offset;
    // A job is copied into std::function, a batch is not: it is shared.
    const auto batch = std::make_shared<Batch>(
        Batch{.device = execution.device(),
              .context = execution.context,
              .hangs = hangs,
              .ring = execution.ring,
              .address = batch_object.address + arguments.batch_start_offset,
              .bytes = bytes,
              .fences = fences_of(execution),
              .flushes = {},
              .memory = {}});
    ExecutionQueue& queue = execution.device().queue();
    move_to_gpu(execution, *batch, queue.next());
    queue.submit([batch] { batch->run(); });
}

/// i915_gem_do_execbuffer() from the reservation on.
int reserve_relocate_submit(Execution& execution) {
    const FaultInjection::Execution injected = execution.device().faults().next_execution();
    if (execution.context->hangs.banned(execution.ring)) {
        return -EIO;
    }
    if (injected.wedge) {
        execution.device().wedge();
        execution.device().blame(*execution.context, execution.ring);
        return -EIO;
    }
    if (injected.full_aperture) {
        return -ENOSPC;
    }
    if (const int error = place_objects(execution)) {
        return error;
    }
    const bool moved =
        std::any_of(execution.objects.begin(), execution.objects.end(),
                    [](const ExecObject& object) { return object.exec.offset != object.address; });
    if ((execution.arguments.flags & I915_EXEC_NO_RELOC) == 0 || moved) {
        if (const int error = relocate_objects(execution)) {
            return error;
        }
        tell_offsets(execution);
    }
    submit(execution, injected.hang);
    return 0;
}

} // namespace

std::uint64_t canonical(std::uint64_t address) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 47;
    return ((address & (2 * sign - 1)) ^ sign) - sign;
}

std::uint64_t without_sign_extension(std::uint64_t address) {
    return address & ((std::uint64_t{1} << 48) - 1);
}

int execbuffer2(I915Client& client, drm_i915_gem_execbuffer2& arguments) {
    if (const int error = check_arguments(arguments)) {
        return error;
    }
    if (const int error = check_fences(arguments)) {
        return error;
    }
    if (const int error = check_privilege(client, arguments)) {
        return error;
    }
    I915& device = client.device();
    if (const int error = check_generation(device, arguments.flags)) {
        return error;
    }
    const std::shared_ptr<Context> context =
        client.context(static_cast<std::uint32_t>(arguments.rsvd1));
    if (context == nullptr) {
        return -ENOENT;
    }
    const std::optional<Ring> ring = ring_of(device, *context, arguments.flags);
    if (!ring) {
        return -EINVAL;
    }
    if (device.wedged()) {
        return -EIO;
    }
    const auto lock = device.lock_execution();
    Execution execution{.client = client,
                        .arguments = arguments,
                        .context = context,
                        .space = context->space,
                        .ring = *ring,
                        .objects = {},
                        .batch = 0};
    if (const int error = look_up(execution)) {
        return error;
    }
    return reserve_relocate_submit(execution);
}

} // namespace gem_upload::model::i915
