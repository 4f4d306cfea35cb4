// From an engine's interrupt to the machine's.
#pragma once

#include "model/pci/config_space.h"
#include "model/pci/function.h"
#include "model/pci/interrupt_tree.h"
#include "model/pci/journal.h"
#include "model/pci/profile.h"
#include "model/pci/registers.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace gem_upload::model::pci {

/// What is pending in the registers, as a pin's level or as messages.
class Interrupts {
public:
    Interrupts(const Profile& profile, RegisterFile& registers, ConfigSpace& config,
               Machine& machine, Journal& journal)
        : profile_(profile),
          registers_(registers),
          config_(config),
          machine_(machine),
          journal_(journal),
          tree_(make_interrupt_tree(profile, registers)) {}

    /// An event of an engine, unless a mask holds it back.
    void raise(const EngineProfile& engine, std::uint32_t bits);
    [[nodiscard]] InterruptTree& tree() { return *tree_; }
    /// Tells the machine what has changed. To be called whenever a register or configuration byte
    /// that decides about interrupts was written.
    void update();
    /// Power-on state, without a word to the machine.
    void reset();

private:
    [[nodiscard]] bool pending() const;
    void set_pin(bool asserted);
    void send(const Message& message);

    const Profile& profile_;
    RegisterFile& registers_;
    ConfigSpace& config_;
    Machine& machine_;
    Journal& journal_;
    std::unique_ptr<InterruptTree> tree_;
    std::optional<bool> pin_ = false; ///< nothing: the machine may think otherwise than we
    bool sent_ = false;               ///< a message for what is pending
};

} // namespace gem_upload::model::pci
