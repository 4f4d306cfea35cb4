#include "model/front/i915/address_map.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gem_upload::model::i915 {
namespace {

/// Nothing lies below: an address that was never relocated is small.
constexpr std::uint64_t lowest_address = 1 << 20;
/// Between objects; an access past the end of one finds nothing.
constexpr std::uint64_t gap = 1 << 16;
constexpr std::uint64_t page = 4096;

std::uint64_t round_down(std::uint64_t value, std::uint64_t alignment) {
    return value / alignment * alignment;
}

} // namespace

AddressMap::AddressMap(std::uint64_t end, std::uint64_t random)
    : end_(end),
      low_(make_zone(lowest_address, std::min(end, end_of_32_bits), random)),
      high_(make_zone(end_of_32_bits, std::max(end, end_of_32_bits), random)) {}

AddressMap::Zone AddressMap::make_zone(std::uint64_t begin, std::uint64_t end,
                                       std::uint64_t random) {
    const std::uint64_t choice = std::max<std::uint64_t>((end - begin) / 16, 1);
    return {begin, end, end - round_down(random % choice, page)};
}

std::optional<AddressMap::Range> AddressMap::find(const Object& object) const {
    const std::lock_guard lock(mutex_);
    const auto entry = by_object_.find(&object);
    if (entry == by_object_.end()) {
        return std::nullopt;
    }
    return Range{entry->second, by_address_.at(entry->second).bytes};
}

std::optional<std::uint64_t> AddressMap::search(std::uint64_t bottom, std::uint64_t top,
                                                std::uint64_t bytes,
                                                std::uint64_t alignment) const {
    if (top < bytes) {
        return std::nullopt;
    }
    std::uint64_t candidate = round_down(top - bytes, alignment);
    for (;;) {
        if (candidate < bottom) {
            return std::nullopt;
        }
        const auto above = by_address_.lower_bound(candidate + bytes + gap);
        if (above == by_address_.begin()) {
            return candidate;
        }
        const auto below = std::prev(above);
        if (below->first + below->second.bytes + gap <= candidate) {
            return candidate;
        }
        if (below->first < bytes + gap) {
            return std::nullopt;
        }
        candidate = round_down(below->first - gap - bytes, alignment);
    }
}

std::optional<std::uint64_t> AddressMap::take(Zone& zone, std::uint64_t bytes,
                                              std::uint64_t alignment, std::uint64_t limit) const {
    const std::uint64_t top = std::min(zone.end, limit);
    std::optional<std::uint64_t> address =
        search(zone.begin, std::min(zone.cursor, top), bytes, alignment);
    if (!address) {
        address = search(zone.begin, top, bytes, alignment);
    }
    if (address) {
        zone.cursor = *address;
    }
    return address;
}

void AddressMap::insert(const std::shared_ptr<Object>& object, Range range) {
    by_address_.emplace(range.address, Bound{range.bytes, object.get(), object});
    by_object_.emplace(object.get(), range.address);
}

std::optional<std::uint64_t> AddressMap::bind(const std::shared_ptr<Object>& object,
                                              std::uint64_t bytes, std::uint64_t alignment,
                                              std::uint64_t limit) {
    const std::lock_guard lock(mutex_);
    std::optional<std::uint64_t> address = take(high_, bytes, alignment, limit);
    if (!address) {
        address = take(low_, bytes, alignment, limit);
    }
    if (address) {
        insert(object, {*address, bytes});
    }
    return address;
}

void AddressMap::bind_at(const std::shared_ptr<Object>& object, Range range) {
    const std::lock_guard lock(mutex_);
    insert(object, range);
}

void AddressMap::unbind(const Object& object) {
    const std::lock_guard lock(mutex_);
    const auto entry = by_object_.find(&object);
    if (entry != by_object_.end()) {
        by_address_.erase(entry->second);
        by_object_.erase(entry);
    }
}

std::vector<std::shared_ptr<Object>> AddressMap::occupants(Range range) {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Object>> found;
    for (auto entry = by_address_.begin(); entry != by_address_.end();) {
        const Bound& bound = entry->second;
        if (entry->first >= range.address + range.bytes ||
            range.address >= entry->first + bound.bytes) {
            ++entry;
        } else if (std::shared_ptr<Object> object = bound.object.lock()) {
            found.push_back(std::move(object));
            ++entry;
        } else { // on its way out; its place is free
            by_object_.erase(bound.key);
            entry = by_address_.erase(entry);
        }
    }
    return found;
}

} // namespace gem_upload::model::i915
