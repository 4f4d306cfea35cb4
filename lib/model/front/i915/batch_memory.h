// What a batch can reach: the objects of its execbuffer, at the addresses they are bound to.
#pragma once

#include "model/front/i915/object.h"
#include "model/gpu.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace gem_upload::model::i915 {

/// Holds its objects for as long as the batch needs them.
class BatchMemory final : public AddressSpace {
public:
    void add(std::uint64_t address, std::shared_ptr<Object> object);
    [[nodiscard]] std::variant<Span, Fault> translate(Engine engine, std::uint64_t address,
                                                      Access access) override;

private:
    struct Region {
        std::uint64_t address;
        Span memory;
        std::shared_ptr<Object> object;
        [[nodiscard]] bool holds(std::uint64_t where) const {
            return where >= address && where - address < memory.size();
        }
    };
    std::vector<Region> regions_;
    std::size_t last_hit_ = 0;
};

} // namespace gem_upload::model::i915
