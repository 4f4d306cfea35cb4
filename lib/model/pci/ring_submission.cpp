#include "model/pci/ring_submission.h"

namespace gem_upload::model::pci {
namespace {

// From the engine's base. Source: SNB PRM volume 1 part 3, "Ring Buffer".
constexpr std::uint32_t ring_tail = 0x30;
constexpr std::uint32_t ring_head = 0x34;
constexpr std::uint32_t ring_start = 0x38;
constexpr std::uint32_t ring_control = 0x3c;
constexpr std::uint32_t mode = 0x9c; ///< MI_MODE

constexpr std::uint32_t head_bits = 0x001ffffc;
constexpr std::uint32_t tail_bits = 0x001ffff8;
constexpr std::uint32_t start_bits = 0xfffff000;
constexpr std::uint32_t size_bits = 0x001ff000;
constexpr std::uint32_t page = 0x1000;

} // namespace

std::uint32_t RingSubmission::held(std::uint32_t offset) const {
    return registers_.at(engine_.base + offset);
}

bool RingSubmission::enabled() const {
    return (held(ring_control) & 1U) != 0;
}

bool RingSubmission::stopped() const {
    constexpr std::uint32_t stop = 1U << 8U;
    return (held(mode) & stop) != 0;
}

std::uint32_t RingSubmission::bytes() const {
    return (held(ring_control) & size_bits) + page;
}

std::uint32_t RingSubmission::head() const {
    return (held(ring_head) & head_bits) % bytes();
}

std::uint32_t RingSubmission::tail() const {
    return (held(ring_tail) & tail_bits) % bytes();
}

void RingSubmission::written(std::uint32_t /*offset*/, std::uint32_t /*value*/) {
    if (!enabled()) {
        stream_.clear();
    } else if (!stream_.empty()) {
        stream_.outermost().set_head(head());
    }
}

AddressSpace& RingSubmission::process_memory() {
    if (has_process_memory_) {
        return process_memory_;
    }
    return global_memory_;
}

std::uint64_t RingSubmission::status_page() const {
    return registers_.at(engine_.status_page) & start_bits;
}

bool RingSubmission::runnable() const {
    return enabled() && !stopped() && (stream_.in_batch() || head() != tail());
}

bool RingSubmission::idle() const {
    return !stream_.in_batch() && (stopped() || !enabled() || head() == tail());
}

Progress RingSubmission::run(unsigned jumps) {
    if (stream_.empty()) {
        stream_.enter({CommandReader::ring(host_.global_memory(), engine_.engine,
                                           held(ring_start) & start_bits, bytes(), head()),
                       &host_.process_memory(), true});
    }
    stream_.outermost().set_tail(tail());
    Progress progress = streamer_.advance(stream_, engine_.engine, jumps);
    std::uint32_t& place = registers_.at(engine_.base + ring_head);
    place = (place & ~head_bits) | stream_.outermost().head();
    if (progress.state == Progress::State::finished) {
        stream_.clear();
    }
    return progress;
}

} // namespace gem_upload::model::pci
