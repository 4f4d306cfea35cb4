#include "model/front/i915/address_map.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gem_upload::model::i915 {
namespace {

/// Nothing lies below: an address that was never relocated is small.
constexpr std::uint64_t lowest_address = 1 << 20;
/// Between objects; an access past the end of one finds nothing.
constexpr std::uint64_t gap = 64 * 1024;
constexpr std::uint64_t page = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

} // namespace

AddressMap::AddressMap(std::uint64_t end, std::uint64_t random)
    : end_(end),
      cursor_(lowest_address + random % (std::min(end, std::uint64_t{1} << 32) / 4) / page * page) {
}

std::optional<AddressMap::Range> AddressMap::find(const Object& object) const {
    const std::lock_guard lock(mutex_);
    const auto entry = by_object_.find(&object);
    if (entry == by_object_.end()) {
        return std::nullopt;
    }
    return Range{entry->second, by_address_.at(entry->second).bytes};
}

std::optional<std::uint64_t> AddressMap::search(std::uint64_t from, std::uint64_t to,
                                                std::uint64_t bytes,
                                                std::uint64_t alignment) const {
    std::uint64_t candidate = round_up(from, alignment);
    auto next = by_address_.upper_bound(candidate);
    if (next != by_address_.begin()) {
        const auto before = std::prev(next);
        candidate =
            std::max(candidate, round_up(before->first + before->second.bytes + gap, alignment));
    }
    for (;;) {
        if (candidate > to || to - candidate < bytes) {
            return std::nullopt;
        }
        if (next == by_address_.end() || candidate + bytes + gap <= next->first) {
            return candidate;
        }
        candidate =
            std::max(candidate, round_up(next->first + next->second.bytes + gap, alignment));
        ++next;
    }
}

void AddressMap::insert(const std::shared_ptr<Object>& object, Range range) {
    by_address_.emplace(range.address, Bound{range.bytes, object.get(), object});
    by_object_.emplace(object.get(), range.address);
}

std::optional<std::uint64_t> AddressMap::bind(const std::shared_ptr<Object>& object,
                                              std::uint64_t bytes, std::uint64_t alignment,
                                              std::uint64_t limit) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t to = std::min(end_, limit);
    std::optional<std::uint64_t> address = search(cursor_, to, bytes, alignment);
    if (!address) {
        address = search(lowest_address, to, bytes, alignment);
    }
    if (address) {
        insert(object, {*address, bytes});
        cursor_ = *address + bytes + gap;
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
