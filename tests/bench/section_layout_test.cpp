// Worse than useless: an oracle that agrees with whatever was written, or a size or stride without
// sense that is measured as something else.
#include "bench/section_layout.h"

#include "util/error.h"

#include <gtest/gtest.h>
#include <set>

namespace gem_upload::bench {
namespace {

constexpr std::uint64_t pool = 512 << 20;

Options canonical() {
    Options options;
    options.width = 128;
    options.height = 64;
    return options;
}

TEST(SectionLayout, CanonicalIs32kBFilled) {
    const SectionLayout layout = lay_out_sections(canonical(), pool);
    EXPECT_EQ(layout.bytes, 32768U);
    EXPECT_EQ(layout.sections, 16384U);
    EXPECT_EQ(layout.stored_bytes, 32768U);
    EXPECT_TRUE(layout.fills());
    // The reference page: after iteration k, counted from 1, pixel i is 1 + (k-1)*pixels + i.
    EXPECT_EQ(layout.stored_value(0, 0), 1U);
    EXPECT_EQ(layout.stored_value(0, 8191), 8192U);
    EXPECT_EQ(layout.stored_value(1, 0), 8193U);
    EXPECT_EQ(layout.stored_value(524287, 8191), 0U); // the 2^32nd dword
    EXPECT_EQ(layout.stored_value(524288, 0), 1U);
}

TEST(SectionLayout, EveryIterationOfASweepHasItsOwnLines) {
    Options options = canonical();
    options.width = 25; // 300 bytes: five lines
    options.height = 3;
    const SectionLayout layout = lay_out_sections(options, 1 << 20);
    EXPECT_EQ(layout.sections, (1U << 20) / 320);
    std::set<std::uint64_t> lines;
    for (std::uint64_t k = 0; k < layout.sections; ++k) {
        const std::uint64_t first = layout.section_start(k) * 4;
        ASSERT_EQ(first % 64, 0U);
        ASSERT_LE(first + layout.bytes, 1U << 20);
        for (std::uint64_t line = first / 64; line * 64 < first + layout.bytes; ++line) {
            ASSERT_TRUE(lines.insert(line).second) << "iteration " << k;
        }
    }
    EXPECT_EQ(layout.section_start(layout.sections), layout.section_start(0));
}

TEST(SectionLayout, OneStoreALine) {
    Options options = canonical();
    options.aperture.stride = 64;
    const SectionLayout layout = lay_out_sections(options, pool);
    EXPECT_EQ(layout.stores, 512U);
    EXPECT_EQ(layout.stored_bytes, 2048U);
    EXPECT_EQ(layout.stored_value(0, 0), 1U);
    EXPECT_EQ(layout.stored_value(0, 1), std::nullopt);
    EXPECT_EQ(layout.stored_value(0, 15), std::nullopt);
    EXPECT_EQ(layout.stored_value(0, 16), 2U);
    EXPECT_EQ(layout.stored_value(3, 8176), 4U * 512U);
}

TEST(SectionLayout, WideStridedStoresHoldSeveralCounters) {
    Options options = canonical();
    options.store.width = 16;
    options.aperture.stride = 48;
    options.width = 30; // 120 bytes: stores at 0, 48 and 96
    options.height = 1;
    const SectionLayout layout = lay_out_sections(options, pool);
    EXPECT_EQ(layout.stores, 3U);
    EXPECT_EQ(layout.stored_bytes, 48U);
    EXPECT_EQ(layout.stored_value(0, 3), 4U);
    EXPECT_EQ(layout.stored_value(0, 4), std::nullopt);
    EXPECT_EQ(layout.stored_value(0, 27), 12U);
    EXPECT_EQ(layout.stored_value(0, 28), std::nullopt); // no fourth store fits
    EXPECT_EQ(layout.stored_value(1, 0), 13U);
}

TEST(SectionLayout, AStoreThatDoesNotFitAtTheEndIsNotMade) {
    Options options = canonical();
    options.store.width = 16;
    options.aperture.stride = 64;
    options.width = 18; // 72 bytes: at 64 only 8 are left
    options.height = 1;
    EXPECT_EQ(lay_out_sections(options, pool).stores, 1U);
}

TEST(SectionLayout, AStrideOfTheStoresWidthFills) {
    for (const unsigned width : {4U, 8U, 16U, 32U, 64U}) {
        Options options = canonical();
        options.store.width = width;
        EXPECT_TRUE(lay_out_sections(options, pool).fills()); // the stride is 4 by default
        options.aperture.stride = width;
        EXPECT_TRUE(lay_out_sections(options, pool).fills());
    }
}

void expect_usage_error(const Options& options, std::uint64_t pool_bytes, const char* part) {
    try {
        (void)lay_out_sections(options, pool_bytes);
        FAIL() << "accepted; expected: " << part;
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), Exit::usage);
        EXPECT_NE(std::string{error.what()}.find(part), std::string::npos) << error.what();
    }
}

TEST(SectionLayout, StridesWithoutSenseAreUsageErrors) {
    for (const unsigned stride : {0U, 1U, 3U, 5U, 63U, 4098U, 4100U, 8192U, 0xffffffffU}) {
        Options options = canonical();
        options.aperture.stride = stride;
        expect_usage_error(options, pool, "--stride");
    }
    Options overlapping = canonical();
    overlapping.store.width = 16;
    for (const unsigned stride : {8U, 12U, 20U, 100U}) {
        overlapping.aperture.stride = stride;
        expect_usage_error(overlapping, pool, "a multiple of 16");
    }
    Options beyond = canonical();
    beyond.width = 16;
    beyond.height = 1;
    beyond.aperture.stride = 128;
    expect_usage_error(beyond, pool, "larger than the section of 64 bytes");
}

TEST(SectionLayout, SizesWithoutSenseAreUsageErrors) {
    for (const auto& [width, height] :
         {std::pair{0U, 64U},
          {128U, 0U},
          {0U, 0U},
          {0xffffffffU, 0xffffffffU},
          {0x80000000U, 0x80000000U},
          {0x10000U, 0x10000U},
          {0x40000000U, 1U},
          {67108865U, 1U}}) { // the last: one dword more than half the pool
        Options options = canonical();
        options.width = width;
        options.height = height;
        expect_usage_error(options, pool, "section");
    }
    Options largest = canonical();
    largest.width = 67108864;
    largest.height = 1;
    EXPECT_EQ(lay_out_sections(largest, pool).sections, 2U);
}

} // namespace
} // namespace gem_upload::bench
