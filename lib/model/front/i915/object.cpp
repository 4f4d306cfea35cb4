#include "model/front/i915/object.h"

#include "model/front/drm/user_memory.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace gem_upload::model::i915 {
namespace {

/// A file without bytes: its pages exist as addresses and raise SIGBUS where they are touched.
UniqueFd empty_file() {
    return UniqueFd{::memfd_create("gem-upload-model-sigbus", MFD_CLOEXEC)};
}

} // namespace

void* map_for_program(void* address, std::size_t length, int protection, int flags, int fd,
                      std::size_t offset) {
    if (fd >= 0) {
        return ::mmap(address, length, protection, flags, fd, static_cast<off_t>(offset));
    }
    const UniqueFd nothing = empty_file();
    if (!nothing) {
        return MAP_FAILED;
    }
    return ::mmap(address, length, protection, flags, nothing.get(), static_cast<off_t>(offset));
}

Object::~Object() {
    for (const std::weak_ptr<AddressMap>& space : spaces_) {
        if (const std::shared_ptr<AddressMap> alive = space.lock()) {
            alive->unbind(*this);
        }
    }
}

bool Object::user_pages_there() const {
    const Span memory = memory_.store().memory();
    return !userptr_ || writable(reinterpret_cast<std::uintptr_t>(memory.data()), memory.size());
}

Sequence Object::Activity::last() const {
    return std::max(last_flush, *std::max_element(last_use.begin(), last_use.end()));
}

void Object::add_mapping(const Mapping& mapping) {
    mappings_.push_back(mapping);
}

void Object::forget_mappings(const std::byte* address, std::size_t length) {
    std::erase_if(mappings_, [address, length](const Mapping& mapping) {
        return mapping.address < address + length && address < mapping.address + mapping.length;
    });
}

void Object::remap(bool gtt_forbidden) {
    for (const Mapping& mapping : mappings_) {
        int fd = memory_.store().memory_fd();
        if (mapping.kind == MappingKind::write_back) {
            fd = memory_.store().cpu_fd();
        } else if (mapping.kind == MappingKind::gtt && gtt_forbidden) {
            fd = -1;
        }
        // In place, where a mapping was before: it can only fail for want of memory, and then the
        // program keeps the mapping that it had.
        (void)map_for_program(mapping.address, mapping.length, mapping.protection,
                              MAP_SHARED | MAP_FIXED, fd, mapping.offset);
    }
}

void Object::bound_in(const std::shared_ptr<AddressMap>& space) {
    const bool known = std::any_of(spaces_.begin(), spaces_.end(), [&space](const auto& other) {
        return !other.owner_before(space) && !space.owner_before(other);
    });
    if (!known) {
        spaces_.push_back(space);
    }
}

} // namespace gem_upload::model::i915
