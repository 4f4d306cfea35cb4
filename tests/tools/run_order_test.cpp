// Worse than useless: an order that favours a method by its position, so that drift becomes a
// result, or a seed that gives another order on another machine or in a later version.
#include "tools/run_order.h"
#include "util/error.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <utility>

namespace gem_upload::tools {
namespace {

using Order = std::vector<std::vector<std::size_t>>;

TEST(RunOrder, RoundsBecomeWholeBlocks) {
    EXPECT_EQ(balanced_rounds(1, 5), 5U);
    EXPECT_EQ(balanced_rounds(2, 6), 6U);
    EXPECT_EQ(balanced_rounds(2, 5), 6U);
    EXPECT_EQ(balanced_rounds(3, 6), 6U);
    EXPECT_EQ(balanced_rounds(3, 7), 9U);
    EXPECT_EQ(balanced_rounds(4, 6), 8U);
    EXPECT_EQ(balanced_rounds(11, 1), 11U);
}

TEST(RunOrder, AbsurdRoundsAreRefused) {
    EXPECT_THROW((void)balanced_rounds(3, 0), Error);
    EXPECT_THROW((void)balanced_rounds(3, 10001), Error);
    EXPECT_THROW((void)balanced_rounds(3, ~std::uint64_t{0}), Error);
    EXPECT_EQ(balanced_rounds(1, 10000), 10000U);
}

TEST(RunOrder, EveryMethodStandsInEveryPositionEquallyOften) {
    for (const std::size_t methods : {1U, 2U, 3U, 4U, 7U, 11U}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const std::uint64_t rounds = balanced_rounds(methods, 6);
            std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> count;
            const Order order = balanced_order(methods, rounds, seed);
            ASSERT_EQ(order.size(), rounds);
            for (const auto& round : order) {
                ASSERT_EQ(round.size(), methods);
                ASSERT_EQ(std::set(round.begin(), round.end()).size(), methods);
                for (std::size_t position = 0; position < methods; ++position) {
                    ++count[{round[position], position}];
                }
            }
            ASSERT_EQ(count.size(), methods * methods);
            for (const auto& [place, times] : count) {
                ASSERT_EQ(times, rounds / methods) << "seed " << seed;
            }
        }
    }
}

TEST(RunOrder, TwoMethodsStandInMirroredBlocksOfBothKinds) {
    std::set<std::size_t> first;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Order order = balanced_order(2, 8, seed);
        for (std::size_t round = 0; round < order.size(); round += 2) {
            EXPECT_EQ(order[round][0], order[round + 1][1]);
            EXPECT_EQ(order[round][1], order[round + 1][0]);
            first.insert(order[round][0]);
        }
    }
    EXPECT_EQ(first.size(), 2U); // ABBA and BAAB are both drawn
}

TEST(RunOrder, EachSquareIsDrawnAnew) {
    const Order order = balanced_order(3, 30, 7);
    std::set<Order> squares;
    for (std::size_t round = 0; round < order.size(); round += 3) {
        squares.insert(Order(order.begin() + static_cast<std::ptrdiff_t>(round),
                             order.begin() + static_cast<std::ptrdiff_t>(round) + 3));
    }
    EXPECT_GT(squares.size(), 3U);
}

TEST(RunOrder, DrawsAreFair) {
    // All 12 cyclic squares of three (2 cycles of the symbols, 6 orders of the rows) come up
    // equally often: 1000 expected each, standard deviation 30.
    std::map<Order, int> count;
    for (std::uint64_t seed = 0; seed < 12000; ++seed) {
        ++count[balanced_order(3, 3, seed)];
    }
    ASSERT_EQ(count.size(), 12U);
    for (const auto& [square, times] : count) {
        EXPECT_NEAR(times, 1000, 150);
    }
}

TEST(RunOrder, ASeedMeansTheSameOrderForEver) {
    // From a separate implementation in Python of mt19937_64 (checked against its 10000th number
    // in the C++ standard, [rand.predef]) and of the draw, the shuffle and the blocks.
    EXPECT_EQ(balanced_order(1, 3, 5), (Order{{0}, {0}, {0}}));
    EXPECT_EQ(balanced_order(2, 6, 1), (Order{{1, 0}, {0, 1}, {1, 0}, {0, 1}, {1, 0}, {0, 1}}));
    EXPECT_EQ(balanced_order(3, 6, 42),
              (Order{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}}));
    EXPECT_EQ(balanced_order(4, 8, 2009), (Order{{3, 2, 1, 0},
                                                 {2, 1, 0, 3},
                                                 {0, 3, 2, 1},
                                                 {1, 0, 3, 2},
                                                 {0, 1, 3, 2},
                                                 {3, 2, 0, 1},
                                                 {2, 0, 1, 3},
                                                 {1, 3, 2, 0}}));
}

} // namespace
} // namespace gem_upload::tools
