// Worse than useless: a pool that the cache holds (then the cache is measured, not memory) without
// a word, or one so large that the machine starts to swap or the process is killed.
#include "bench/machine_memory.h"

#include "util/error.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

namespace gem_upload::bench {
namespace {

constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t gib = 1 << 30;
constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(PoolSize, IsTheLargerOf512MiBAndFourCaches) {
    EXPECT_EQ(pool_bytes({64 * gib, std::nullopt, 8 * mib}), 512 * mib);
    EXPECT_EQ(pool_bytes({64 * gib, std::nullopt, 128 * mib}), 512 * mib);
    EXPECT_EQ(pool_bytes({64 * gib, std::nullopt, 256 * mib}), 1024 * mib);
    EXPECT_EQ(pool_bytes({64 * gib, std::nullopt, std::nullopt}), 512 * mib);
    EXPECT_EQ(pool_bytes({64 * gib, std::nullopt, 0}), 512 * mib);
}

TEST(PoolSize, IsAtMostAQuarterOfMemory) {
    EXPECT_EQ(pool_bytes({2 * gib, std::nullopt, 8 * mib}), 512 * mib);
    EXPECT_EQ(pool_bytes({2 * gib - 1, std::nullopt, 8 * mib}), 510 * mib); // whole huge pages
    EXPECT_EQ(pool_bytes({1 * gib, std::nullopt, 8 * mib}), 256 * mib);
    EXPECT_EQ(pool_bytes({4 * gib, std::nullopt, 1 * gib}), 1 * gib);
    EXPECT_EQ(pool_bytes({8 * mib, std::nullopt, std::nullopt}), 2 * mib);
}

TEST(PoolSize, CountsTheControlGroupsLimitAsMemory) {
    EXPECT_EQ(pool_bytes({64 * gib, 1 * gib, 8 * mib}), 256 * mib);
    EXPECT_EQ(pool_bytes({1 * gib, 64 * gib, 8 * mib}), 256 * mib);
    EXPECT_EQ(pool_bytes({64 * gib, most, 8 * mib}), 512 * mib);
}

TEST(PoolSize, AbsurdCachesDoNotOverflow) {
    EXPECT_EQ(pool_bytes({16 * gib, std::nullopt, most}), 4 * gib);
    EXPECT_EQ(pool_bytes({16 * gib, std::nullopt, most / 4 + 1}), 4 * gib);
}

TEST(PoolSize, TooLittleMemoryCannotBeMeasured) {
    for (const MachineMemory& memory :
         {MachineMemory{8 * mib - 1, std::nullopt, std::nullopt},
          MachineMemory{0, std::nullopt, 8 * mib}, MachineMemory{64 * gib, 0, 8 * mib}}) {
        try {
            (void)pool_bytes(memory);
            FAIL() << memory.total_bytes;
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), Exit::skipped);
        }
    }
}

TEST(PoolSize, IsDescribedWithItsReason) {
    EXPECT_EQ(describe_pool({64 * gib, std::nullopt, 8 * mib}),
              "512 MiB (the larger of 512 MiB and 4 x the last-level cache of 8 MiB)");
    EXPECT_EQ(describe_pool({64 * gib, std::nullopt, std::nullopt}),
              "512 MiB (the larger of 512 MiB and 4 x the last-level cache, which the kernel does "
              "not tell)");
    EXPECT_EQ(describe_pool({1 * gib, std::nullopt, 8 * mib}),
              "256 MiB (a quarter of the 1024 MiB of memory: less than the larger of 512 MiB and 4 "
              "x the last-level cache of 8 MiB)");
    EXPECT_EQ(describe_pool({64 * gib, 1 * gib, 8 * mib}),
              "256 MiB (a quarter of the 1024 MiB that the control group allows: less than the "
              "larger of 512 MiB and 4 x the last-level cache of 8 MiB)");
}

TEST(SizeText, IsExact) {
    EXPECT_EQ(size_text(0), "0 bytes");
    EXPECT_EQ(size_text(400), "400 bytes");
    EXPECT_EQ(size_text(1025), "1025 bytes");
    EXPECT_EQ(size_text(32768), "32 kB");
    EXPECT_EQ(size_text(512 * mib), "512 MiB");
    EXPECT_EQ(size_text(mib + 1024), "1025 kB");
}

