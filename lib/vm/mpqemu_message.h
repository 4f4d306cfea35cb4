// The messages of QEMU's multi-process protocol (QEMU 7.2: include/hw/remote/mpqemu-link.h): what
// x-pci-proxy-dev and the process that stands for its device say to each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace gem_upload::vm {

/// A piece of guest memory: where it lies in the guest, and where in the descriptor that came with
/// the message. The Nth range belongs to the Nth descriptor.
struct MemoryRange {
    std::uint64_t physical;
    std::uint64_t bytes;
    std::uint64_t offset;
};

struct SyncMemory {
    std::vector<MemoryRange> ranges;
};
struct ConfigAccess {
    bool write;
    std::uint32_t offset;
    std::uint32_t value;
    unsigned bytes;
};
struct BarAccess {
    bool write;
    std::uint64_t address; ///< in the guest's memory or I/O space, not in the BAR
    std::uint64_t value;
    unsigned bytes;
    bool memory; ///< not I/O space
};
/// Two event descriptors come with it. Under emulation nothing listens to them.
struct SetInterruptDescriptors {};
struct DeviceReset {};

using Message =
    std::variant<SyncMemory, ConfigAccess, BarAccess, SetInterruptDescriptors, DeviceReset>;

inline constexpr std::size_t header_bytes = 16;
inline constexpr std::size_t most_descriptors = 8;

struct Header {
    std::int32_t command;
    std::uint64_t payload_bytes;
};

/// Throws failure where the payload is longer than any message's.
[[nodiscard]] Header decode_header(std::span<const std::byte, header_bytes> bytes);
/// DESCRIPTORS: how many came with the message. Throws failure that names what is wrong with it.
[[nodiscard]] Message decode_message(const Header& header, std::span<const std::byte> payload,
                                     std::size_t descriptors);
/// Whether QEMU waits for an answer.
[[nodiscard]] bool wants_answer(const Message& message);
/// The answer: a header and the value.
[[nodiscard]] std::array<std::byte, header_bytes + 8> encode_answer(std::uint64_t value);

} // namespace gem_upload::vm
