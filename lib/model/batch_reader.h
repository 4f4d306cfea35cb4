// Reads a batch's dwords from the GPU's memory.
#pragma once

#include "model/commands.h"
#include "model/gpu.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gem_upload::model {

class BatchReader {
public:
    BatchReader(AddressSpace& memory, Engine engine) : memory_(&memory), engine_(engine) {}

    /// Goes to a batch at ADDRESS of LENGTH bytes, or 0: as far as memory goes.
    void enter(std::uint64_t address, std::uint64_t length);

    /// COUNT dwords from the current one on, valid until the next call; throws Rejection where the
    /// batch or memory ends before.
    [[nodiscard]] Dwords peek(std::uint32_t count);
    void advance(std::uint32_t count) { position_ += std::uint64_t{count} * sizeof(std::uint32_t); }

    [[nodiscard]] std::uint64_t start() const { return start_; }
    /// The current dword's number in the batch.
    [[nodiscard]] std::uint64_t index() const {
        return (position_ - start_) / sizeof(std::uint32_t);
    }

private:
    void read(std::uint64_t address, Span bytes);

    AddressSpace* memory_;
    Engine engine_;
    std::uint64_t start_ = 0;
    std::uint64_t position_ = 0;
    std::optional<std::uint64_t> end_;
    Span piece_; ///< the memory that the last translation found, and its address
    std::uint64_t piece_address_ = 0;
    std::vector<std::uint32_t> dwords_;
};

} // namespace gem_upload::model