/// A tree of files that stands for / of another machine.
class Machine : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "machine_memory_XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        root_ = name;
        write("/proc/meminfo", "MemFree:  1 kB\nMemTotal:       16384 kB\nMemAvailable: 2 kB\n");
    }
    void TearDown() override { std::filesystem::remove_all(root_); }

    void write(const std::string& path, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
        std::ofstream(root_ + path) << text;
    }
    [[nodiscard]] MachineMemory read() const { return read_machine_memory(3, root_); }

    std::string root_;
};

TEST_F(Machine, TotalAloneWhereNothingElseIsKnown) {
    const MachineMemory memory = read();
    EXPECT_EQ(memory.total_bytes, 16 * mib);
    EXPECT_EQ(memory.cgroup_limit_bytes, std::nullopt);
    EXPECT_EQ(memory.last_level_cache_bytes, std::nullopt);
}

TEST_F(Machine, WithoutATotalItIsAFailure) {
    for (const char* text : {"", "MemTotal:\n", "MemTotal: many kB\n", "MemFree: 1 kB\n"}) {
        write("/proc/meminfo", text);
        EXPECT_THROW((void)read(), Error) << text;
    }
    std::filesystem::remove(root_ + "/proc/meminfo");
    EXPECT_THROW((void)read(), Error);
}

TEST_F(Machine, TheHighestDataCacheOfTheCpuCounts) {
    const std::string caches = "/sys/devices/system/cpu/cpu3/cache/";
    const auto add = [&](int index, const char* level, const char* type, const char* size) {
        const std::string folder = caches + "index" + std::to_string(index) + "/";
        write(folder + "level", level);
        write(folder + "type", type);
        write(folder + "size", size);
    };
    add(0, "1\n", "Data\n", "32K\n");
    add(1, "1\n", "Instruction\n", "64K\n");
    add(2, "3\n", "Unified\n", "32768K\n");
    add(3, "2\n", "Unified\n", "512K\n");
    write("/sys/devices/system/cpu/cpu0/cache/index0/level", "4\n");
    write("/sys/devices/system/cpu/cpu0/cache/index0/size", "1048576K\n");
    EXPECT_EQ(read().last_level_cache_bytes, 32 * mib);
}

TEST_F(Machine, LowestLimitOfAVersion2GroupAndItsAncestors) {
    write("/proc/self/cgroup", "0::/user.slice/a/b\n");
    write("/sys/fs/cgroup/user.slice/a/b/memory.max", "max\n");
    EXPECT_EQ(read().cgroup_limit_bytes, std::nullopt);
    write("/sys/fs/cgroup/user.slice/a/memory.max", "8388608\n");
    EXPECT_EQ(read().cgroup_limit_bytes, 8 * mib);
    write("/sys/fs/cgroup/user.slice/memory.max", "9999999\n");
    EXPECT_EQ(read().cgroup_limit_bytes, 8 * mib);
    write("/sys/fs/cgroup/user.slice/a/b/memory.high", "4194304\n");
    EXPECT_EQ(read().cgroup_limit_bytes, 4 * mib);
}

TEST_F(Machine, AContainersRootGroupCounts) {
    write("/proc/self/cgroup", "0::/\n");
    write("/sys/fs/cgroup/memory.max", "2097152\n");
    EXPECT_EQ(read().cgroup_limit_bytes, 2 * mib);
    write("/proc/self/cgroup", "0::/not/visible/here\n"); // no namespace of its own
    EXPECT_EQ(read().cgroup_limit_bytes, 2 * mib);
}

TEST_F(Machine, Version1Groups) {
    write("/proc/self/cgroup", "5:cpu,memory:/job\n4:devices:/other\n0::/\nnonsense\n7:\n");
    write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3145728\n");
    write("/sys/fs/cgroup/memory/other/memory.limit_in_bytes", "1\n");
    EXPECT_EQ(read().cgroup_limit_bytes, 3 * mib);
}

TEST(RealMachine, CanBeRead) {
    const MachineMemory memory = read_machine_memory(0);
    EXPECT_GT(memory.total_bytes, 8 * mib);
}

} // namespace
} // namespace gem_upload::bench
