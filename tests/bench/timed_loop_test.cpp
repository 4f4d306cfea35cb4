// Worse than useless: a sample that was not waited for, that counts warm-up, or that is handed on
// although its data was wrong or the GPU hung.
#include "bench/timed_loop.h"
#include "util/error.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace gem_upload::bench {
namespace {

/// Writes down what is asked of it: i(terate), w(ait), h(ang), v(erify), t(aken).
class RecordingSession : public Session {
public:
    void iterate() override {
        calls += 'i';
        if (++iterations == fails_at) {
            throw failed_call("EXECBUFFER2", "a GPU", EIO);
        }
    }
    void wait() override { calls += 'w'; }
    std::optional<std::string> hang() override {
        calls += 'h';
        return iterations >= hangs_at ? std::optional<std::string>("somebody counts one")
                                      : std::nullopt;
    }
    std::optional<std::string> verify() override {
        calls += 'v';
        return ++verifications == wrong_at ? std::optional<std::string>("pixel 3 is wrong")
                                           : std::nullopt;
    }
    [[nodiscard]] std::uint64_t bytes_per_iteration() const override { return 1048576; }
    [[nodiscard]] std::uint64_t default_warmup() const override { return 3; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
        return {};
    }

    std::string calls;
    int verifications = 0;
    int wrong_at = 0;
    int iterations = 0;
    int fails_at = 0;
    int hangs_at = 1000000;
};

std::string trace(RecordingSession& session, const Options& options) {
    measure(session, options, [&session](const results::Sample&) { session.calls += 't'; });
    return session.calls;
}

TEST(TimedLoop, WarmsUpOnceThenWaitsInsideEachSample) {
    RecordingSession session;
    Options options;
    options.iterations = 2;
    options.samples = 2;
    EXPECT_EQ(trace(session, options), "iiiwh"
                                       "iiwhvt"
                                       "iiwhvt");
}

TEST(TimedLoop, VerifyEveryWaitsForEachIteration) {
    RecordingSession session;
    Options options;
    options.iterations = 2;
    options.warmup = 0;
    options.verify = Verify::every;
    EXPECT_EQ(trace(session, options), "wh"
                                       "iwhviwhvt");
}

TEST(TimedLoop, VerifyNoneReadsNothingBackAndSaysSo) {
    RecordingSession session;
    Options options;
    options.iterations = 1;
    options.warmup = 0;
    options.verify = Verify::none;
    bool verified = true;
    measure(session, options,
            [&verified](const results::Sample& sample) { verified = sample.verified; });
    EXPECT_EQ(session.calls, "whiwh");
    EXPECT_FALSE(verified);
}

TEST(TimedLoop, WrongDataIsNoSample) {
    RecordingSession session;
    session.wrong_at = 2;
    Options options;
    options.iterations = 1;
    options.samples = 3;
    int taken = 0;
    EXPECT_THROW(measure(session, options, [&taken](const results::Sample&) { ++taken; }), Error);
    EXPECT_EQ(taken, 1);
}

/// The sentence of the hang that ends the measurement, and the number of samples before it.
std::pair<std::string, int> hang_of(RecordingSession& session, Options options) {
    options.warmup = 1;
    int taken = 0;
    try {
        measure(session, options, [&taken](const results::Sample&) { ++taken; });
    } catch (const GpuHang& hang) {
        EXPECT_EQ(hang.status(), Exit::failure);
        return {hang.what(), taken};
    }
    return {"no hang", taken};
}

TEST(TimedLoop, AHangEndsItBeforeItsSampleIsTaken) {
    RecordingSession session;
    session.hangs_at = 6; // a warm-up, two a sample: the third
    Options options;
    options.iterations = 2;
    options.samples = 5;
    const auto [sentence, taken] = hang_of(session, options);
    EXPECT_EQ(sentence, "the GPU hung in sample 3: somebody counts one; the 2 samples measured "
                        "before are kept, and nothing after is valid");
    EXPECT_EQ(taken, 2);
}

TEST(TimedLoop, AHangIsToldWithItsIterationWhereEachIsVerified) {
    RecordingSession session;
    session.hangs_at = 5;
    Options options;
    options.iterations = 2;
    options.samples = 5;
    options.verify = Verify::every;
    EXPECT_EQ(hang_of(session, options).first,
              "the GPU hung in iteration 2 of sample 2: somebody counts one; the sample measured "
              "before is kept, and nothing after is valid");
}

TEST(TimedLoop, AHangInTheWarmUpMeasuresNothing) {
    RecordingSession session;
    session.hangs_at = 1;
    EXPECT_EQ(hang_of(session, {}).first, "the GPU hung before the first sample: somebody counts "
                                          "one; nothing had been measured");
}

TEST(TimedLoop, AHangComesBeforeTheCallsThatFailOfIt) {
    RecordingSession session;
    session.hangs_at = session.fails_at = 3;
    Options options;
    options.iterations = 5;
    EXPECT_EQ(hang_of(session, options).first,
              "the GPU hung in sample 1: somebody counts one; then EXECBUFFER2 on a GPU failed: "
              "Input/output error (EIO); nothing had been measured");
}

TEST(TimedLoop, AHangComesBeforeTheWrongDataItLeaves) {
    RecordingSession session;
    session.hangs_at = 2;
    session.wrong_at = 1;
    Options options;
    options.iterations = 1;
    EXPECT_EQ(hang_of(session, options).first, "the GPU hung in sample 1: somebody counts one; "
                                               "nothing had been measured");
}

TEST(TimedLoop, AFailedCallWithoutAHangIsItself) {
    RecordingSession session;
    session.fails_at = 3;
    Options options;
    options.iterations = 5;
    EXPECT_THROW(
        {
            try {
                measure(session, options, [](const results::Sample&) {});
            } catch (const GpuHang&) {
                ADD_FAILURE() << "there was no hang";
                throw;
            }
        },
        Error);
}

TEST(TimedLoop, CountsOnlyTheTimedBytes) {
    RecordingSession session;
    Options options;
    options.iterations = 4;
    results::Sample seen;
    measure(session, options, [&seen](const results::Sample& sample) { seen = sample; });
    EXPECT_EQ(seen.iterations, 4U);
    EXPECT_EQ(seen.bytes, 4U * 1048576U);
    EXPECT_GT(seen.seconds, 0);
    EXPECT_DOUBLE_EQ(seen.mb_per_second(), 4 / seen.seconds);
}

} // namespace
} // namespace gem_upload::bench
