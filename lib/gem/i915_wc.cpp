// wc: the CPU's write-combining mapping of the object's pages, GEM_MMAP with I915_MMAP_WC.
// Owes SET_DOMAIN(WC, WC) before it writes: libdrm_intel's bo_map__wc leaves that to its caller.
// The mapping outlives the object's stay in libdrm's cache and is never unmapped, as Mesa uses it.
#include "gem/mapped_path.h"
#include "util/error.h"

#include <cerrno>
#include <fmt/format.h>
#include <i915_drm.h>

namespace gem_upload::gem {
namespace {

class WcPath : public MappedPath {
public:
    using MappedPath::MappedPath;

    void probe(const Buffer& object) override {
        const std::string where = device_.description().label();
        if (device_.parameter_or(I915_PARAM_MMAP_VERSION, 0) < 1) {
            throw cannot_measure(fmt::format(
                "the i915 of this kernel has no write-combining GEM_MMAP: {}; use a newer kernel",
                where));
        }
        if (drm_intel_gem_bo_map__wc(object.get()) == nullptr) {
            throw cannot_measure(fmt::format(
                "i915 refuses a write-combining GEM_MMAP on {}: {}; without PAT the CPU has no "
                "write-combining mappings",
                where, errno_text(errno)));
        }
        const int error = device_.try_set_domain(object, I915_GEM_DOMAIN_WC, I915_GEM_DOMAIN_WC);
        if (error == EINVAL) {
            throw cannot_measure(fmt::format(
                "the i915 of this kernel has no WC domain: {}; use a newer kernel", where));
        }
        device_.check(-error, "SET_DOMAIN");
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
        return {{"path", "GEM_MMAP, write-combining"}};
    }

protected:
    std::uint32_t* map(const Buffer& object) override {
        void* target = drm_intel_gem_bo_map__wc(object.get());
        if (target == nullptr) {
            throw failed_call("GEM_MMAP", device_.description().label(), errno);
        }
        device_.set_domain(object, I915_GEM_DOMAIN_WC, I915_GEM_DOMAIN_WC);
        return static_cast<std::uint32_t*>(target);
    }
    void unmap(const Buffer& /*object*/) override {}
};

} // namespace

std::unique_ptr<UploadPath> make_wc_path(I915Device& device, const bench::Options& options) {
    return std::make_unique<WcPath>(device, options);
}

} // namespace gem_upload::gem
