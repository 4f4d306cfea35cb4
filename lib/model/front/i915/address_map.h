// Where objects lie in a GPU address space.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace gem_upload::model::i915 {

class Object;

/// Where addresses begin that 32 bits cannot hold.
inline constexpr std::uint64_t end_of_32_bits = std::uint64_t{1} << 32U;

/// One address space (the kernel's i915_address_space) and what is bound in it.
///
/// Addresses are given out from a random start near the top downwards, with a gap after each
/// object, and freed ones are not used again before the space has been gone through: an address
/// that is stale, zero, or past the end of an object hits nothing. Objects that may lie above 4 GiB
/// do, so that a lost upper half of an address shows.
class AddressMap {
public:
    /// END is the first address that does not exist.
    AddressMap(std::uint64_t end, std::uint64_t random);

    struct Range {
        std::uint64_t address;
        std::uint64_t bytes;
    };

    [[nodiscard]] std::uint64_t end() const { return end_; }
    /// Where an object is bound.
    [[nodiscard]] std::optional<Range> find(const Object& object) const;
    /// Binds at a free place below LIMIT; nothing: there is none.
    [[nodiscard]] std::optional<std::uint64_t> bind(const std::shared_ptr<Object>& object,
                                                    std::uint64_t bytes, std::uint64_t alignment,
                                                    std::uint64_t limit);
    /// Binds exactly there; the range must be free (see occupants()).
    void bind_at(const std::shared_ptr<Object>& object, Range range);
    void unbind(const Object& object);
    /// What is bound anywhere in a range.
    [[nodiscard]] std::vector<std::shared_ptr<Object>> occupants(Range range);

private:
    struct Bound {
        std::uint64_t bytes;
        const Object* key;
        std::weak_ptr<Object> object;
    };
    /// A range of addresses, and where in it the search goes on.
    struct Zone {
        std::uint64_t begin;
        std::uint64_t end;
        std::uint64_t cursor;
    };
    [[nodiscard]] static Zone make_zone(std::uint64_t begin, std::uint64_t end,
                                        std::uint64_t random);
    /// The highest free place that ends at or below TOP and begins at or above BOTTOM.
    [[nodiscard]] std::optional<std::uint64_t> search(std::uint64_t bottom, std::uint64_t top,
                                                      std::uint64_t bytes,
                                                      std::uint64_t alignment) const;
    [[nodiscard]] std::optional<std::uint64_t>
    take(Zone& zone, std::uint64_t bytes, std::uint64_t alignment, std::uint64_t limit) const;
    void insert(const std::shared_ptr<Object>& object, Range range);

    mutable std::mutex mutex_;
    std::uint64_t end_;
    Zone low_;
    Zone high_;
    std::map<std::uint64_t, Bound> by_address_;
    std::map<const Object*, std::uint64_t> by_object_;
};

} // namespace gem_upload::model::i915
