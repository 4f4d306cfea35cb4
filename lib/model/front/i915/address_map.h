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

/// One address space (the kernel's i915_address_space) and what is bound in it.
///
/// Addresses are given out from a random start upwards, with a gap after each object, and freed
/// ones are not used again before the space has been gone through: an address that is stale, zero,
/// or past the end of an object hits nothing.
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
    [[nodiscard]] std::optional<std::uint64_t> search(std::uint64_t from, std::uint64_t to,
                                                      std::uint64_t bytes,
                                                      std::uint64_t alignment) const;
    void insert(const std::shared_ptr<Object>& object, Range range);

    mutable std::mutex mutex_;
    std::uint64_t end_;
    std::uint64_t cursor_;
    std::map<std::uint64_t, Bound> by_address_;
    std::map<const Object*, std::uint64_t> by_object_;
};

} // namespace gem_upload::model::i915
