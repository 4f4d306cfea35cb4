// The ways of getting CPU-written data into a GEM object of i915.
#pragma once

#include "bench/options.h"
#include "gem/i915_device.h"
#include "gem/pieces.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace gem_upload::gem {

/// One way. A class a file: i915_pwrite.cpp, i915_map.cpp, i915_gtt.cpp, i915_wc.cpp.
class UploadPath {
public:
    UploadPath() = default;
    UploadPath(const UploadPath&) = delete;
    UploadPath& operator=(const UploadPath&) = delete;
    virtual ~UploadPath() = default;

    /// Fills the object with the next pieces of the counter. Throws failed_call.
    virtual void upload(const Buffer& object, Pieces& pieces) = 0;
    /// Tries the path on an object that is thrown away. Throws cannot_measure where the kernel
    /// refuses it.
    virtual void probe(const Buffer& object) = 0;
    /// What results say of it: names and values.
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;
    /// The destination is read back by another path: through the GTT when the method itself uses
    /// the CPU's cached mapping, else through that.
    [[nodiscard]] virtual bool verify_through_gtt() const { return false; }
};

[[nodiscard]] std::unique_ptr<UploadPath> make_pwrite_path(I915Device& device,
                                                           const bench::Options& options);
[[nodiscard]] std::unique_ptr<UploadPath> make_map_path(I915Device& device,
                                                        const bench::Options& options);
[[nodiscard]] std::unique_ptr<UploadPath> make_gtt_path(I915Device& device,
                                                        const bench::Options& options);
[[nodiscard]] std::unique_ptr<UploadPath> make_wc_path(I915Device& device,
                                                       const bench::Options& options);

} // namespace gem_upload::gem
