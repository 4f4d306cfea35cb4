// Who is to blame when the GPU hangs, and what follows for them: gt/intel_reset.c, mark_guilty()
// and client_mark_guilty().
#pragma once

#include "model/front/i915/object.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace gem_upload::model::i915 {

using HangTime = std::chrono::steady_clock::time_point;

/// Parameters of a context that are kept; those about hangs alone have an effect in the model.
struct ContextSwitches {
    bool no_error_capture = false;
    bool bannable = true;
    bool recoverable = true;
    bool persistent = true;
    std::int64_t priority = 0;
};

/// What a client has done. Safe for use from several threads.
class ClientHangs {
public:
    explicit ClientHangs(HangTime opened) : last_(opened) {}

    void count(bool context_banned, HangTime now);
    /// It may create no more contexts.
    [[nodiscard]] bool banned() const;

private:
    mutable std::mutex mutex_;
    HangTime last_;
    unsigned score_ = 0;
};

/// What a context has done. Safe for use from several threads.
class ContextHangs {
public:
    explicit ContextHangs(HangTime created);

    /// A batch of the context hung on a ring.
    void count(Ring ring, const ContextSwitches& switches, ClientHangs& client, HangTime now);
    /// The number of its batches that hung.
    [[nodiscard]] std::uint32_t guilty() const;
    /// It may use the ring no more.
    [[nodiscard]] bool banned(Ring ring) const;

private:
    mutable std::mutex mutex_;
    std::array<HangTime, 2> last_;
    std::uint32_t guilty_ = 0;
    std::array<bool, ring_count> banned_{};
};

} // namespace gem_upload::model::i915
