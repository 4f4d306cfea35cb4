// Submission of contexts through execlists, from gen8 on.
#pragma once

#include "model/pci/page_table.h"
#include "model/pci/profile.h"
#include "model/pci/registers.h"
#include "model/pci/submission.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace gem_upload::model::pci {

/// An engine's two ports, the context that runs, and the context status buffer.
/// Sources: BDW PRM volume 2c and 3d ("Execlist", "Context Status"), ICL and TGL PRM volume 2c;
/// kernel gt/intel_execlists_submission.c, gt/intel_lrc_reg.h.
class Execlists final : public Submission {
public:
    Execlists(const EngineProfile& engine, const ExeclistsProfile& profile, RegisterFile& registers,
              Machine& machine, CommandStreamer& streamer, EngineHost& host,
              std::function<void()> context_interrupt);

    void written(std::uint32_t offset, std::uint32_t value) override;
    [[nodiscard]] bool runnable() const override;
    [[nodiscard]] bool idle() const override;
    [[nodiscard]] Progress run(unsigned jumps) override;
    void reset() override;
    [[nodiscard]] AddressSpace& process_memory() override { return process_memory_; }
    [[nodiscard]] std::uint64_t status_page() const override;
    [[nodiscard]] bool is_wanted() const override { return waiting_.has_value(); }

private:
    /// A context descriptor: flags, the image's global address, an identifier.
    using Descriptor = std::uint64_t;
    using Ports = std::array<Descriptor, 2>;

    /// A write to ELSP; the fourth submits, the upper port first, the high half first.
    void push(std::uint32_t value);
    void submit(const Ports& ports);
    [[nodiscard]] Progress run_contexts(unsigned jumps);
    /// The next ports take over; EVENT is what the status entry says of the one that goes.
    void take_over(std::uint32_t event);
    void complete();
    void report_switch(bool new_queue, Descriptor to, Descriptor away, std::uint32_t event);
    void write_status(std::uint32_t low, std::uint32_t high);

    /// Goes on with the context that is loaded.
    [[nodiscard]] Progress advance(unsigned jumps);
    /// What the image asks for when it is loaded, to be run before the ring.
    void load_workarounds();
    /// Workaround batches: one of a given length, and one that ends itself.
    [[nodiscard]] std::optional<Stream> indirect_batch();
    [[nodiscard]] std::optional<Stream> context_batch();
    void load_image();
    void save_image();
    void resample_tail();
    [[nodiscard]] std::uint32_t image(std::uint32_t index) const;
    void set_image(std::uint32_t index, std::uint32_t value);
    [[nodiscard]] std::uint64_t image_address() const;
    void store_global(std::uint64_t address, std::uint32_t value);
    [[nodiscard]] std::uint32_t& held(std::uint32_t offset);
    [[nodiscard]] std::uint32_t held(std::uint32_t offset) const;
    [[nodiscard]] bool stopped() const;

    const EngineProfile& engine_;
    const ExeclistsProfile& profile_;
    RegisterFile& registers_;
    CommandStreamer& streamer_;
    EngineHost& host_;
    std::function<void()> context_interrupt_;
    WidePageTable process_memory_;
    std::array<std::uint32_t, 4> pushed_{};
    std::size_t pushes_ = 0;
    Ports ports_{};                ///< 0: nothing
    std::optional<Ports> waiting_; ///< to take over at the next arbitration point
    bool loaded_ = false;          ///< the first port's context
    std::optional<Fault> fault_;   ///< met while submitting
    Stream stream_;
    std::deque<Stream> workarounds_;              ///< still to be run before stream_
    std::map<std::uint64_t, Stream> interrupted_; ///< what a context left in the middle, by image
};

} // namespace gem_upload::model::pci
