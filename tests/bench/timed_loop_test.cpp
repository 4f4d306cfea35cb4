// Worse than useless: a sample that was not waited for, that counts warm-up, or that is handed on
// although its data was wrong.
#include "bench/timed_loop.h"
#include "util/error.h"

#include <gtest/gtest.h>
#include <string>

namespace gem_upload::bench {
namespace {

/// Writes down what is asked of it: i(terate), w(ait), v(erify), t(aken).
class RecordingSession : public Session {
public:
    void iterate() override { calls += 'i'; }
    void wait() override { calls += 'w'; }
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
    EXPECT_EQ(trace(session, options), "iiiw"
                                       "iiwvt"
                                       "iiwvt");
}

TEST(TimedLoop, VerifyEveryWaitsForEachIteration) {
    RecordingSession session;
    Options options;
    options.iterations = 2;
    options.warmup = 0;
    options.verify = Verify::every;
    EXPECT_EQ(trace(session, options), "w"
                                       "iwviwvt");
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
    EXPECT_EQ(session.calls, "wiw");
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
