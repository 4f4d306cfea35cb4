// Worse than useless: a method that writes less, elsewhere or other than it counts, that leaves out
// its copy, that writes the same section again and again, or whose verification would not notice.
#include "bench/aperture.h"

#include "util/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <vector>

namespace gem_upload::bench {
namespace {

constexpr MachineMemory tiny{.total_bytes = 8 << 20,
                             .cgroup_limit_bytes = std::nullopt,
                             .last_level_cache_bytes = std::nullopt}; // a pool of 2 MiB
constexpr std::size_t tiny_pool_dwords = (2 << 20) / 4;

Options make_options(ApertureForm form) {
    Options options;
    options.width = 128;
    options.height = 64;
    options.store.type =
        form == ApertureForm::write_combining ? StoreType::non_temporal : StoreType::plain;
    return options;
}

/// Plays the whole run with the plainest code there is, one dword at a time.
class Play {
public:
    explicit Play(ApertureForm form, const Options& options)
        : pool_(tiny_pool_dwords, Pool::background),
          options_(options),
          side_exists_(form == ApertureForm::pwrite || options.variant == Variant::staged),
          side_(options.dwords(), ApertureSession::side_background) {}

    void iterate() {
        const std::size_t dwords = options_.dwords();
        const std::size_t pitch = (dwords + 15) / 16 * 16;
        if (section_ + pitch > pool_.size()) {
            section_ = 0;
        }
        std::uint32_t* target = side_exists_ ? side_.data() : &pool_[section_];
        const std::size_t width = options_.store.width / 4;
        const std::size_t stride = options_.aperture.stride / 4;
        if (stride <= width) {
            for (std::size_t i = 0; i < dwords; ++i) {
                target[i] = counter_++;
            }
        } else {
            for (std::size_t at = 0; at + width <= dwords; at += stride) {
                for (std::size_t lane = 0; lane < width; ++lane) {
                    target[at + lane] = counter_++;
                }
            }
        }
        if (side_exists_) {
            std::copy(side_.begin(), side_.end(), &pool_[section_]);
        }
        section_ += pitch;
    }

