// pwrite: generate into ordinary memory, then let the kernel copy it (GEM PWRITE).
// Owes nothing for coherency: the kernel waits for the GPU and flushes what it must.
#include "gem/upload_path.h"

#include "util/error.h"

#include <cerrno>
#include <fmt/format.h>

namespace gem_upload::gem {
namespace {

class PwritePath : public UploadPath {
public:
    PwritePath(I915Device& device, const bench::Options& options)
        : device_(device), data_(options.dwords()), store_(options.store) {}

    void upload(const Buffer& object, Pieces& pieces) override {
        pieces.for_each([&](std::uint64_t offset, std::uint64_t dwords) {
            pieces.generate(data_.data(), dwords);
            if (store_.type == bench::StoreType::non_temporal) {
                bench::store_fence();
            }
            device_.check(drm_intel_bo_subdata(object.get(), offset * 4, dwords * 4, data_.data()),
                          "PWRITE");
        });
    }

    void probe(const Buffer& object) override {
        const int error = device_.try_pwrite(object, data_.data(), 4);
        if (error == EOPNOTSUPP) {
            throw cannot_measure(fmt::format("i915 refuses PWRITE on {}, and libdrm_intel would "
                                             "turn it into mmap and memcpy without a "
                                             "word: measure the map, wc or gtt methods there",
                                             device_.description().label()));
        }
        device_.check(-error, "PWRITE");
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
        return {{"path", "GEM PWRITE"}};
    }

private:
    I915Device& device_;
    std::vector<std::uint32_t> data_;
    bench::StoreKind store_;
};

} // namespace

std::unique_ptr<UploadPath> make_pwrite_path(I915Device& device, const bench::Options& options) {
    return std::make_unique<PwritePath>(device, options);
}

} // namespace gem_upload::gem
