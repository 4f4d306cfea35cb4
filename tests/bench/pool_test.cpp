// Worse than useless: a pool that is not all there before the clock starts (then page faults are
// measured), or whose kind of pages is only believed.
#include "bench/pool.h"

#include "util/error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <vector>

namespace gem_upload::bench {
namespace {

constexpr std::uint64_t bytes = 4 << 20;

TEST(Pool, IsTouchedAlignedAndFullOfItsBackground) {
    for (const bool huge_pages : {false, true}) {
        const Pool pool(bytes, huge_pages);
        ASSERT_EQ(pool.dwords().size_bytes(), bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool.dwords().data()) % (2 << 20), 0U);
        std::vector<unsigned char> resident(bytes / 4096);
        ASSERT_EQ(::mincore(pool.dwords().data(), bytes, resident.data()), 0);
        EXPECT_TRUE(std::ranges::all_of(resident, [](unsigned char page) { return page & 1U; }));
        EXPECT_TRUE(std::ranges::all_of(
            pool.dwords(), [](std::uint32_t dword) { return dword == Pool::background; }));
    }
}

TEST(PoolDeathTest, IsGuardedOnBothSides) {
    const Pool pool(bytes, false);
    volatile std::uint32_t* start = pool.dwords().data();
    EXPECT_DEATH(start[-1] = 1, "");
    EXPECT_DEATH(start[bytes / 4] = 1, "");
}

TEST(Pool, SaysWhichPagesTheKernelGave) {
    const std::string text = Pool(bytes, false).describe_pages();
    EXPECT_TRUE(text.starts_with("0 bytes of 4 MiB in huge pages, the rest in 4 KiB pages"))
        << text;
    EXPECT_NE(text.find("(MADV_NOHUGEPAGE"), std::string::npos) << text;
    // How many huge pages it gives when asked is the kernel's affair.
    const std::string huge = Pool(bytes, true).describe_pages();
    EXPECT_NE(huge.find(" of 4 MiB in huge pages"), std::string::npos) << huge;
    EXPECT_NE(huge.find("(MADV_HUGEPAGE"), std::string::npos) << huge;
}

TEST(Pool, MoreThanThereIsCannotBeMeasured) {
    try {
        const Pool pool(std::uint64_t{1} << 60, false);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), Exit::skipped);
    }
}

} // namespace
} // namespace gem_upload::bench
