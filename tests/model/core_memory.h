// Memory for the core's tests: objects at GPU addresses, each an allocation of exactly its size, so
// that a sanitizer sees every access outside, and nothing mapped between them.
#pragma once

#include "model/command_streamer.h"
#include "model/gpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gem_upload::model {

class TestMemory : public AddressSpace {
public:
    /// PIECE: how much memory is contiguous at most, as pages are; 0: a whole object.
    explicit TestMemory(std::size_t piece = 0) : piece_(piece) {}

    std::vector<std::byte>& add(std::uint64_t address, std::size_t size) {
        return objects_[address] = std::vector<std::byte>(size);
    }

    void add_dwords(std::uint64_t address, const std::vector<std::uint32_t>& dwords) {
        std::vector<std::byte>& object = add(address, dwords.size() * 4);
        std::memcpy(object.data(), dwords.data(), object.size());
    }

    std::vector<std::byte>& object(std::uint64_t address) { return objects_.at(address); }
    [[nodiscard]] unsigned translations() const { return translations_; }

    [[nodiscard]] std::variant<Span, Fault> translate(Engine /*engine*/, std::uint64_t address,
                                                      Access /*access*/) override {
        ++translations_;
        auto next = objects_.upper_bound(address);
        if (next == objects_.begin()) {
            return Fault{"nothing is bound there"};
        }
        auto& [start, bytes] = *std::prev(next);
        if (address - start >= bytes.size()) {
            return Fault{"nothing is bound there"};
        }
        const std::size_t offset = address - start;
        std::size_t size = bytes.size() - offset;
        if (piece_ != 0) {
            size = std::min(size, piece_ - offset % piece_);
        }
        return Span(bytes).subspan(offset, size);
    }

private:
    std::size_t piece_;
    std::map<std::uint64_t, std::vector<std::byte>> objects_;
    unsigned translations_ = 0;
};

/// A chip with its registers and memory, as a test uses it.
struct TestGpu {
    explicit TestGpu(std::string_view name, std::size_t piece = 0)
        : chip(*find_chip_model(name)),
          fences(chip),
          streamer(chip, fences),
          memory(piece),
          blitter(chip.blt_ring ? Engine::blt : Engine::render) {}

    /// Runs dwords as a batch on the engine that blits; the fault's words, or "" if there is none.
    std::string run(const std::vector<std::uint32_t>& dwords) { return run(blitter, dwords); }

    std::string run(Engine engine, const std::vector<std::uint32_t>& dwords) {
        memory.add_dwords(batch_address, dwords);
        const auto fault = streamer.run_batch(memory, engine, batch_address, 0);
        return fault ? fault->what : "";
    }

    static constexpr std::uint64_t batch_address = 0x7000000;

    const ChipModel& chip;
    FenceRegisters fences;
    CommandStreamer streamer;
    TestMemory memory;
    Engine blitter;
};

} // namespace gem_upload::model
