// What the methods that write through a mapping share.
#pragma once

#include "gem/upload_path.h"

#include <cstring>

namespace gem_upload::gem {

/// Maps the object, lets the pieces be written to it, unmaps it. Direct: data is generated in
/// place. Staged: each piece is generated into system memory first and then copied, as programs
/// do that cannot generate in place.
class MappedPath : public UploadPath {
public:
    MappedPath(I915Device& device, const bench::Options& options)
        : device_(device),
          staged_(options.variant == bench::Variant::staged ? options.dwords() : 0),
          fence_(options.store.type == bench::StoreType::non_temporal) {}

    void upload(const Buffer& object, Pieces& pieces) final {
        std::uint32_t* target = map(object);
        if (staged_.empty()) {
            pieces.for_each([&](std::uint64_t offset, std::uint64_t dwords) {
                pieces.generate(target + offset, dwords);
            });
        } else {
            pieces.for_each([&](std::uint64_t offset, std::uint64_t dwords) {
                pieces.generate(staged_.data(), dwords);
                std::memcpy(target + offset, staged_.data(), dwords * 4);
            });
        }
        if (fence_) {
            bench::store_fence();
        }
        unmap(object);
    }

protected:
    /// Makes the object ready to be written and returns where. Throws failed_call.
    [[nodiscard]] virtual std::uint32_t* map(const Buffer& object) = 0;
    virtual void unmap(const Buffer& object) = 0;

    I915Device& device_;

private:
    std::vector<std::uint32_t> staged_;
    bool fence_;
};

} // namespace gem_upload::gem
