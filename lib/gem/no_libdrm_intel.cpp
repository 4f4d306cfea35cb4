// The i915 methods of a build without libdrm_intel.
#include "gem/i915_upload.h"

#include "util/error.h"

namespace gem_upload::gem {
namespace {

constexpr const char* reason = "this build has no libdrm_intel: install libdrm-dev and build again";

} // namespace

std::unique_ptr<bench::Session> open_i915_upload(const bench::Options& /*options*/,
                                                 PathKind /*path*/, PieceSize /*pieces*/) {
    throw cannot_measure(reason);
}

std::optional<std::string> i915_refusal(const drm::Device* /*device*/, PathKind /*path*/) {
    return reason;
}

} // namespace gem_upload::gem
