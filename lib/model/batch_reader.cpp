#include "model/batch_reader.h"

#include "model/rejection.h"

#include <algorithm>
#include <cstring>

namespace gem_upload::model {

void BatchReader::enter(std::uint64_t address, std::uint64_t length) {
    start_ = address;
    position_ = address;
    end_ = length == 0 ? std::nullopt : std::optional(address + length);
}

Dwords BatchReader::peek(std::uint32_t count) {
    const std::uint64_t bytes = std::uint64_t{count} * sizeof(std::uint32_t);
    if (end_ && (position_ >= *end_ || *end_ - position_ < bytes)) {
        reject("the batch's {} bytes end within it, before any MI_BATCH_BUFFER_END",
               *end_ - start_);
    }
    dwords_.resize(count);
    read(position_, std::as_writable_bytes(std::span(dwords_)));
    return dwords_;
}

void BatchReader::read(std::uint64_t address, Span bytes) {
    while (!bytes.empty()) {
        if (address < piece_address_ || address - piece_address_ >= piece_.size()) {
            try {
                piece_ = reach(*memory_, engine_, address, Access::read);
            } catch (const Rejection& rejection) {
                reject("reading the batch at {:#x}: {}", address, rejection.what());
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
