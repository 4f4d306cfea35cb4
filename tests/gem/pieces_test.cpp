// Worse than useless: a skipped dword (IGT's upload_blit_small of 2022 reports about 3 % too much).
#include "gem/pieces.h"

#include <gtest/gtest.h>
#include <vector>

namespace gem_upload::gem {
namespace {

std::vector<std::uint32_t> make_object(Pieces& pieces, std::uint64_t dwords) {
    std::vector<std::uint32_t> object(dwords);
    pieces.for_each([&](std::uint64_t offset, std::uint64_t count) {
        pieces.generate(object.data() + offset, count);
    });
    return object;
}

TEST(Pieces, TheCounterRunsOnAcrossObjectsWithoutAGap) {
    for (const PieceSize size : {PieceSize::whole, PieceSize::small}) {
        constexpr std::uint64_t dwords = 32768;
        Pieces pieces{size, {}, dwords};
        std::uint32_t expected = 1;
        for (int object = 0; object < 3; ++object) {
            for (const std::uint32_t value : make_object(pieces, dwords)) {
                ASSERT_EQ(value, expected++);
            }
        }
        EXPECT_EQ(pieces.next_value(), expected);
    }
}

TEST(Pieces, SmallOnesHaveOneToSixtyFourDwordsAndCoverTheObject) {
    Pieces pieces{PieceSize::small, {}, 32768};
    std::uint64_t end = 0;
    std::uint64_t count = 0;
    std::uint64_t largest = 0;
    pieces.for_each([&](std::uint64_t offset, std::uint64_t dwords) {
        EXPECT_EQ(offset, end);
        EXPECT_GE(dwords, 1U);
        EXPECT_LE(dwords, 64U);
        largest = std::max(largest, dwords);
        end += dwords;
        ++count;
    });
    EXPECT_EQ(end, 32768U);
    EXPECT_EQ(largest, 64U);
    EXPECT_NEAR(static_cast<double>(count), 32768 / 32.5, 100); // mean piece: 32.5 dwords
}

TEST(Pieces, AWholeObjectIsOnePiece) {
    Pieces pieces{PieceSize::whole, {}, 1000};
    int calls = 0;
    pieces.for_each([&](std::uint64_t offset, std::uint64_t dwords) {
        EXPECT_EQ(offset, 0U);
        EXPECT_EQ(dwords, 1000U);
        ++calls;
    });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(pieces.largest(), 1000U);
}

} // namespace
} // namespace gem_upload::gem
