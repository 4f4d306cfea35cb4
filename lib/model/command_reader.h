// Reads commands' dwords from the GPU's memory: from a ring or from a batch.
#pragma once

#include "model/commands.h"
#include "model/gpu.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gem_upload::model {

/// A value: a place in memory, and what may be read there.
class CommandReader {
public:
    /// A batch at ADDRESS of LENGTH bytes, or 0: as far as memory goes.
    static CommandReader batch(AddressSpace& memory, Engine engine, std::uint64_t address,
                               std::uint64_t length);
    /// A ring of BYTES at ADDRESS whose next command stands HEAD bytes into it. It is empty until
    /// set_tail().
    static CommandReader ring(AddressSpace& memory, Engine engine, std::uint64_t address,
                              std::uint32_t bytes, std::uint32_t head);

    /// COUNT dwords from the current one on, valid until the next call; throws Rejection where the
    /// batch or memory ends before. A ring must hold that many.
    [[nodiscard]] Dwords peek(std::uint32_t count);
    void advance(std::uint32_t count);

    [[nodiscard]] bool is_ring() const { return ring_bytes_ != 0; }
    /// True unless a ring has fewer dwords up to its tail.
    [[nodiscard]] bool holds(std::uint32_t count) const;
    /// A ring's head and tail, in bytes from its start.
    void set_tail(std::uint32_t tail) { tail_ = tail; }
    void set_head(std::uint32_t head) { position_ = start_ + head; }
    [[nodiscard]] std::uint32_t head() const {
        return static_cast<std::uint32_t>(position_ - start_);
    }

    [[nodiscard]] std::uint64_t start() const { return start_; }
    /// The address of the current dword.
    [[nodiscard]] std::uint64_t position() const { return position_; }
    /// The current dword's number in the batch or ring.
    [[nodiscard]] std::uint64_t index() const {
        return (position_ - start_) / sizeof(std::uint32_t);
    }
    /// Translates anew from here on: page tables or the machine's memory may have changed.
    void forget() { piece_ = {}; }

private:
    CommandReader(AddressSpace& memory, Engine engine, std::uint64_t address)
        : memory_(&memory), engine_(engine), start_(address), position_(address) {}
    void read(std::uint64_t address, Span bytes);

    AddressSpace* memory_;
    Engine engine_;
    std::uint64_t start_;
    std::uint64_t position_;
    std::optional<std::uint64_t> end_; ///< of a batch
    std::uint32_t ring_bytes_ = 0;     ///< 0 for a batch
    std::uint32_t tail_ = 0;
    Span piece_; ///< the memory that the last translation found, and its address
    std::uint64_t piece_address_ = 0;
    std::vector<std::uint32_t> dwords_;
};

} // namespace gem_upload::model
