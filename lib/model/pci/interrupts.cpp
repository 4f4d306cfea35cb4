#include "model/pci/interrupts.h"

#include <fmt/format.h>

namespace gem_upload::model::pci {

void Interrupts::raise(const EngineProfile& engine, std::uint32_t bits) {
    tree_->raise(engine, bits);
    update();
}

bool Interrupts::pending() const {
    const RegisterBit& master = profile_.interrupt_master;
    const bool on = master.offset == 0 || (registers_.at(master.offset) & master.bit) != 0;
    return on && tree_->pending();
}

void Interrupts::update() {
    const bool now = pending();
    config_.show_interrupt(now);
    const auto message = config_.message();
    if (message && now && !sent_) {
        send(*message);
    }
    // What is pending when the last cause is cleared, or the master switch is off and on again,
    // makes a new message; a second cause while one is pending does not.
    sent_ = message && now;
    set_pin(now && !message && config_.pin_enabled());
}

void Interrupts::send(const Message& message) {
    if (journal_.traces()) {
        journal_.trace(
            fmt::format("interrupt: message {:#x} to {:#x}", message.data, message.address));
    }
    journal_.count_interrupt();
    machine_.send_message(message.address, message.data);
}

void Interrupts::set_pin(bool asserted) {
    if (pin_ == asserted) {
        return;
    }
    pin_ = asserted;
    if (journal_.traces()) {
        journal_.trace(fmt::format("interrupt: INTA {}", asserted ? "asserted" : "deasserted"));
    }
    if (asserted) {
        journal_.count_interrupt();
    }
    machine_.set_interrupt(asserted);
}

void Interrupts::reset() {
    // The machine is about to forget the pin's level, or has; at the next occasion it is told.
    pin_ = pin_ == false ? pin_ : std::nullopt;
    sent_ = false;
    tree_->reset();
}

} // namespace gem_upload::model::pci
