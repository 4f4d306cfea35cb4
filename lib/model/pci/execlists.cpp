#include "model/pci/execlists.h"

#include "model/commands.h"
#include "model/pci/ring_registers.h"
#include "model/rejection.h"

#include <atomic>
#include <utility>

namespace gem_upload::model::pci {
namespace {

// Registers, from the engine's base.
constexpr std::uint32_t submit_port = 0x230; ///< ELSP
constexpr std::uint32_t execlist_status = 0x234;
constexpr std::uint32_t timestamp = 0x358;
constexpr std::uint32_t status_pointers = 0x3a0;
constexpr std::uint32_t queue = 0x510; ///< ELSQ: two dwords a port, the low one first
constexpr std::uint32_t queue_control = 0x550;

/// A context: a page for its own status, then its image, of which these dwords matter here.
constexpr std::uint64_t image_offset = 0x1000;
constexpr std::uint32_t image_head = 0x05;
constexpr std::uint32_t image_tail = 0x07;
constexpr std::uint32_t image_start = 0x09;
constexpr std::uint32_t image_control = 0x0b;
constexpr std::uint32_t image_timestamp = 0x23;
constexpr std::uint32_t image_last_root = 0x31; ///< its high half; the low one two further on

// A context descriptor.
constexpr std::uint64_t descriptor_valid = 1U << 0U;
constexpr std::uint64_t force_restore = 1U << 2U;
constexpr std::uint64_t four_levels = 3U << 3U; ///< of bits 4:3
constexpr std::uint64_t address_bits = 0xfffff000;

// What became of the context that a status entry names, up to gen11.
constexpr std::uint32_t from_idle = 1U << 0U;
constexpr std::uint32_t preempted = 1U << 1U;
constexpr std::uint32_t next_port = 1U << 2U;
constexpr std::uint32_t to_idle = 1U << 3U;
constexpr std::uint32_t completed = 1U << 4U;
constexpr std::uint32_t lite_restore = 1U << 15U;

bool same_context(std::uint64_t one, std::uint64_t other) {
    return one >> 32U == other >> 32U && (one & address_bits) == (other & address_bits);
}

} // namespace

Execlists::Execlists(const EngineProfile& engine, const ExeclistsProfile& profile,
                     RegisterFile& registers, Machine& machine, CommandStreamer& streamer,
                     EngineHost& host, std::function<void()> context_interrupt)
    : engine_(engine),
      profile_(profile),
      registers_(registers),
      streamer_(streamer),
      host_(host),
      context_interrupt_(std::move(context_interrupt)),
      process_memory_(machine) {}

std::uint32_t& Execlists::held(std::uint32_t offset) {
    return registers_.at(engine_.base + offset);
}

std::uint32_t Execlists::held(std::uint32_t offset) const {
    return registers_.at(engine_.base + offset);
}

bool Execlists::stopped() const {
    return (held(ring::mode) & ring::stop) != 0;
}

bool Execlists::runnable() const {
    return fault_ || (ports_.front() != 0 && !stopped());
}

bool Execlists::idle() const {
    return ports_.front() == 0 || stopped();
}

void Execlists::written(std::uint32_t offset, std::uint32_t value) {
    constexpr std::uint32_t load = 1U << 0U;
    try {
        if (offset == submit_port) {
            push(value);
        } else if (offset == queue_control && (value & load) != 0) {
            submit({Descriptor{held(queue + 4)} << 32U | held(queue),
                    Descriptor{held(queue + 12)} << 32U | held(queue + 8)});
        }
    } catch (const Rejection& rejection) {
        fault_ = Fault{fmt::format("{}: submitting a context: {}", engine_.name, rejection.what())};
    }
}

void Execlists::push(std::uint32_t value) {
    pushed_.at(pushes_++) = value;
    if (pushes_ == pushed_.size()) {
        pushes_ = 0;
        submit({Descriptor{pushed_[2]} << 32U | pushed_[3],
                Descriptor{pushed_[0]} << 32U | pushed_[1]});
    }
}

void Execlists::submit(const Ports& ports) {
    Ports next = ports;
    for (Descriptor& descriptor : next) {
        descriptor = (descriptor & descriptor_valid) != 0 ? descriptor : 0;
    }
    const Descriptor running = ports_.front();
    if (running == 0) {
        ports_ = next;
        report_switch(true, next.front(), 0, from_idle);
    } else if (same_context(running, next.front()) && !waiting_) {
        ports_ = next;
        if (loaded_ && (next.front() & force_restore) != 0) {
            save_image();
        } else if (loaded_) {
            resample_tail();
        }
        report_switch(true, next.front(), running, preempted | lite_restore);
    } else {
        waiting_ = next;
    }
}

Progress Execlists::run(unsigned jumps) {
    if (fault_) {
        return {Progress::State::faulted, *fault_};
    }
    try {
        return run_contexts(jumps);
    } catch (const Rejection& rejection) {
        return {Progress::State::faulted,
                {fmt::format("{}: switching contexts: {}", engine_.name, rejection.what())}};
    }
}

Progress Execlists::run_contexts(unsigned jumps) {
    while (runnable()) {
        if (waiting_ && !loaded_) {
            take_over(preempted);
            continue;
        }
        if (!loaded_) {
            load_image();
        }
        Progress progress = advance(jumps);
        held(ring::head) = stream_.outermost().head();
        if (progress.state == Progress::State::preempted) {
            take_over(preempted);
        } else if (progress.state != Progress::State::finished) {
            return progress;
        } else if (waiting_) {
            take_over(preempted | completed);
        } else {
            complete();
        }
    }
    return {};
}

void Execlists::take_over(std::uint32_t event) {
    const Descriptor away = ports_.front();
    save_image();
    ports_ = *std::exchange(waiting_, std::nullopt);
    report_switch(true, ports_.front(), away, event);
}

void Execlists::complete() {
    const Descriptor away = ports_.front();
    save_image();
    ports_ = {ports_.back(), 0};
    report_switch(false, ports_.front(), away,
                  (ports_.front() != 0 ? next_port : to_idle) | completed);
}

void Execlists::report_switch(bool new_queue, Descriptor to, Descriptor away, std::uint32_t event) {
    held(execlist_status + 4) = static_cast<std::uint32_t>(to >> 32U);
    if (profile_.names_both) {
        constexpr std::uint32_t nobody = 0x7ff;
        const auto number = [](Descriptor descriptor) {
            return descriptor == 0 ? nobody
                                   : static_cast<std::uint32_t>(descriptor >> 37U) & nobody;
        };
        write_status(number(to) << 15U | (new_queue ? 1U : 0U), number(away) << 15U);
    } else {
        write_status(event, static_cast<std::uint32_t>((away != 0 ? away : to) >> 32U));
    }
    context_interrupt_();
}

void Execlists::write_status(std::uint32_t low, std::uint32_t high) {
    constexpr std::uint32_t position_bits = 0xf;
    constexpr unsigned entries_in_first_mirror = 6;
    constexpr std::uint64_t status_buffer = 0x40;
    std::uint32_t& pointers = held(status_pointers);
    const unsigned position = ((pointers & position_bits) + 1) % profile_.status_entries;
    pointers = (pointers & ~position_bits) | position;
    const std::uint32_t mirror = position < entries_in_first_mirror
                                     ? 0x370 + 8 * position
                                     : 0x3c0 + 8 * (position - entries_in_first_mirror);
    held(mirror) = low;
    held(mirror + 4) = high;
    const std::uint64_t page = registers_.at(engine_.status_page) & ring::start_bits;
    const std::uint64_t entry = page + status_buffer + std::uint64_t{8} * position;
    store_global(entry, low);
    store_global(entry + 4, high);
    std::atomic_thread_fence(std::memory_order_release); // the kernel looks at the pointer first
    store_global(page + profile_.status_pointer, position);
}

Progress Execlists::advance(unsigned jumps) {
    while (!workarounds_.empty()) {
        Progress progress = streamer_.advance(workarounds_.front(), engine_.engine, jumps);
        if (progress.state != Progress::State::finished) {
            return progress;
        }
        workarounds_.pop_front();
    }
    return streamer_.advance(stream_, engine_.engine, jumps);
}

void Execlists::load_workarounds() {
    for (std::optional<Stream> batch : {indirect_batch(), context_batch()}) {
        if (batch) {
            batch->arbitrates() = false; // nothing takes over while a context is being loaded
            workarounds_.push_back(std::move(*batch));
        }
    }
}

std::optional<Stream> Execlists::indirect_batch() {
    constexpr std::uint32_t line = 64;
    constexpr std::uint32_t longest = 64 * line;
    const std::uint32_t place = engine_.workaround_batches;
    const std::uint32_t word = place == 0 ? 0 : image(place + 3);
    const std::uint32_t lines = field(word, 5, 0);
    if (lines == 0) {
        return std::nullopt;
    }
    // As a ring: it ends where its length says.
    Stream batch;
    batch.enter(
        {CommandReader::ring(host_.global_memory(), engine_.engine, word & ~(line - 1), longest, 0),
         &process_memory_, true});
    batch.outermost().set_tail(lines * line);
    return batch;
}

std::optional<Stream> Execlists::context_batch() {
    constexpr std::uint32_t enabled = 1U << 0U;
    const std::uint32_t place = engine_.workaround_batches;
    const std::uint32_t word = place == 0 ? 0 : image(place + 1);
    if ((word & enabled) == 0) {
        return std::nullopt;
    }
    Stream batch;
    batch.enter(
        {CommandReader::batch(host_.global_memory(), engine_.engine, word & ring::start_bits, 0),
         &process_memory_, true});
    return batch;
}

void Execlists::load_image() {
    const Descriptor descriptor = ports_.front();
    held(ring::head) = image(image_head) & ring::head_bits;
    held(ring::tail) = image(image_tail) & ring::tail_bits;
    held(ring::start) = image(image_start);
    held(ring::control) = image(image_control);
    WidePageTable::Roots roots{.four_levels = (descriptor & four_levels) == four_levels};
    for (std::uint32_t i = 0; i < roots.pointers.size(); ++i) {
        const std::uint32_t high = image_last_root - 4 * i;
        roots.pointers.at(i) = std::uint64_t{image(high)} << 32U | image(high + 2);
    }
    process_memory_.set_roots(roots);
    const auto left = interrupted_.extract(image_address());
    // The kernel may have turned the image back, or given its place to another context.
    if (left && left.mapped().outermost().head() == held(ring::head) &&
        left.mapped().outermost().start() == (held(ring::start) & ring::start_bits)) {
        stream_ = left.mapped();
    } else {
        stream_ = {};
        stream_.enter({CommandReader::ring(host_.global_memory(), engine_.engine,
                                           held(ring::start) & ring::start_bits,
                                           (held(ring::control) & ring::size_bits) + page_bytes,
                                           held(ring::head)),
                       &process_memory_, true});
    }
    stream_.outermost().set_tail(held(ring::tail));
    load_workarounds();
    loaded_ = true;
}

void Execlists::save_image() {
    if (!loaded_) {
        return;
    }
    set_image(image_head, stream_.outermost().head());
    set_image(image_timestamp, host_.read_register(engine_.base + timestamp));
    if (stream_.in_batch()) {
        interrupted_[image_address()] = std::move(stream_);
    }
    stream_ = {};
    workarounds_.clear();
    loaded_ = false;
}

void Execlists::resample_tail() {
    held(ring::tail) = image(image_tail) & ring::tail_bits;
    stream_.outermost().set_tail(held(ring::tail));
}

void Execlists::reset() {
    interrupted_.erase(image_address());
    stream_ = {};
    workarounds_.clear();
    ports_ = {};
    waiting_.reset();
    loaded_ = false;
    pushes_ = 0;
    fault_.reset();
}

std::uint64_t Execlists::image_address() const {
    return ports_.front() & address_bits;
}

std::uint64_t Execlists::status_page() const {
    return image_address();
}

std::uint32_t Execlists::image(std::uint32_t index) const {
    return load(host_.global_memory(), engine_.engine,
                image_address() + image_offset + std::uint64_t{4} * index);
}

void Execlists::set_image(std::uint32_t index, std::uint32_t value) {
    store_global(image_address() + image_offset + std::uint64_t{4} * index, value);
}

void Execlists::store_global(std::uint64_t address, std::uint32_t value) {
    store(host_.global_memory(), engine_.engine, address, std::span(&value, 1));
}

} // namespace gem_upload::model::pci
