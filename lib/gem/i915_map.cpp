// map: the CPU's cached (write-back) mapping, GEM_MMAP.
// Owes SET_DOMAIN(CPU, CPU) before it writes: on chips without LLC it invalidates the cache and
// marks the object so that execbuf flushes it; libdrm_intel's bo_map does that each time.
#include "gem/mapped_path.h"
#include "util/error.h"

#include <cerrno>
#include <fmt/format.h>

namespace gem_upload::gem {
namespace {

class MapPath : public MappedPath {
public:
    using MappedPath::MappedPath;

    void probe(const Buffer& object) override {
        const int result = drm_intel_bo_map(object.get(), 1);
        if (result == -EOPNOTSUPP || result == -ENODEV) {
            throw cannot_measure(fmt::format("i915 refuses GEM_MMAP on {}: {}",
                                             device_.description().label(), errno_text(-result)));
        }
        device_.check(result, "GEM_MMAP");
        unmap(object);
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
        return {{"path", "GEM_MMAP, write-back"}};
    }
    [[nodiscard]] bool verify_through_gtt() const override { return true; }

protected:
    std::uint32_t* map(const Buffer& object) override {
        device_.check(drm_intel_bo_map(object.get(), 1), "GEM_MMAP");
        return static_cast<std::uint32_t*>(object.get()->virt);
    }
    void unmap(const Buffer& object) override {
        device_.check(drm_intel_bo_unmap(object.get()), "SW_FINISH");
    }
};

} // namespace

std::unique_ptr<UploadPath> make_map_path(I915Device& device, const bench::Options& options) {
    return std::make_unique<MapPath>(device, options);
}

} // namespace gem_upload::gem
