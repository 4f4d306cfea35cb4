// gtt: a mapping through the mappable aperture, MMAP_GTT, write-combining where the CPU has PAT.
// Owes SET_DOMAIN(GTT, GTT) before it writes, so that the GPU has finished and CPU caches are
// flushed; libdrm_intel's bo_map_gtt does that each time.
#include "gem/mapped_path.h"
#include "util/error.h"

#include <cerrno>
#include <fmt/format.h>

namespace gem_upload::gem {
namespace {

class GttPath : public MappedPath {
public:
    using MappedPath::MappedPath;

    void probe(const Buffer& object) override {
        const int result = drm_intel_gem_bo_map_gtt(object.get());
        if (result == -ENODEV || result == -EOPNOTSUPP) {
            throw cannot_measure(fmt::format("{} has no mappable aperture: MMAP_GTT: {}",
                                             device_.description().label(), errno_text(-result)));
        }
        device_.check(result, "MMAP_GTT");
        unmap(object);
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
        return {{"path", "MMAP_GTT, aperture"}};
    }

protected:
    std::uint32_t* map(const Buffer& object) override {
        device_.check(drm_intel_gem_bo_map_gtt(object.get()), "MMAP_GTT");
        return static_cast<std::uint32_t*>(object.get()->virt);
    }
    void unmap(const Buffer& object) override {
        device_.check(drm_intel_gem_bo_unmap_gtt(object.get()), "SW_FINISH");
    }
};

} // namespace

std::unique_ptr<UploadPath> make_gtt_path(I915Device& device, const bench::Options& options) {
    return std::make_unique<GttPath>(device, options);
}

} // namespace gem_upload::gem
