#include "vm/mpqemu_link.h"

#include "util/error.h"
#include "vm/placement.h"

#include <fmt/format.h>

namespace gem_upload::vm {
namespace {

constexpr std::uint32_t config_space_bytes = 256;
constexpr std::uint64_t all_ones = ~std::uint64_t{0};

template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>; // clang 14 does not deduce it

} // namespace

void MpqemuLink::serve(model::pci::Function& function) {
    qtest_.set_waiting(false); // until the guest runs
    while (const std::optional<ReceivedMessage> received = socket_.receive()) {
        const std::uint64_t value = perform(function, *received);
        if (wants_answer(received->message)) {
            socket_.answer(value);
        }
    }
}

std::uint64_t MpqemuLink::perform(model::pci::Function& function, const ReceivedMessage& received) {
    return std::visit(Overloaded{
                          [&](const SyncMemory& sync) -> std::uint64_t {
                              remap(function, sync, received.descriptors);
                              return 0;
                          },
                          [&](const ConfigAccess& access) { return config(function, access); },
                          [&](const BarAccess& access) { return bar(function, access); },
                          [](const SetInterruptDescriptors&) -> std::uint64_t { return 0; },
                          [&](const DeviceReset&) -> std::uint64_t {
                              reset(function);
                              return 0;
                          },
                      },
                      received.message);
}

std::uint64_t MpqemuLink::config(model::pci::Function& function, const ConfigAccess& access) {
    ++report_.config_accesses;
    if (access.offset > config_space_bytes - access.bytes) {
        return all_ones >> 32U;
    }
    if (!access.write) {
        return function.read_config(access.offset, access.bytes);
    }
    windows_known_ = false;
    function.write_config(access.offset, access.value, access.bytes);
    return 0;
}

std::uint64_t MpqemuLink::bar(model::pci::Function& function, const BarAccess& access) {
    ++report_.bar_accesses;
    if (!running_) {
        running_ = true;
        qtest_.set_waiting(true);
    }
    if (!windows_known_) {
        windows_ = bar_windows(function);
        windows_known_ = true;
    }
    const std::optional<BarPlace> place =
        find_bar(windows_, access.memory, access.address, access.bytes);
    if (!place) {
        ++report_.missed_accesses;
        return all_ones;
    }
    if (!access.write) {
        return function.read_bar(place->bar, place->offset, access.bytes);
    }
    function.write_bar(place->bar, place->offset, access.value, access.bytes);
    return 0;
}

void MpqemuLink::remap(model::pci::Function& function, const SyncMemory& sync,
                       const std::vector<UniqueFd>& descriptors) {
    function.pause();
    memory_.map(sync.ranges, descriptors);
    function.resume();
}

/// QEMU's main thread waits for the answer, and so cannot answer for an interrupt.
void MpqemuLink::reset(model::pci::Function& function) {
    if (running_) {
        qtest_.set_waiting(false);
        running_ = false;
    }
    function.reset();
    windows_known_ = false;
    const std::scoped_lock lock(interrupt_mutex_);
    level_.reset();
}

LinkReport MpqemuLink::report() const {
    return report_;
}

model::Span MpqemuLink::memory(std::uint64_t physical) {
    return memory_.at(physical);
}

void MpqemuLink::set_interrupt(bool asserted) {
    const std::scoped_lock lock(interrupt_mutex_);
    if (level_ == asserted) {
        return;
    }
    level_ = asserted;
    report_.raised += asserted ? 1 : 0;
    deliver(fmt::format("set_irq_in /machine/q35/ioapic unnamed-gpio-in {} {}", gpu_interrupt_input,
                        asserted ? 1 : 0));
}

void MpqemuLink::send_message(std::uint64_t address, std::uint32_t data) {
    const std::scoped_lock lock(interrupt_mutex_);
    ++report_.messages;
    deliver(fmt::format("writel {:#x} {:#x}", address, data));
}

/// May be called by an engine's thread, where nothing catches: the trouble is kept for the report.
void MpqemuLink::deliver(const std::string& command) {
    try {
        qtest_.command(command);
    } catch (const QtestGone&) {
        // The guest has ended in the meantime, which receive() tells.
    } catch (const Error& error) {
        if (report_.trouble.empty()) {
            report_.trouble = error.what();
        }
    }
}

} // namespace gem_upload::vm
