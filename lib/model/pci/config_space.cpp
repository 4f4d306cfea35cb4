#include "model/pci/config_space.h"

namespace gem_upload::model::pci {
namespace {

constexpr std::uint32_t command_status = 0x04;
constexpr std::uint32_t first_bar = 0x10;
constexpr std::uint32_t capabilities = 0x34;
constexpr std::uint32_t every_config_bit = 0xffffffff;

/// The fixed low bits of a BAR, which say what it is.
std::uint32_t bar_type(BarKind kind) {
    switch (kind) {
    case BarKind::ports:
        return 1;
    case BarKind::aperture:
        return 8; // prefetchable
    case BarKind::none:
    case BarKind::registers:
    case BarKind::page_table:
        break;
    }
    return 0;
}

} // namespace

ConfigSpace::ConfigSpace(const Profile& profile, const ChipModel& chip, std::uint32_t stolen_base)
    : profile_(profile), chip_(chip), stolen_base_(stolen_base) {
    reset();
}

void ConfigSpace::set(std::uint32_t offset, std::uint32_t value, std::uint32_t writable) {
    for (std::uint32_t i = 0; i < 4; ++i) {
        bytes_.at(offset + i) = static_cast<std::uint8_t>(value >> 8 * i);
        writable_.at(offset + i) = static_cast<std::uint8_t>(writable >> 8 * i);
    }
}

void ConfigSpace::reset() {
    constexpr std::uint32_t intel = 0x8086;
    constexpr std::uint32_t vga_controller = 0x030000;
    bytes_ = {};
    writable_ = {};
    for (std::uint32_t offset = 0x40; offset < bytes_.size(); offset += 4) {
        set(offset, 0, every_config_bit); // what firmware and driver keep there
    }
    set(0x00, std::uint32_t{chip_.device_id} << 16U | intel, 0);
    set(command_status, 0, 0x0507); // decoding, bus master, system errors, no pin
    set(0x08, vga_controller << 8U | chip_.revision, 0);
    set(0x0c, 0, 0xffff);                                        // cache line, latency
    set(0x2c, std::uint32_t{chip_.device_id} << 16U | intel, 0); // the board is Intel's own
    set(0x3c, 0x0100, 0xff);                                     // INTA; the firmware's number
    set(profile_.stolen_base, stolen_base_, 0);
    for (const ConfigDword& dword : profile_.config) {
        set(dword.offset, dword.value, dword.writable ? every_config_bit : 0);
    }
    if (stolen_base_ != 0 && profile_.stolen.offset != 0) {
        set(profile_.stolen.offset, read(profile_.stolen.offset, 4) | profile_.stolen.bit, 0);
    }
    add_bars();
    add_message_capability();
}

void ConfigSpace::add_bars() {
    for (std::uint32_t i = 0; i < profile_.bars.size(); ++i) {
        const Bar& bar = profile_.bars.at(i);
        if (bar.kind != BarKind::none) {
            set(first_bar + 4 * i, bar_type(bar.kind), ~(bar.bytes - 1));
        }
    }
}

/// One vector, 32-bit addresses, no masking.
/// Source: PCI Local Bus 3.0, 6.8.1.
void ConfigSpace::add_message_capability() {
    constexpr std::uint32_t has_capabilities = 1U << 20U;
    constexpr std::uint32_t identity = 0x05;
    if (profile_.msi == 0) {
        return;
    }
    set(command_status, has_capabilities, 0x0507);
    set(capabilities, profile_.msi, 0);
    set(profile_.msi, identity, 0x00710000);
    set(profile_.msi + 4, 0, every_config_bit & ~3U);
    set(profile_.msi + 8, 0, 0xffff);
}

std::uint32_t ConfigSpace::read(std::uint32_t offset, unsigned bytes) const {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < bytes && offset + i < bytes_.size(); ++i) {
        value |= std::uint32_t{bytes_.at(offset + i)} << 8 * i;
    }
    return value;
}

void ConfigSpace::write(std::uint32_t offset, std::uint32_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes && offset + i < bytes_.size(); ++i) {
        const std::uint32_t mask = writable_.at(offset + i);
        bytes_.at(offset + i) =
            static_cast<std::uint8_t>((bytes_.at(offset + i) & ~mask) | (value >> 8 * i & mask));
    }
}

bool ConfigSpace::pin_enabled() const {
    constexpr std::uint32_t pin_disabled = 1U << 10U;
    return (read(command_status, 2) & pin_disabled) == 0;
}

std::optional<Message> ConfigSpace::message() const {
    if (profile_.msi == 0 || (read(profile_.msi + 2, 2) & 1U) == 0) {
        return std::nullopt;
    }
    return Message{read(profile_.msi + 4, 4), read(profile_.msi + 8, 2)};
}

void ConfigSpace::show_interrupt(bool pending) {
    constexpr std::uint8_t interrupt_status = 1U << 3U;
    bytes_.at(command_status + 2) = static_cast<std::uint8_t>(
        (bytes_.at(command_status + 2) & ~interrupt_status) | (pending ? interrupt_status : 0));
}

} // namespace gem_upload::model::pci
