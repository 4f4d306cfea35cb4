// Worse than useless: a command that hangs a GPU or copies another rectangle than the one asked
// for. The expected dwords are written out by hand from the PRM's bit fields.
#include "blit/xy_src_copy.h"
#include "util/error.h"

#include <gtest/gtest.h>
#include <vector>

namespace gem_upload::blit {
namespace {

std::vector<std::uint32_t> encode(int generation, std::uint64_t source, std::uint64_t destination) {
    const CopyBatch batch = encode_copy(generation, {source, 5120}, {destination, 5120}, 1280, 720);
    return {batch.dwords().begin(), batch.dwords().end()};
}

TEST(XySrcCopy, CanonicalObjectBeforeGen8) {
    const std::vector<std::uint32_t> expected = {0x54F00006, 0x03CC1400, 0x00000000, 0x02D00500,
                                                 0x00200000, 0x00000000, 0x00001400, 0x00100000,
                                                 0x05000000, 0x00000000};
    for (const int generation : {2, 3, 4, 5, 6, 7}) {
        EXPECT_EQ(encode(generation, 0x100000, 0x200000), expected) << "gen" << generation;
    }
}

TEST(XySrcCopy, CanonicalObjectFromGen8) {
    const std::vector<std::uint32_t> expected = {0x54F00008, 0x03CC1400, 0x00000000, 0x02D00500,
                                                 0x9ABCD000, 0x00005678, 0x00000000, 0x00001400,
                                                 0x11223000, 0x00000044, 0x05000000, 0x00000000};
    for (const int generation : {8, 9, 11, 12}) {
        EXPECT_EQ(encode(generation, 0x4411223000, 0x56789ABCD000), expected)
            << "gen" << generation;
    }
}

TEST(XySrcCopy, SaysWhereTheAddressesStand) {
    const CopyBatch old = encode_copy(4, {1, 64}, {2, 64}, 16, 1);
    EXPECT_EQ(old.dwords()[old.destination_index()], 2U);
    EXPECT_EQ(old.dwords()[old.source_index()], 1U);
    const CopyBatch gen8 = encode_copy(8, {1, 64}, {2, 64}, 16, 1);
    EXPECT_EQ(gen8.dwords()[gen8.destination_index()], 2U);
    EXPECT_EQ(gen8.dwords()[gen8.source_index()], 1U);
}

TEST(XySrcCopy, BatchIsAMultipleOfEightBytes) {
    for (const int generation : {3, 8}) {
        EXPECT_EQ(encode_copy(generation, {0, 4}, {0, 4}, 1, 1).bytes() % 8, 0U);
    }
}

TEST(XySrcCopy, RefusesWhatTheFieldsCannotHold) {
    EXPECT_NO_THROW(check_size(8191, 32767));
    EXPECT_THROW(check_size(8192, 1), Error); // a pitch of 32768 bytes
    EXPECT_THROW(check_size(1, 32768), Error);
    EXPECT_THROW(check_size(0, 1), Error);
    EXPECT_THROW(check_size(1, 0), Error);
    EXPECT_THROW(check_size(0x40000001, 1), Error); // 4 bytes a pixel overflow 32 bits
}

} // namespace
} // namespace gem_upload::blit
