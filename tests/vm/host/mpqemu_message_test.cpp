// Worse than useless: an access that is taken for another one, which corrupts what the guest
// computes, or a message of another protocol that is answered as if it were known. The bytes are
// written out by hand from QEMU 7.2's include/hw/remote/mpqemu-link.h.
#include "vm/mpqemu_message.h"

#include "util/error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>

namespace gem_upload::vm {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
    std::vector<std::byte> result;
    for (const int value : values) {
        result.push_back(static_cast<std::byte>(value));
    }
    return result;
}

TEST(MpqemuMessage, HeaderIsSixteenBytesWithAGap) {
    const auto raw = bytes({5, 0, 0, 0, 0xaa, 0xaa, 0xaa, 0xaa, 24, 0, 0, 0, 0, 0, 0, 0});
    const Header header = decode_header(std::span(raw).first<header_bytes>());
    EXPECT_EQ(header.command, 5);
    EXPECT_EQ(header.payload_bytes, 24U);
}

TEST(MpqemuMessage, HugePayloadIsRefusedBeforeItIsRead) {
    const auto raw = bytes({5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0});
    EXPECT_THROW((void)decode_header(std::span(raw).first<header_bytes>()), Error);
}

TEST(MpqemuMessage, BarAccess) {
    const auto payload = bytes({0x30, 0x20, 0xb0, 0xfe, 0, 0, 0, 0, 0x78, 0x56, 0x34, 0x12,
                                0,    0,    0,    0,    4, 0, 0, 0, 1,    0xee, 0xee, 0xee});
    const auto write = std::get<BarAccess>(decode_message({4, 24}, payload, 0));
    EXPECT_TRUE(write.write);
    EXPECT_EQ(write.address, 0xfeb02030U);
    EXPECT_EQ(write.value, 0x12345678U);
    EXPECT_EQ(write.bytes, 4U);
    EXPECT_TRUE(write.memory);
    EXPECT_FALSE(std::get<BarAccess>(decode_message({5, 24}, payload, 0)).write);
}

TEST(MpqemuMessage, ConfigAccess) {
    const auto payload = bytes({0x52, 0, 0, 0, 0x10, 0, 0, 0, 2, 0, 0, 0});
    const auto write = std::get<ConfigAccess>(decode_message({2, 12}, payload, 0));
    EXPECT_TRUE(write.write);
    EXPECT_EQ(write.offset, 0x52U);
    EXPECT_EQ(write.value, 0x10U);
    EXPECT_EQ(write.bytes, 2U);
    EXPECT_FALSE(std::get<ConfigAccess>(decode_message({3, 12}, payload, 0)).write);
}

TEST(MpqemuMessage, MemoryHasAsManyRangesAsDescriptors) {
    std::vector<std::byte> payload(192);
    const auto set = [&](std::size_t array, std::size_t index, int value) {
        payload[(array * 8 + index) * 8 + 2] = static_cast<std::byte>(value);
    };
    set(0, 0, 1);
    set(1, 0, 2);
    set(2, 0, 3);
    set(0, 1, 4);
    set(1, 1, 5);
    set(2, 1, 6);
    set(0, 2, 7); // beyond the descriptors: garbage
    const auto sync = std::get<SyncMemory>(decode_message({0, 192}, payload, 2));
    ASSERT_EQ(sync.ranges.size(), 2U);
    EXPECT_EQ(sync.ranges[0].physical, 0x10000U);
    EXPECT_EQ(sync.ranges[0].bytes, 0x20000U);
    EXPECT_EQ(sync.ranges[0].offset, 0x30000U);
    EXPECT_EQ(sync.ranges[1].physical, 0x40000U);
    EXPECT_EQ(sync.ranges[1].offset, 0x60000U);
}

TEST(MpqemuMessage, WhatIsNotOfTheProtocolIsRefused) {
    EXPECT_THROW((void)decode_message({8, 0}, {}, 0), Error);
    EXPECT_THROW((void)decode_message({1, 8}, bytes({0, 0, 0, 0, 0, 0, 0, 0}), 0), Error);
    EXPECT_THROW((void)decode_message({5, 20}, std::vector<std::byte>(20), 0), Error);
    auto odd = std::vector<std::byte>(24);
    odd[16] = std::byte{3};
    EXPECT_THROW((void)decode_message({5, 24}, odd, 0), Error) << "an access of three bytes";
    auto wide = std::vector<std::byte>(12);
    wide[8] = std::byte{8};
    EXPECT_THROW((void)decode_message({3, 12}, wide, 0), Error) << "config space has no 8 bytes";
}

TEST(MpqemuMessage, OnlySomeAreAnswered) {
    EXPECT_FALSE(wants_answer(SyncMemory{}));
    EXPECT_FALSE(wants_answer(SetInterruptDescriptors{}));
    EXPECT_TRUE(wants_answer(ConfigAccess{}));
    EXPECT_TRUE(wants_answer(BarAccess{}));
    EXPECT_TRUE(wants_answer(DeviceReset{}));
    const auto answer = encode_answer(0x1122334455667788);
    const auto expected = bytes({1, 0, 0, 0, 0,    0,    0,    0,    8,    0,    0,    0,
                                 0, 0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11});
    EXPECT_TRUE(std::ranges::equal(answer, expected));
}

} // namespace
} // namespace gem_upload::vm
