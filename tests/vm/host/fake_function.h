// A PCI function that keeps what it was asked, and raises interrupts when it is told to.
#pragma once

#include "model/pci/function.h"

#include <array>
#include <cstdint>
#include <map>

namespace gem_upload::vm {

class FakeFunction final : public model::pci::Function {
public:
    static constexpr std::uint64_t read_value = 0x8877665544332211;
    static constexpr std::uint64_t raise_register = 0x40;   ///< of BAR 0: the pin's level
    static constexpr std::uint64_t message_register = 0x44; ///< of BAR 0: sends a message
    static constexpr std::uint32_t raise_config = 0x80;     ///< in configuration space

    struct Access {
        unsigned bar;
        std::uint64_t offset;
        std::uint64_t value;
        bool operator==(const Access&) const = default;
    };

    void set_bar(unsigned bar, std::uint32_t contents, std::uint64_t bytes) {
        config[0x10 + 4 * bar] = contents;
        sizes.at(bar) = bytes;
    }

    std::uint32_t read_config(std::uint32_t offset, unsigned /*bytes*/) override {
        return offset == 0 ? static_cast<std::uint32_t>(read_value) : config[offset];
    }
    void write_config(std::uint32_t offset, std::uint32_t value, unsigned /*bytes*/) override {
        config[offset] = value;
        if (offset == raise_config) {
            machine->set_interrupt(value != 0);
        }
    }
    std::uint64_t read_bar(unsigned bar, std::uint64_t offset, unsigned /*bytes*/) override {
        last = {bar, offset, 0};
        return read_value;
    }
    void write_bar(unsigned bar, std::uint64_t offset, std::uint64_t value,
                   unsigned /*bytes*/) override {
        last = {bar, offset, value};
        if (offset == raise_register) {
            machine->set_interrupt(value != 0);
        } else if (offset == message_register) {
            machine->send_message(0xfee00000, static_cast<std::uint32_t>(value));
        }
    }
    [[nodiscard]] std::uint64_t bar_bytes(unsigned bar) const override { return sizes.at(bar); }
    void reset() override { ++resets; }
    void pause() override { ++pauses; }
    void resume() override { ++resumes; }

    model::pci::Machine* machine = nullptr;
    std::map<std::uint32_t, std::uint32_t> config;
    std::array<std::uint64_t, 6> sizes{};
    Access last{};
    int resets = 0;
    int pauses = 0;
    int resumes = 0;
};

} // namespace gem_upload::vm
