#include "model/command_reader.h"

#include "model/rejection.h"

#include <algorithm>
#include <cstring>

namespace gem_upload::model {

CommandReader CommandReader::batch(AddressSpace& memory, Engine engine, std::uint64_t address,
                                   std::uint64_t length) {
    CommandReader reader(memory, engine, address);
    reader.end_ = length == 0 ? std::nullopt : std::optional(address + length);
    return reader;
}

CommandReader CommandReader::ring(AddressSpace& memory, Engine engine, std::uint64_t address,
                                  std::uint32_t bytes, std::uint32_t head) {
    CommandReader reader(memory, engine, address);
    reader.ring_bytes_ = bytes;
    reader.tail_ = head;
    reader.set_head(head);
    return reader;
}

bool CommandReader::holds(std::uint32_t count) const {
    if (!is_ring()) {
        return true;
    }
    const std::uint32_t filled = (tail_ + ring_bytes_ - head()) % ring_bytes_;
    return filled / sizeof(std::uint32_t) >= count;
}

void CommandReader::advance(std::uint32_t count) {
    position_ += std::uint64_t{count} * sizeof(std::uint32_t);
    if (is_ring()) {
        position_ = start_ + (position_ - start_) % ring_bytes_;
    }
}

Dwords CommandReader::peek(std::uint32_t count) {
    const std::uint64_t bytes = std::uint64_t{count} * sizeof(std::uint32_t);
    if (end_ && (position_ >= *end_ || *end_ - position_ < bytes)) {
        reject("the batch's {} bytes end within it, before any MI_BATCH_BUFFER_END",
               *end_ - start_);
    }
    dwords_.resize(count);
    const Span all = std::as_writable_bytes(std::span(dwords_));
    // A ring goes on at its start.
    const std::uint64_t first =
        is_ring() ? std::min<std::uint64_t>(bytes, start_ + ring_bytes_ - position_) : bytes;
    read(position_, all.first(first));
    read(start_, all.subspan(first));
    return dwords_;
}

void CommandReader::read(std::uint64_t address, Span bytes) {
    while (!bytes.empty()) {
        if (address < piece_address_ || address - piece_address_ >= piece_.size()) {
            try {
                piece_ = reach(*memory_, engine_, address, Access::read);
            } catch (const Rejection& rejection) {
                reject("reading the {} at {:#x}: {}", is_ring() ? "ring" : "batch", address,
                       rejection.what());
            }
            piece_address_ = address;
        }
        const std::uint64_t skip = address - piece_address_;
        const std::size_t run = std::min<std::size_t>(bytes.size(), piece_.size() - skip);
        std::memcpy(bytes.data(), piece_.data() + skip, run);
        bytes = bytes.subspan(run);
        address += run;
    }
}

} // namespace gem_upload::model
