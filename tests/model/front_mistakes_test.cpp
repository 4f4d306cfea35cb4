// Worse than useless: a model on which a benchmark that makes a mistake passes as well as one that
// does not. Each mistake is made by a program that does the same thing right when it is not told to
// err: right, it must pass on every chip; wrong, it must not exit with 0 where the hardware would
// not have let it pass.
#include "model_programs.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace gem_upload::test {
namespace {

using Options = std::vector<std::string>;

const Options late{"--execution", "late", "--check-clock"};

Outcome upload(const std::string& chip, const std::string& name, bool wrong,
               const Options& options = late) {
    Options command{program("WRONG_UPLOADS"), name};
    if (wrong) {
        command.emplace_back("wrong");
    }
    return run_on_model(chip, options, command);
}

constexpr int failed_call = 4;

struct Mistake {
    const char* name;
    const char* sentence; ///< part of what must be said on standard error
    bool only_without_llc;
};

const std::vector<Mistake>& mistakes() {
    static const std::vector<Mistake> all{
        {"recycled-map", "wrong pixels", true},
        {"dirty-line-beside", "wrong pixels: pixel 0 ", true},
        {"read-back", "wrong pixels", true},
        {"clock", "read the clock while batches", false},
        {"busy-buffer", "wrong pixels", false},
        {"pitch-in-bounds", "wrong pixels", false},
        {"pitch-out-of-bounds", "outside every object of the execbuffer", false},
        {"missing-relocation", "address 0x0, which lies outside every object", false},
        {"depth", "colour depth", false},
        {"coordinates", "outside every object of the execbuffer", false},
    };
    return all;
}

class Mistakes : public testing::TestWithParam<const char*> {
protected:
    [[nodiscard]] static bool has_llc() { return std::string(GetParam()).front() != 'g'; }
};

TEST_P(Mistakes, RightUploadsPass) {
    for (const char* execution : {"asynchronous", "immediate", "late"}) {
        const Outcome outcome =
            upload(GetParam(), "all", false, {"--execution", execution, "--check-clock"});
        EXPECT_EQ(outcome.status, 0) << execution << "\n" << outcome.out << outcome.err;
        for (const Mistake& mistake : mistakes()) {
            EXPECT_NE(outcome.out.find(mistake.name), std::string::npos) << mistake.name;
        }
    }
}

TEST_P(Mistakes, WrongUploadsAreCaught) {
    for (const Mistake& mistake : mistakes()) {
        const Outcome outcome = upload(GetParam(), mistake.name, true);
        if (mistake.only_without_llc && has_llc()) {
            EXPECT_EQ(outcome.status, 0) << mistake.name << ": the caches are coherent\n"
                                         << outcome.err;
            continue;
        }
        EXPECT_NE(outcome.status, 0) << mistake.name;
        EXPECT_NE(outcome.err.find(mistake.sentence), std::string::npos) << mistake.name << "\n"
                                                                         << outcome.err;
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, Mistakes, testing::Values("g33", "g45", "snb", "bdw"),
                         [](const auto& chip) { return std::string(chip.param); });

TEST(Ring, BlitterRingExistsFromSandyBridgeOn) {
    const Outcome absent = upload("g45", "blt-ring", true);
    EXPECT_EQ(absent.status, failed_call);
    EXPECT_NE(absent.err.find("EXECBUFFER2: EINVAL"), std::string::npos) << absent.err;
    EXPECT_EQ(upload("snb", "blt-ring", true).status, 0);
}

// Without the option the same program passes: nothing else may be what condemns it.
TEST(Clock, IsWatchedOnlyWhenAsked) {
    EXPECT_EQ(upload("g45", "clock", true, {"--execution", "late"}).status, 0);
    EXPECT_EQ(upload("g45", "clock", true, {"--execution", "immediate", "--check-clock"}).status,
              0);
}

// The exit status of a program that ignores everything is forced, after its own exit(0).
TEST(Verdict, AFaultTurnsSuccessIntoFailure) {
    const Outcome outcome = upload("g45", "coordinates", true);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(outcome.err.find("model: g45") != std::string::npos) << outcome.err;
}

TEST(Verdict, SaysOnceThatNothingHereIsAGpusSpeed) {
    const Outcome outcome = upload("g45", "coordinates", false);
    const std::string line =
        "model: g45: a software GPU; its speed is this machine's memory, not a GPU's\n";
    EXPECT_EQ(outcome.err, line);
}

} // namespace
} // namespace gem_upload::test
