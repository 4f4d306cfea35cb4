// Which interrupts are pending, as the kernel finds them in registers: banks of bits up to gen10,
// from gen11 on a bit for each engine and its identity behind it.
#pragma once

#include "model/pci/profile.h"
#include "model/pci/registers.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace gem_upload::model::pci {

class InterruptTree {
public:
    InterruptTree() = default;
    InterruptTree(const InterruptTree&) = delete;
    InterruptTree& operator=(const InterruptTree&) = delete;
    virtual ~InterruptTree() = default;

    /// An event of an engine, unless a mask holds it back.
    virtual void raise(const EngineProfile& engine, std::uint32_t bits) = 0;
    /// The bits of the master register that say where something is pending.
    [[nodiscard]] virtual std::uint32_t summary() const = 0;
    /// Whether anything that is enabled is pending; the master switch is not looked at.
    [[nodiscard]] virtual bool pending() const = 0;
    /// A register of the tree was written.
    virtual void written(std::uint32_t offset, std::uint32_t value) = 0;
    /// Power-on state; the registers have been reset.
    virtual void reset() = 0;
};

[[nodiscard]] std::unique_ptr<InterruptTree> make_interrupt_tree(const Profile& profile,
                                                                 RegisterFile& registers);

} // namespace gem_upload::model::pci
