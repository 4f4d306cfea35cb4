#include "model/front/i915/batch_memory.h"

#include <fmt/format.h>
#include <utility>

namespace gem_upload::model::i915 {

void BatchMemory::add(std::uint64_t address, std::shared_ptr<Object> object) {
    const Span memory = object->memory().store().memory();
    regions_.push_back({address, memory, std::move(object)});
}

std::variant<Span, Fault> BatchMemory::translate(Engine /*engine*/, std::uint64_t address,
                                                 Access access) {
    if (last_hit_ < regions_.size() && regions_[last_hit_].holds(address)) {
        const Region& region = regions_[last_hit_];
        return region.memory.subspan(address - region.address);
    }
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        if (regions_[i].holds(address)) {
            last_hit_ = i;
            return regions_[i].memory.subspan(address - regions_[i].address);
        }
    }
    return Fault{fmt::format("the GPU {} address {:#x}, which lies outside every object of the "
                             "execbuffer",
                             access == Access::write ? "writes" : "reads", address)};
}

} // namespace gem_upload::model::i915