    [[nodiscard]] const std::vector<std::uint32_t>& pool() const { return pool_; }
    [[nodiscard]] std::uint32_t counter() const { return counter_; }

private:
    std::vector<std::uint32_t> pool_;
    Options options_;
    bool side_exists_;
    std::vector<std::uint32_t> side_;
    std::size_t section_ = 0;
    std::uint32_t counter_ = 1;
};

std::string describe(ApertureForm form, const Options& options) {
    return fmt::format("form {}, {} x {}, store {}, nt {}, stride {}, flush {}, staged {}, huge {}",
                       static_cast<int>(form), options.width, options.height, options.store.width,
                       options.store.type == StoreType::non_temporal, options.aperture.stride,
                       flush_name(options.aperture.flush), options.variant == Variant::staged,
                       options.aperture.huge_pages);
}

void expect_as_played(ApertureForm form, const Options& options, unsigned iterations) {
    ApertureSession session(form, options, tiny, read_cpu_features());
    Play play(form, options);
    for (unsigned i = 0; i < iterations; ++i) {
        session.iterate();
        play.iterate();
    }
    session.wait();
    ASSERT_EQ(session.verify(), std::nullopt) << describe(form, options);
    ASSERT_TRUE(std::ranges::equal(session.pool(), play.pool())) << describe(form, options);
    ASSERT_EQ(session.bytes_per_iteration() * iterations, (play.counter() - 1) * std::uint64_t{4})
        << describe(form, options);
}

std::vector<Flush> flushes_of_this_cpu(ApertureForm form) {
    if (form == ApertureForm::write_combining) {
        return {Flush::automatic, Flush::none};
    }
    const CpuFeatures features = read_cpu_features();
    std::vector<Flush> flushes = {Flush::automatic, Flush::none};
    if (features.clflush) {
        flushes.push_back(Flush::clflush);
    }
    if (features.clflushopt) {
        flushes.push_back(Flush::clflushopt);
    }
    if (features.clwb) {
        flushes.push_back(Flush::clwb);
    }
    return flushes;
}

std::vector<StoreKind> stores_of_this_cpu(ApertureForm form) {
    std::vector<StoreKind> kinds;
    for (const unsigned width : {4U, 8U, 16U, 32U, 64U}) {
        for (const StoreType type : {StoreType::plain, StoreType::non_temporal}) {
            const StoreKind kind{width, type};
            const bool refused = form == ApertureForm::write_combining && type == StoreType::plain;
            if (!refused && !missing_for_store(kind, read_cpu_features())) {
                kinds.push_back(kind);
            }
        }
    }
    return kinds;
}

std::vector<Variant> variants(ApertureForm form) {
    return form == ApertureForm::pwrite ? std::vector{Variant::direct}
                                        : std::vector{Variant::direct, Variant::staged};
}

void expect_all_combinations(ApertureForm form, bool huge_pages) {
    for (const StoreKind store : stores_of_this_cpu(form)) {
        for (const unsigned stride : {4U, 64U, 192U, 4096U}) {
            for (const Flush flush : flushes_of_this_cpu(form)) {
                for (const Variant variant : variants(form)) {
                    Options options = make_options(form);
                    options.store = store;
                    options.variant = variant;
                    options.aperture.stride = stride;
                    options.aperture.flush = flush;
                    options.aperture.huge_pages = huge_pages;
                    expect_as_played(form, options, 3);
                }
            }
        }
    }
}

class Aperture : public testing::TestWithParam<ApertureForm> {};
INSTANTIATE_TEST_SUITE_P(Forms, Aperture,
                         testing::Values(ApertureForm::pwrite, ApertureForm::map,
                                         ApertureForm::write_combining));

TEST_P(Aperture, WritesWhatItClaimsWithEveryStoreStrideFlushAndVariant) {
    expect_all_combinations(GetParam(), false);
}

TEST_P(Aperture, WritesWhatItClaimsInHugePages) {
    expect_all_combinations(GetParam(), true);
}

TEST_P(Aperture, TakesANewSectionEachTimeAndGoesRound) {
    for (const Variant variant : variants(GetParam())) {
        Options options = make_options(GetParam());
        options.variant = variant;
        expect_as_played(GetParam(), options, 64);      // the pool exactly
        expect_as_played(GetParam(), options, 64 + 13); // and on from its beginning
    }
}

TEST_P(Aperture, OddSectionsAreWrittenToTheirLastDword) {
    for (const StoreKind store : stores_of_this_cpu(GetParam())) {
        for (const auto& [width, height] :
             {std::pair{1U, 1U}, {3U, 5U}, {17U, 1U}, {25U, 3U}, {1001U, 7U}, {262144U, 1U}}) {
            for (const Variant variant : variants(GetParam())) {
                Options options = make_options(GetParam());
                options.width = width;
                options.height = height;
                options.store = store;
                options.variant = variant;
                expect_as_played(GetParam(), options, 3);
            }
        }
    }
}

TEST_P(Aperture, OddStridesLeaveWhatTheyDoNotTouch) {
    for (const unsigned stride : {8U, 12U, 60U, 68U, 100U, 4092U}) {
        for (const Variant variant : variants(GetParam())) {
            Options options = make_options(GetParam());
            options.width = 1025;
            options.height = 3;
            options.variant = variant;
            options.aperture.stride = stride;
            expect_as_played(GetParam(), options, 200); // more than the pool holds
        }
    }
}

TEST_P(Aperture, VerificationSeesOneWrongDwordInTheLastSectionOnly) {
    for (const unsigned stride : {4U, 64U}) {
        Options options = make_options(GetParam());
        options.aperture.stride = stride;
        ApertureSession session(GetParam(), options, tiny, read_cpu_features());
        session.iterate();
        session.iterate();
        const std::size_t section = session.layout().section_start(1);
        for (const std::size_t i : {0U, 1U, 15U, 16U, 4095U, 8190U, 8191U}) {
            std::uint32_t& dword = session.pool()[section + i];
            dword ^= 1;
            const auto difference = session.verify();
            ASSERT_TRUE(difference) << "dword " << i;
            EXPECT_NE(difference->find(fmt::format("byte {}:", i * 4)), std::string::npos)
                << *difference;
            dword ^= 1;
            ASSERT_EQ(session.verify(), std::nullopt);
        }
        session.pool()[section - 1] ^= 1;
        session.pool()[section + 8192] ^= 1;
        EXPECT_EQ(session.verify(), std::nullopt);
    }
}

TEST_P(Aperture, VerificationOfNothingIsNoSuccess) {
    ApertureSession session(GetParam(), make_options(GetParam()), tiny, read_cpu_features());
    EXPECT_TRUE(session.verify());
}

TEST_P(Aperture, WarmUpIsOneSweepOverThePool) {
    const ApertureSession session(GetParam(), make_options(GetParam()), tiny, read_cpu_features());
    EXPECT_EQ(session.default_warmup(), 64U);
    EXPECT_EQ(session.bytes_per_iteration(), 32768U);
}

std::string fact(const Session& session, std::string_view name) {
    for (const auto& [key, value] : session.facts()) {
        if (key == name) {
            return value;
        }
    }
    return "no such fact";
}

TEST(ApertureFacts, NameWhatTheResultDependsOn) {
    Options options = make_options(ApertureForm::write_combining);
    options.aperture.stride = 64;
    const ApertureSession wc(ApertureForm::write_combining, options, tiny, read_cpu_features());
    EXPECT_EQ(fact(wc, "write_combining"), "non-temporal stores on write-back memory");
    EXPECT_EQ(fact(wc, "flush"), "none");
    EXPECT_EQ(fact(wc, "store_fence"), "sfence");
    EXPECT_EQ(fact(wc, "stores"), "4 bytes, non-temporal, one every 64 bytes");
    EXPECT_EQ(fact(wc, "counted"), "the 2 kB of a section that the stores write");
    EXPECT_TRUE(fact(wc, "pool").starts_with("2 MiB (a quarter of the 8 MiB of memory"))
        << fact(wc, "pool");
    EXPECT_NE(fact(wc, "pool_pages").find("(MADV_NOHUGEPAGE"), std::string::npos);

    Options map_options = make_options(ApertureForm::map);
    map_options.aperture.flush = Flush::clflush;
    const ApertureSession map(ApertureForm::map, map_options, tiny, read_cpu_features());
    EXPECT_EQ(fact(map, "write_combining"), "none: write-back memory");
    EXPECT_EQ(fact(map, "flush"), "clflush");
    EXPECT_EQ(fact(map, "flush_fences"), "mfence before and after");
    EXPECT_EQ(fact(map, "copy"), "none");
}

Exit exit_of(ApertureForm form, const Options& options, const CpuFeatures& features) {
    try {
        const ApertureSession session(form, options, tiny, features);
        return Exit::success;
    } catch (const Error& error) {
        return error.status();
    }
}

TEST(ApertureRefusals, OptionsThatTheFormHasNotAreUsageErrors) {
    const CpuFeatures features = read_cpu_features();
    Options staged = make_options(ApertureForm::pwrite);
    staged.variant = Variant::staged;
    EXPECT_EQ(exit_of(ApertureForm::pwrite, staged, features), Exit::usage);

    Options plain = make_options(ApertureForm::write_combining);
    plain.store.type = StoreType::plain;
    EXPECT_EQ(exit_of(ApertureForm::write_combining, plain, features), Exit::usage);

    for (const Flush flush : {Flush::clflush, Flush::clflushopt, Flush::clwb}) {
        Options flushing = make_options(ApertureForm::write_combining);
        flushing.aperture.flush = flush;
        EXPECT_EQ(exit_of(ApertureForm::write_combining, flushing, features), Exit::usage);
    }
}

TEST(ApertureRefusals, AFlushThatTheCpuLacksCannotBeMeasured) {
    CpuFeatures old; // a G45's host: clflush alone
    old.clflush = true;
    Options options = make_options(ApertureForm::map);
    EXPECT_EQ(exit_of(ApertureForm::map, options, old), Exit::success);
    for (const Flush flush : {Flush::clflushopt, Flush::clwb}) {
        options.aperture.flush = flush;
        EXPECT_EQ(exit_of(ApertureForm::map, options, old), Exit::skipped);
        EXPECT_EQ(exit_of(ApertureForm::pwrite, options, old), Exit::skipped);
    }
}

TEST(ApertureRefusals, NoneForAnyDeviceOrNone) {
    EXPECT_EQ(no_refusal(nullptr), std::nullopt);
}

TEST(ApertureLimit, RemarksOnlyWhenAskedForAndGivesTheShare) {
    Options options = make_options(ApertureForm::map);
    ApertureSession silent(ApertureForm::map, options, tiny, read_cpu_features());
    EXPECT_TRUE(silent.remarks(1000).empty());

    options.aperture.limit = true;
    ApertureSession session(ApertureForm::map, options, tiny, read_cpu_features());
    session.iterate();
    const auto lines = session.remarks(1000);
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_NE(lines[4].find("reaches 1000.0 of "), std::string::npos) << lines[4];
    EXPECT_TRUE(lines[4].ends_with("% of the plain fill")) << lines[4];

    options.aperture.stride = 64;
    ApertureSession strided(ApertureForm::map, options, tiny, read_cpu_features());
    EXPECT_NE(strided.remarks(1000).back().find("no share"), std::string::npos);
}

} // namespace
} // namespace gem_upload::bench
