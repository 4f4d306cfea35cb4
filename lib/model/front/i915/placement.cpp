#include "model/front/i915/address_map.h"
#include "model/front/i915/execution.h"
#include "model/front/i915/waiting.h"

#include <algorithm>
#include <cerrno>
#include <optional>

namespace gem_upload::model::i915 {
namespace {

/// The first address that the object may not use (eb_pin_flags: PIN_ZONE_4G, PIN_MAPPABLE).
std::uint64_t limit_of(const Execution& execution, const ExecObject& object) {
    std::uint64_t limit = execution.space->end();
    if (!object.has(EXEC_OBJECT_SUPPORTS_48B_ADDRESS)) {
        limit = std::min(limit, end_of_32_bits - page_bytes);
    }
    if (object.fenced) {
        limit = std::min(limit, execution.device().chip().aperture_bytes);
    }
    return limit;
}

std::uint64_t alignment_of(const Execution& execution, const ExecObject& object) {
    std::uint64_t alignment = std::max<std::uint64_t>(object.exec.alignment, page_bytes);
    if (object.fenced) {
        alignment = std::max(alignment, room_of(execution.device().chip(), object));
    }
    return alignment;
}

std::uint64_t bytes_of(const Execution& execution, const ExecObject& object) {
    const std::uint64_t padded = object.has(EXEC_OBJECT_PAD_TO_SIZE) ? object.exec.pad_to_size : 0;
    return std::max(room_of(execution.device().chip(), object), padded);
}

const ExecObject* in_this_execution(const Execution& execution, const Object& object) {
    const auto found =
        std::find_if(execution.objects.begin(), execution.objects.end(),
                     [&object](const ExecObject& other) { return other.object.get() == &object; });
    return found == execution.objects.end() ? nullptr : &*found;
}

void unbind(Execution& execution, Object& object) {
    wait_for_use(execution.device(), object);
    execution.space->unbind(object);
}

/// eb_vma_misplaced().
bool misplaced(const Execution& execution, const ExecObject& object, AddressMap::Range range) {
    return range.bytes < bytes_of(execution, object) ||
           range.address % alignment_of(execution, object) != 0 ||
           range.address + range.bytes > limit_of(execution, object);
}

/// i915_gem_evict_for_node(): what else lies there has to go, unless it is fixed as well.
int clear_range(Execution& execution, AddressMap::Range range) {
    for (const std::shared_ptr<Object>& occupant : execution.space->occupants(range)) {
        const ExecObject* other = in_this_execution(execution, *occupant);
        if (other != nullptr && other->has(EXEC_OBJECT_PINNED)) {
            return -ENOSPC;
        }
        unbind(execution, *occupant);
    }
    return 0;
}

int place_pinned(Execution& execution, ExecObject& object) {
    const AddressMap::Range wanted{object.exec.offset, bytes_of(execution, object)};
    const std::optional<AddressMap::Range> current = execution.space->find(*object.object);
    if (current && current->address == wanted.address && current->bytes >= wanted.bytes) {
        return 0;
    }
    if (current) {
        unbind(execution, *object.object);
    }
    const std::uint64_t limit = limit_of(execution, object);
    if (wanted.bytes > limit) {
        return -ENOSPC;
    }
    if (wanted.address % alignment_of(execution, object) != 0 ||
        wanted.address > limit - wanted.bytes) {
        return -EINVAL;
    }
    if (wanted.address < page_bytes && execution.device().chip().ppgtt != Ppgtt::full) {
        return -ENOSPC; // init_ggtt(): the error capture's page
    }
    const int error = clear_range(execution, wanted);
    if (error == 0) {
        execution.space->bind_at(object.object, wanted);
    }
    return error;
}

/// i915_gem_evict_vm(): all that this execbuffer does not need.
void evict_others(Execution& execution) {
    for (const std::shared_ptr<Object>& occupant :
         execution.space->occupants({0, execution.space->end()})) {
        if (in_this_execution(execution, *occupant) == nullptr) {
            unbind(execution, *occupant);
        }
    }
}

/// eb_pin_vma(): where the caller believes the object to be, if it is free. Zero is no belief: it
/// is what never was told, and address 0 stays empty.
bool place_as_believed(Execution& execution, ExecObject& object) {
    const AddressMap::Range range{object.exec.offset, bytes_of(execution, object)};
    const std::uint64_t limit = limit_of(execution, object);
    if (range.address == 0 || range.address % page_bytes != 0 || range.bytes > limit ||
        range.address > limit - range.bytes || misplaced(execution, object, range) ||
        !execution.space->occupants(range).empty()) {
        return false;
    }
    execution.space->bind_at(object.object, range);
    return true;
}

/// With page tables of their own contexts have an address 0, which satisfies any alignment. The
/// model leaves it empty unless nothing else does.
bool place_at_zero(Execution& execution, ExecObject& object) {
    const AddressMap::Range range{0, bytes_of(execution, object)};
    if (execution.device().chip().ppgtt != Ppgtt::full ||
        range.bytes > limit_of(execution, object) || !execution.space->occupants(range).empty()) {
        return false;
    }
    execution.space->bind_at(object.object, range);
    return true;
}

int place_anywhere(Execution& execution, ExecObject& object) {
    const std::optional<AddressMap::Range> current = execution.space->find(*object.object);
    if (current && !misplaced(execution, object, *current)) {
        return 0;
    }
    if (current) {
        unbind(execution, *object.object);
    }
    if (!current && place_as_believed(execution, object)) {
        return 0;
    }
    const auto bind = [&execution, &object] {
        return execution.space->bind(object.object, bytes_of(execution, object),
                                     alignment_of(execution, object), limit_of(execution, object));
    };
    if (bind() || place_at_zero(execution, object)) {
        return 0;
    }
    evict_others(execution);
    return bind() ? 0 : -ENOSPC;
}

int place_all(Execution& execution) {
    for (ExecObject& object : execution.objects) {
        if (object.has(EXEC_OBJECT_PINNED)) {
            if (const int error = place_pinned(execution, object)) {
                return error;
            }
        }
    }
    for (ExecObject& object : execution.objects) {
        if (!object.has(EXEC_OBJECT_PINNED)) {
            if (const int error = place_anywhere(execution, object)) {
                return error;
            }
        }
    }
    return 0;
}

} // namespace

std::uint64_t room_of(const ChipModel& chip, const ExecObject& object) {
    std::uint64_t room = object.object->size();
    if (object.fenced) {
        const std::uint64_t smallest = chip.generation == 3 ? 1 << 20 : 512 * 1024;
        const std::uint64_t needed = room;
        for (room = smallest; room < needed; room *= 2) {
        }
    }
    return room;
}

int place_objects(Execution& execution) {
    if (const int error = place_all(execution)) {
        return error;
    }
    for (ExecObject& object : execution.objects) {
        object.address = execution.space->find(*object.object)->address;
        const auto lock = object.object->lock();
        if (object.object->withholds_pages() || !object.object->user_pages_there()) {
            return -EFAULT;
        }
        object.object->bound_in(execution.space);
        object.object->memory().acquire_pages();
    }
    return 0;
}

} // namespace gem_upload::model::i915
