// Worse than useless: a model in which the caches flush themselves, so that a forgotten domain
// change goes unseen; or one that loses data which i915 would have flushed. Each test is a row of
// the coherency table (hardware notes, "Coherency"), or a rule of i915's domain tracking; what is
// expected follows from drivers/gpu/drm/i915/gem/i915_gem_domain.c, i915_gem_clflush.c and
// i915_gem_pages.c of 6.1 and from how a write-back cache works.
#include "model/front/i915/object_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <i915_drm.h>

namespace gem_upload::model::i915 {
namespace {

constexpr std::uint32_t cpu = I915_GEM_DOMAIN_CPU;
constexpr std::uint32_t gtt = I915_GEM_DOMAIN_GTT;
constexpr std::uint32_t wc = I915_GEM_DOMAIN_WC;
constexpr std::size_t size = 2 * page_bytes;
constexpr Caches none{.llc = false};
constexpr Caches llc{.llc = true};

/// An object, and those who use it: the GPU, a write-back and a write-combining mapping.
struct Scene {
    explicit Scene(Caches caches) : memory(size, caches) {}

    ObjectMemory memory;

    void map() { memory.map_cached(); }
    void cpu_writes(std::size_t at, char value) { byte(memory.store().cpu(), at) = value; }
    char cpu_reads(std::size_t at) { return byte(memory.store().cpu(), at); }
    void wc_writes(std::size_t at, char value) { byte(memory.store().memory(), at) = value; }

