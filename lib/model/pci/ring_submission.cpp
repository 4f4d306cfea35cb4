#include "model/pci/ring_submission.h"

#include "model/pci/ring_registers.h"

namespace gem_upload::model::pci {
std::uint32_t RingSubmission::held(std::uint32_t offset) const {
    return registers_.at(engine_.base + offset);
}

bool RingSubmission::enabled() const {
    return (held(ring::control) & 1U) != 0;
}

bool RingSubmission::stopped() const {
    return (held(ring::mode) & ring::stop) != 0;
}

std::uint32_t RingSubmission::bytes() const {
    return (held(ring::control) & ring::size_bits) + page_bytes;
}

std::uint32_t RingSubmission::head() const {
    return (held(ring::head) & ring::head_bits) % bytes();
}

std::uint32_t RingSubmission::tail() const {
    return (held(ring::tail) & ring::tail_bits) % bytes();
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
    return registers_.at(engine_.status_page) & ring::start_bits;
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
                                           held(ring::start) & ring::start_bits, bytes(), head()),
                       &host_.process_memory(), true});
    }
    stream_.outermost().set_tail(tail());
    Progress progress = streamer_.advance(stream_, engine_.engine, jumps);
    std::uint32_t& place = registers_.at(engine_.base + ring::head);
    place = (place & ~ring::head_bits) | stream_.outermost().head();
    if (progress.state == Progress::State::finished) {
        stream_.clear();
    }
    return progress;
}

} // namespace gem_upload::model::pci
