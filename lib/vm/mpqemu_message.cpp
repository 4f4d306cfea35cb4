#include "vm/mpqemu_message.h"

#include "util/error.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::vm {
namespace {

// enum MPQemuCmd.
constexpr std::int32_t sync_sysmem = 0;
constexpr std::int32_t ret = 1;
constexpr std::int32_t config_write = 2;
constexpr std::int32_t config_read = 3;
constexpr std::int32_t bar_write = 4;
constexpr std::int32_t bar_read = 5;
constexpr std::int32_t set_irqfd = 6;
constexpr std::int32_t device_reset = 7;

// The payloads as they lie in memory on x86-64 (SyncSysmemMsg, PciConfDataMsg, BarAccessMsg).
constexpr std::size_t sync_bytes = 3 * most_descriptors * 8;
constexpr std::size_t config_bytes = 12;
constexpr std::size_t bar_bytes = 24;

template <typename T>
T value_at(std::span<const std::byte> bytes, std::size_t offset) {
    T value{};
    std::memcpy(&value, bytes.subspan(offset, sizeof value).data(), sizeof value);
    return value;
}

void require_payload(std::string_view name, std::size_t wanted,
                     std::span<const std::byte> payload) {
    if (payload.size() != wanted) {
        throw failure(fmt::format("QEMU sent a message {} with {} bytes instead of {}: its "
                                  "multi-process protocol is not that of QEMU 7.2",
                                  name, payload.size(), wanted));
    }
}

void require_size(std::string_view name, unsigned bytes, unsigned most) {
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != most) {
        throw failure(fmt::format("QEMU sent a message {} for an access of {} bytes", name, bytes));
    }
}

SyncMemory decode_sync(std::span<const std::byte> payload, std::size_t descriptors) {
    require_payload("SYNC_SYSMEM", sync_bytes, payload);
    SyncMemory message;
    for (std::size_t i = 0; i < std::min(descriptors, most_descriptors); ++i) {
        const auto field = [&](std::size_t array) {
            return value_at<std::uint64_t>(payload, (array * most_descriptors + i) * 8);
        };
        if (field(1) == 0) {
            break; // the rest is unused, and its descriptors are the next message's
        }
        message.ranges.push_back({.physical = field(0), .bytes = field(1), .offset = field(2)});
    }
    return message;
}

ConfigAccess decode_config(bool write, std::span<const std::byte> payload) {
    require_payload("of a configuration access", config_bytes, payload);
    const ConfigAccess access{.write = write,
                              .offset = value_at<std::uint32_t>(payload, 0),
                              .value = value_at<std::uint32_t>(payload, 4),
                              .bytes = value_at<std::uint32_t>(payload, 8)};
    require_size("of a configuration access", access.bytes, 4);
    return access;
}

BarAccess decode_bar(bool write, std::span<const std::byte> payload) {
    require_payload("of a BAR access", bar_bytes, payload);
    const BarAccess access{.write = write,
                           .address = value_at<std::uint64_t>(payload, 0),
                           .value = value_at<std::uint64_t>(payload, 8),
                           .bytes = value_at<std::uint32_t>(payload, 16),
                           .memory = value_at<std::uint8_t>(payload, 20) != 0};
    require_size("of a BAR access", access.bytes, 8);
    return access;
}

} // namespace

Header decode_header(std::span<const std::byte, header_bytes> bytes) {
    const Header header{.command = value_at<std::int32_t>(bytes, 0),
                        .payload_bytes = value_at<std::uint64_t>(bytes, 8)};
    if (header.payload_bytes > sync_bytes) {
        throw failure(fmt::format("QEMU announced a message {} of {} bytes, longer than any of its "
                                  "multi-process protocol",
                                  header.command, header.payload_bytes));
    }
    return header;
}

Message decode_message(const Header& header, std::span<const std::byte> payload,
                       std::size_t descriptors) {
    switch (header.command) {
    case sync_sysmem:
        return decode_sync(payload, descriptors);
    case config_write:
    case config_read:
        return decode_config(header.command == config_write, payload);
    case bar_write:
    case bar_read:
        return decode_bar(header.command == bar_write, payload);
    case set_irqfd:
        return SetInterruptDescriptors{};
    case device_reset:
        return DeviceReset{};
    default:
        throw failure(fmt::format("QEMU sent a message {}, which its multi-process protocol (7.2) "
                                  "does not have",
                                  header.command));
    }
}

bool wants_answer(const Message& message) {
    return !std::holds_alternative<SyncMemory>(message) &&
           !std::holds_alternative<SetInterruptDescriptors>(message);
}

std::array<std::byte, header_bytes + 8> encode_answer(std::uint64_t value) {
    std::array<std::byte, header_bytes + 8> bytes{};
    const std::uint64_t value_bytes = sizeof value;
    std::memcpy(bytes.data(), &ret, sizeof ret);
    std::memcpy(bytes.data() + 8, &value_bytes, sizeof value_bytes);
    std::memcpy(bytes.data() + header_bytes, &value, sizeof value);
    return bytes;
}

} // namespace gem_upload::vm
