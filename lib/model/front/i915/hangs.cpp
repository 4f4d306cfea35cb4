#include "model/front/i915/hangs.h"

namespace gem_upload::model::i915 {
namespace {

// I915_CLIENT_FAST_HANG_JIFFIES, I915_CLIENT_SCORE_* and CONTEXT_FAST_HANG_JIFFIES.
constexpr std::chrono::seconds fast_for_client{60};
constexpr std::chrono::seconds fast_for_context{120};
constexpr unsigned score_of_fast_hang = 1;
constexpr unsigned score_of_context_ban = 3;
constexpr unsigned banned_from_score = 9;

} // namespace

void ClientHangs::count(bool context_banned, HangTime now) {
    const std::lock_guard lock(mutex_);
    score_ += context_banned ? score_of_context_ban : 0;
    score_ += now < last_ + fast_for_client ? score_of_fast_hang : 0;
    last_ = now;
}

bool ClientHangs::banned() const {
    const std::lock_guard lock(mutex_);
    return score_ >= banned_from_score;
}

ContextHangs::ContextHangs(HangTime created) {
    last_.fill(created - fast_for_context);
}

void ContextHangs::count(Ring ring, const ContextSwitches& switches, ClientHangs& client,
                         HangTime now) {
    const std::lock_guard lock(mutex_);
    ++guilty_;
    if (!switches.bannable) {
        return;
    }
    const bool third_in_a_row = now < last_[0] + fast_for_context;
    last_ = {last_[1], now};
    const bool ban = third_in_a_row || !switches.recoverable;
    client.count(ban, now);
    if (ban) {
        banned_.at(static_cast<std::size_t>(ring)) = true;
    }
}

std::uint32_t ContextHangs::guilty() const {
    const std::lock_guard lock(mutex_);
    return guilty_;
}

bool ContextHangs::banned(Ring ring) const {
    const std::lock_guard lock(mutex_);
    return banned_.at(static_cast<std::size_t>(ring));
}

} // namespace gem_upload::model::i915
