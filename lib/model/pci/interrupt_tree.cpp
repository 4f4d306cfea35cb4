#include "model/pci/interrupt_tree.h"

#include <algorithm>

namespace gem_upload::model::pci {
namespace {

/// Up to gen10.
class InterruptBanks final : public InterruptTree {
public:
    InterruptBanks(const Profile& profile, RegisterFile& registers)
        : profile_(profile), registers_(registers) {}

    void raise(const EngineProfile& engine, std::uint32_t bits) override {
        const std::uint32_t own_mask = profile_.engine_offsets.mask;
        if (own_mask != 0) {
            bits &= ~registers_.at(engine.base + own_mask);
        }
        const InterruptBlock& block = profile_.interrupts[engine.interrupt_block];
        registers_.at(block.identity) |= bits & ~registers_.at(block.mask);
    }

    [[nodiscard]] std::uint32_t summary() const override {
        constexpr std::uint32_t low_half = 0xffff;
        std::uint32_t bits = 0;
        for (const InterruptBlock& block : profile_.interrupts) {
            bits |= (enabled(block) & low_half) != 0 ? block.low_summary : 0;
            bits |= (enabled(block) & ~low_half) != 0 ? block.high_summary : 0;
        }
        return bits;
    }

    [[nodiscard]] bool pending() const override {
        return std::ranges::any_of(profile_.interrupts, [this](const InterruptBlock& block) {
            return enabled(block) != 0;
        });
    }

    void written(std::uint32_t /*offset*/, std::uint32_t /*value*/) override {}
    void reset() override {}

private:
    [[nodiscard]] std::uint32_t enabled(const InterruptBlock& block) const {
        return registers_.at(block.identity) & registers_.at(block.enable);
    }

    const Profile& profile_;
    RegisterFile& registers_;
};

/// From gen11 on.
/// Source: kernel gt/intel_gt_irq.c; ICL PRM volume 2c, GT_INTR_DW and INTR_IDENTITY_REG.
class InterruptSelector final : public InterruptTree {
public:
    InterruptSelector(const Profile& profile, RegisterFile& registers)
        : profile_(profile), registers_(registers), pending_(profile.engines.size()) {}

    void raise(const EngineProfile& engine, std::uint32_t bits) override {
        const InterruptSource& source = engine.interrupt_source;
        bits &= half(source.enable) & ~half(source.mask);
        pending_.at(static_cast<std::size_t>(&engine - profile_.engines.data())) |= bits;
        show(source.dword);
    }

    [[nodiscard]] std::uint32_t summary() const override {
        std::uint32_t bits = 0;
        for (std::uint32_t dword = 0; dword < dwords; ++dword) {
            bits |= registers_.at(first_dword + 4 * dword) != 0 ? 1U << dword : 0;
        }
        return bits;
    }

    [[nodiscard]] bool pending() const override { return summary() != 0; }

    void written(std::uint32_t offset, std::uint32_t value) override {
        for (std::uint32_t dword = 0; dword < dwords; ++dword) {
            if (offset == first_dword + 4 * dword) {
                show(dword);
            } else if (offset == first_selector + 4 * dword) {
                select(dword, value);
            }
        }
    }

    void reset() override { pending_.assign(pending_.size(), 0); }

private:
    static constexpr std::uint32_t dwords = 2;
    static constexpr std::uint32_t first_dword = 0x190018;    ///< GEN11_GT_INTR_DW
    static constexpr std::uint32_t first_identity = 0x190060; ///< GEN11_INTR_IDENTITY_REG
    static constexpr std::uint32_t first_selector = 0x190070; ///< GEN11_IIR_REG_SELECTOR

    [[nodiscard]] std::uint32_t half(const RegisterHalf& place) const {
        return registers_.at(place.offset) >> place.shift & 0xffffU;
    }

    /// An engine's bit stays as long as it has something that nobody has selected.
    void show(std::uint32_t dword) {
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const InterruptSource& source = profile_.engines[i].interrupt_source;
            if (source.dword == dword && pending_[i] != 0) {
                registers_.at(first_dword + 4 * dword) |= source.bit;
            }
        }
    }

    /// Hands over what is pending behind a bit; where nothing is, the identity is not valid.
    void select(std::uint32_t dword, std::uint32_t bit) {
        constexpr std::uint32_t valid = 1U << 31U;
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const InterruptSource& source = profile_.engines[i].interrupt_source;
            if (source.dword == dword && source.bit == bit && pending_[i] != 0) {
                registers_.at(first_identity + 4 * dword) = valid | source.identity | pending_[i];
                pending_[i] = 0;
            }
        }
    }

    const Profile& profile_;
    RegisterFile& registers_;
    std::vector<std::uint32_t> pending_; ///< by engine
};

} // namespace

std::unique_ptr<InterruptTree> make_interrupt_tree(const Profile& profile,
                                                   RegisterFile& registers) {
    if (profile.interrupts.empty()) {
        return std::make_unique<InterruptSelector>(profile, registers);
    }
    return std::make_unique<InterruptBanks>(profile, registers);
}

} // namespace gem_upload::model::pci