    /// A batch that reads one byte.
    char gpu_reads(std::size_t at) {
        run_batch(false);
        return byte(memory.store().memory(), at);
    }
    /// A batch that writes one byte.
    void gpu_writes(std::size_t at, char value) {
        run_batch(true);
        byte(memory.store().memory(), at) = value;
    }

private:
    void run_batch(bool writes) {
        if (memory.move_to_gpu(writes)) {
            memory.flush_for_gpu();
        }
    }
    static char& byte(Span span, std::size_t at) {
        return *reinterpret_cast<char*>(span.subspan(at, 1).data());
    }
};

TEST(NewObjects, AreInTheCpuDomain) {
    const Scene without(none);
    EXPECT_EQ(without.memory.read_domains(), cpu);
    EXPECT_EQ(without.memory.write_domain(), cpu);
    EXPECT_TRUE(without.memory.cache_dirty());
    const Scene with(llc);
    EXPECT_FALSE(with.memory.cache_dirty());
}

TEST(NewObjects, AreFlushedWhenTheGpuFirstGetsThem) {
    Scene scene(none);
    scene.map();
    scene.cpu_writes(0, 'a'); // without set_domain: right the first time only
    EXPECT_EQ(scene.gpu_reads(0), 'a');
}

TEST(WriteBackMap, IsFlushedByExecbufAfterSetDomain) {
    Scene scene(none);
    scene.map();
    for (const char value : {'a', 'b', 'c'}) {
        scene.memory.set_domain(cpu, cpu);
        scene.cpu_writes(100, value);
        EXPECT_EQ(scene.gpu_reads(100), value);
    }
}

TEST(WriteBackMap, WithoutSetDomainTheGpuReadsStaleMemory) {
    Scene scene(none);
    scene.map();
    scene.memory.set_domain(cpu, cpu);
    scene.cpu_writes(100, 'a');
    EXPECT_EQ(scene.gpu_reads(100), 'a');
    scene.cpu_writes(100, 'b');
    EXPECT_EQ(scene.gpu_reads(100), 'a');
}

TEST(WriteBackMap, WithoutSetDomainTheCpuReadsStaleLines) {
    Scene scene(none);
    scene.map();
    scene.memory.set_domain(cpu, 0);
    EXPECT_EQ(scene.cpu_reads(100), '\0');
    scene.gpu_writes(100, 'g');
    EXPECT_EQ(scene.cpu_reads(100), '\0');
    scene.memory.set_domain(cpu, 0);
    EXPECT_EQ(scene.cpu_reads(100), 'g');
}

TEST(WriteBackMap, MadeAfterTheGpuWroteShowsNoNewsEither) {
    Scene scene(none);
    scene.gpu_writes(100, 'g');
    scene.map();
    EXPECT_EQ(scene.cpu_reads(100), '\0');
    scene.memory.set_domain(cpu, 0);
    EXPECT_EQ(scene.cpu_reads(100), 'g');
}

TEST(WriteBackMap, LinesAreSixtyFourBytes) {
    Scene scene(none);
    scene.map();
    scene.memory.set_domain(cpu, cpu);
    scene.gpu_writes(128, 'g'); // line 2
    scene.cpu_writes(127, 'c'); // line 1, behind i915's back
    scene.cpu_writes(192, 'd'); // line 3
    scene.memory.set_domain(cpu, cpu);
    EXPECT_EQ(scene.cpu_reads(127), 'c');
    EXPECT_EQ(scene.cpu_reads(128), 'g');
    EXPECT_EQ(scene.cpu_reads(192), 'd');
    EXPECT_EQ(scene.gpu_reads(127), 'c');
}

// A dirty line is written back whole, over what the GPU wrote to its other bytes.
TEST(WriteBackMap, ADirtyLineOverwritesTheGpusBytesInIt) {
    Scene scene(none);
    scene.map();
    scene.memory.set_domain(cpu, cpu);
    scene.gpu_writes(64, 'g');
    scene.cpu_writes(65, 'c');
    scene.memory.set_domain(cpu, cpu);
    EXPECT_EQ(scene.cpu_reads(64), '\0');
    EXPECT_EQ(scene.cpu_reads(65), 'c');
}

TEST(WriteBackMap, ReadOnlySetDomainDoesNotMarkDirty) {
    Scene scene(none);
    scene.map();
    scene.gpu_writes(0, 'g');
    scene.memory.set_domain(cpu, 0); // as IGT's upload_blit_large_map of 2022, after writing
    scene.cpu_writes(0, 'c');
    EXPECT_EQ(scene.gpu_reads(0), 'g');
}

TEST(WriteBackMap, OnLlcNeedsNothing) {
    Scene scene(llc);
    scene.map();
    scene.cpu_writes(0, 'a');
    EXPECT_EQ(scene.gpu_reads(0), 'a');
    scene.cpu_writes(0, 'b');
    EXPECT_EQ(scene.gpu_reads(0), 'b');
    scene.gpu_writes(0, 'g');
    EXPECT_EQ(scene.cpu_reads(0), 'g');
}

class Uncached : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Uncached, MappingsReachMemory) {
    Scene scene(none);
    scene.memory.set_domain(GetParam(), GetParam());
    scene.wc_writes(5, 'w');
    EXPECT_EQ(scene.gpu_reads(5), 'w');
    scene.wc_writes(5, 'x'); // no cache stands between
    EXPECT_EQ(scene.gpu_reads(5), 'x');
}

TEST_P(Uncached, LeavingTheCpuDomainFlushes) {
    Scene scene(none);
    scene.map();
    scene.memory.set_domain(cpu, cpu);
    scene.cpu_writes(5, 'c');
    scene.memory.set_domain(GetParam(), 0);
    EXPECT_EQ(static_cast<char>(scene.memory.store().memory()[5]), 'c');
    EXPECT_EQ(scene.memory.write_domain(), 0U);
}

TEST_P(Uncached, ComingBackToTheCpuInvalidates) {
    Scene scene(none);
    scene.map();
    scene.memory.set_domain(cpu, cpu);
    scene.cpu_writes(5, 'c');
    scene.memory.set_domain(GetParam(), GetParam());
    scene.wc_writes(5, 'w');
    EXPECT_EQ(scene.cpu_reads(5), 'c');
    scene.memory.set_domain(cpu, 0);
    EXPECT_EQ(scene.cpu_reads(5), 'w');
}

INSTANTIATE_TEST_SUITE_P(Domains, Uncached, testing::Values(gtt, wc));

TEST(Snooped, ObjectsNeedNoFlush) {
    Scene scene(none);
    scene.map();
    scene.memory.set_domain(cpu, cpu);
    scene.cpu_writes(7, 'a');
    EXPECT_TRUE(scene.memory.set_cache_level(CacheLevel::llc));
    EXPECT_EQ(scene.gpu_reads(7), 'a');
    scene.cpu_writes(7, 'b');
    EXPECT_EQ(scene.gpu_reads(7), 'b');
    scene.gpu_writes(7, 'g');
    EXPECT_EQ(scene.cpu_reads(7), 'g');
    EXPECT_FALSE(scene.memory.set_cache_level(CacheLevel::llc));
}

TEST(Snooped, ObjectsMadeUncachedAgainAreFlushed) {
    Scene scene(none);
    EXPECT_TRUE(scene.memory.set_cache_level(CacheLevel::llc));
    scene.map();
    scene.cpu_writes(7, 'a');
    EXPECT_TRUE(scene.memory.set_cache_level(CacheLevel::none));
    EXPECT_EQ(scene.cpu_reads(7), 'a');
    EXPECT_TRUE(scene.memory.cache_dirty());
    EXPECT_EQ(scene.gpu_reads(7), 'a');
    scene.cpu_writes(7, 'b'); // and from here on the cache is in the way again
    EXPECT_EQ(scene.gpu_reads(7), 'a');
}

TEST(Userptr, MemoryIsTheProgramsOwn) {
    alignas(page_bytes) std::array<std::byte, size> own{};
    ObjectMemory memory(Span(own), none);
    EXPECT_TRUE(memory.coherent());
    own[9] = std::byte{'u'};
    EXPECT_FALSE(memory.move_to_gpu(false));
    EXPECT_EQ(memory.store().memory().data(), own.data());
    EXPECT_EQ(memory.store().memory_fd(), -1);
}

TEST(Pwrite, IntoAFreshObjectGoesToThePageCache) {
    Scene scene(none);
    scene.map();
    scene.memory.pwrite(10, "p", 1);
    EXPECT_FALSE(scene.memory.has_pages());
    EXPECT_EQ(scene.cpu_reads(10), 'p'); // the same cache
    EXPECT_EQ(scene.gpu_reads(10), 'p');
}

TEST(Pwrite, LaterGoesThroughTheGtt) {
    Scene scene(none);
    scene.map();
    EXPECT_EQ(scene.gpu_reads(10), '\0');
    scene.memory.pwrite(10, "p", 1);
    EXPECT_EQ(scene.memory.write_domain(), gtt);
    EXPECT_EQ(scene.cpu_reads(10), '\0');
    EXPECT_EQ(scene.gpu_reads(10), 'p');
    scene.memory.set_domain(cpu, 0);
    EXPECT_EQ(scene.cpu_reads(10), 'p');
}

TEST(Pwrite, AfterCpuWritesKeepsThem) {
    Scene scene(none);
    scene.map();
    EXPECT_EQ(scene.gpu_reads(10), '\0');
    scene.memory.set_domain(cpu, cpu);
    scene.cpu_writes(11, 'c');
    scene.memory.pwrite(10, "p", 1); // cache_dirty: through the cache, as i915_gem_shmem_pwrite
    EXPECT_EQ(scene.gpu_reads(10), 'p');
    EXPECT_EQ(scene.gpu_reads(11), 'c');
}

TEST(Pread, SeesWhatTheGpuWrote) {
    Scene scene(none);
    scene.map();
    scene.memory.set_domain(cpu, 0);
    scene.gpu_writes(10, 'g');
    char value = 0;
    scene.memory.pread(10, &value, 1);
    EXPECT_EQ(value, 'g');
}

TEST(Pread, SeesWhatTheCpuWrote) {
    Scene scene(none);
    scene.map();
    scene.memory.set_domain(cpu, cpu);
    scene.cpu_writes(10, 'c');
    char value = 0;
    scene.memory.pread(10, &value, 1);
    EXPECT_EQ(value, 'c');
}

TEST(Relocation, ReachesTheGpuOnEveryPath) {
    constexpr std::uint32_t address = 0x12345678;
    const auto found = [](Scene& scene) {
        (void)scene.gpu_reads(0);
        std::uint32_t value = 0;
        std::memcpy(&value, scene.memory.store().memory().data() + 64, sizeof value);
        return value;
    };
    Scene uncached(none);
    EXPECT_EQ(uncached.gpu_reads(0), '\0');
    EXPECT_FALSE(uncached.memory.relocates_by_cpu());
    uncached.memory.relocate(64, address);
    EXPECT_EQ(found(uncached), address);

    Scene written(none); // by the CPU, in its domain: the cache holds the batch
    written.map();
    written.memory.acquire_pages();
    written.memory.set_domain(cpu, cpu);
    written.cpu_writes(0, 'b');
    EXPECT_TRUE(written.memory.relocates_by_cpu());
    written.memory.relocate(64, address);
    EXPECT_EQ(found(written), address);
    EXPECT_EQ(written.gpu_reads(0), 'b');

    Scene shared(llc);
    EXPECT_TRUE(shared.memory.relocates_by_cpu());
    shared.memory.relocate(64, address);
    EXPECT_EQ(found(shared), address);
}

TEST(Execution, LeavesTheObjectToTheGpu) {
    Scene scene(none);
    scene.gpu_writes(0, 'g');
    EXPECT_EQ(scene.memory.write_domain(), static_cast<std::uint32_t>(I915_GEM_DOMAIN_RENDER));
    EXPECT_EQ(scene.memory.read_domains() & cpu, 0U);
    EXPECT_FALSE(scene.memory.cache_dirty());
    (void)scene.gpu_reads(0);
    EXPECT_EQ(scene.memory.write_domain(), 0U);
}

} // namespace
} // namespace gem_upload::model::i915
