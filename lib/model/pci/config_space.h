// The configuration space of the modelled function.
#pragma once

#include "model/pci/profile.h"

#include <array>
#include <cstdint>
#include <optional>

namespace gem_upload::model::pci {

/// Where a message-signalled interrupt goes.
struct Message {
    std::uint64_t address;
    std::uint32_t data;
};

class ConfigSpace {
public:
    /// STOLEN_BASE: see Settings.
    ConfigSpace(const Profile& profile, const ChipModel& chip, std::uint32_t stolen_base);

    void reset();
    /// BYTES is 1, 2 or 4; what lies beyond the 256 bytes reads as 0.
    [[nodiscard]] std::uint32_t read(std::uint32_t offset, unsigned bytes) const;
    void write(std::uint32_t offset, std::uint32_t value, unsigned bytes);

    /// Whether the kernel lets the function use its interrupt pin.
    [[nodiscard]] bool pin_enabled() const;
    /// Where messages go, if they are enabled.
    [[nodiscard]] std::optional<Message> message() const;
    void show_interrupt(bool pending);

private:
    void set(std::uint32_t offset, std::uint32_t value, std::uint32_t writable);
    void add_bars();
    void add_message_capability();

    const Profile& profile_;
    const ChipModel& chip_;
    std::uint32_t stolen_base_;
    std::array<std::uint8_t, 256> bytes_{};
    std::array<std::uint8_t, 256> writable_{};
};

} // namespace gem_upload::model::pci
