#include "gem/i915_upload.h"

#include "bench/oracle.h"
#include "blit/xy_src_copy.h"
#include "gem/i915_device.h"
#include "gem/upload_path.h"
#include "util/error.h"

#include <fmt/format.h>
#include <i915_drm.h>
#include <span>

namespace gem_upload::gem {
namespace {

std::unique_ptr<UploadPath> make_path(PathKind kind, I915Device& device,
                                      const bench::Options& options) {
    switch (kind) {
    case PathKind::pwrite:
        return make_pwrite_path(device, options);
    case PathKind::map:
        return make_map_path(device, options);
    case PathKind::gtt:
        return make_gtt_path(device, options);
    case PathKind::wc:
        return make_wc_path(device, options);
    }
    throw failure("no such upload path");
}

/// 60 warm-up iterations, as IGT has run since 2009.
constexpr std::uint64_t canonical_warmup = 60;

class I915Upload : public bench::Session {
public:
    I915Upload(const bench::Options& options, PathKind kind, PieceSize pieces)
        : options_(options),
          device_(drm::select_device(options.device)),
          path_(make_path(kind, device_, options)),
          pieces_(pieces, options.store, options.dwords()),
          destination_(device_.allocate("destination", options.bytes())) {
        path_->probe(device_.allocate("probe", options.bytes()));
    }

    void iterate() override {
        first_value_ = pieces_.next_value();
        const Buffer source = device_.allocate("source", options_.bytes());
        path_->upload(source, pieces_);
        device_.copy(source, destination_, options_.width, options_.height);
    }

    /// drm_intel_bo_wait_rendering is this ioctl too, but says nothing when it fails.
    void wait() override {
        device_.set_domain(destination_, I915_GEM_DOMAIN_GTT, I915_GEM_DOMAIN_GTT);
    }

    std::optional<std::string> hang() override { return device_.hang(); }

    std::optional<std::string> verify() override {
        if (path_->verify_through_gtt()) {
            device_.check(drm_intel_gem_bo_map_gtt(destination_.get()),
                          "MMAP_GTT of the destination");
        } else {
            device_.check(drm_intel_bo_map(destination_.get(), 0), "GEM_MMAP of the destination");
        }
        const auto* pixels = static_cast<const std::uint32_t*>(destination_.get()->virt);
        std::optional<std::string> difference = bench::find_difference(
            std::span(pixels, options_.dwords()), options_.width, first_value_);
        device_.check(drm_intel_bo_unmap(destination_.get()), "unmapping the destination");
        return difference;
    }

    [[nodiscard]] std::uint64_t bytes_per_iteration() const override { return options_.bytes(); }
    [[nodiscard]] std::uint64_t default_warmup() const override { return canonical_warmup; }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
        auto facts = path_->facts();
        facts.emplace_back("ring", device_.ring_name());
        facts.emplace_back("addressing",
                           device_.addressing() == Addressing::softpin ? "softpin" : "relocation");
        if (options_.verify == bench::Verify::none) {
            return facts;
        }
        facts.emplace_back("verified through",
                           path_->verify_through_gtt() ? "MMAP_GTT" : "GEM_MMAP, write-back");
        return facts;
    }

private:
    bench::Options options_;
    I915Device device_;
    std::unique_ptr<UploadPath> path_;
    Pieces pieces_;
    Buffer destination_;
    std::uint32_t first_value_ = 1; ///< of the last iteration
};

} // namespace

std::unique_ptr<bench::Session> open_i915_upload(const bench::Options& options, PathKind path,
                                                 PieceSize pieces) {
    blit::check_size(options.width, options.height);
    return std::make_unique<I915Upload>(options, path, pieces);
}

std::optional<std::string> i915_refusal(const drm::Device* device, PathKind path) {
    if (device == nullptr) {
        return "it needs an Intel GPU driven by i915";
    }
    constexpr std::uint32_t probe_pixels = 32;
    bench::Options options;
    options.width = options.height = probe_pixels;
    try {
        I915Device opened{*device};
        make_path(path, opened, options)->probe(opened.allocate("probe", options.bytes()));
        return std::nullopt;
    } catch (const Error& error) {
        return error.what();
    }
}

} // namespace gem_upload::gem
