// What a method is: its descriptor and the session that runs its iterations.
#pragma once

#include "bench/options.h"
#include "drm/device.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gem_upload::bench {

/// A method at work in this process. What is timed calls iterate() and wait() and nothing else.
class Session {
public:
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    virtual ~Session() = default;

    /// One iteration of the workload, not waiting for the GPU. Throws failed_call.
    virtual void iterate() = 0;
    /// Waits until all that iterate() started has reached the destination. Throws failed_call.
    virtual void wait() = 0;
    /// Reads the destination of the last iteration back by a coherent path other than the
    /// method's and compares it with the oracle. Returns the first difference in words, or nothing.
    [[nodiscard]] virtual std::optional<std::string> verify() = 0;
    /// What the kernel says of a hang of the GPU since the session was opened, in words; nothing if
    /// there was none. Never asked within the timing.
    [[nodiscard]] virtual std::optional<std::string> hang() { return {}; }
    /// Bytes that one iteration uploads.
    [[nodiscard]] virtual std::uint64_t bytes_per_iteration() const = 0;
    /// Warm-up iterations when the user names none.
    [[nodiscard]] virtual std::uint64_t default_warmup() const = 0;
    /// What a reader of the result must know beside the options (source of WC, pool size, flush
    /// instruction, relocation or softpin ...), as names and values for logs and JSON.
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;
    /// Further results in words, after the samples and the last verify() (the ceilings of --limit);
    /// printed on stderr.
    [[nodiscard]] virtual std::vector<std::string> remarks(double /*best_mb_per_second*/) {
        return {};
    }
};

enum class Group { blit, small, aperture };
[[nodiscard]] std::string_view group_name(Group group); ///< "blit", "small", "aperture"

/// One method: a binary, a section of a man page, a row of `gem-upload devices`.
struct Method {
    std::string_view name; ///< the binary: "upload_blit_large_map"
    Group group;
    std::string_view summary;    ///< one line for lists
    std::string_view workload;   ///< the real program whose habit it stands for
    std::string_view algorithm;  ///< reStructuredText: what is done, and what of it is timed
    bool has_staged;             ///< writes in place, so that `--variant staged` exists
    std::uint32_t width, height; ///< canonical size in pixels of 4 bytes
    std::uint64_t iterations;    ///< canonical iterations a sample

    /// Why it cannot run on the device (nullptr: none at hand), in one sentence; nothing if it can.
    std::optional<std::string> (*refusal)(const drm::Device* device);
    /// Sets the method up. Throws cannot_measure, failed_call or usage_error.
    std::unique_ptr<Session> (*open)(const Options& options);
    /// Canonical stores; what --store and --store-type replace.
    StoreKind store{};

    [[nodiscard]] bool needs_device() const { return group != Group::aperture; }
    [[nodiscard]] std::string_view short_name() const {
        return name.substr(7);
    } ///< without "upload_"
};

/// Every method, in the order of benchmarks/meson.build's table.
[[nodiscard]] std::span<const Method* const> all_methods();

} // namespace gem_upload::bench
