// Worse than useless: a fault that was asked for and did not happen, so that a program's handling
// of it seems tested. The ioctl sequences are those of wrong_uploads' cases.
#include "model_programs.h"

#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <unistd.h>
#include <vector>

namespace gem_upload::test {
namespace {

Outcome upload_with(const std::string& fault, const std::string& name = "busy-buffer") {
    return run_on_model("g45", {"--inject", fault}, {program("WRONG_UPLOADS"), name});
}

void expect_failure(const Outcome& outcome, const std::string& sentence) {
    EXPECT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_NE(outcome.err.find(sentence), std::string::npos) << outcome.err;
}

TEST(Injection, FailsTheNthCallAndNoOther) {
    expect_failure(upload_with("CREATE:1=ENOMEM"), "GEM_CREATE: ENOMEM");
    expect_failure(upload_with("GEM_CREATE:2=EIO"), "GEM_CREATE: EIO");
    expect_failure(upload_with("MMAP:1=ENOSPC"), "MMAP: ENOSPC");
    expect_failure(upload_with("EXECBUFFER2:1=EINTR"), "EXECBUFFER2: EINTR");
    EXPECT_EQ(upload_with("CREATE:900=EIO").status, 0);
}

TEST(Injection, WedgesTheGpu) {
    expect_failure(upload_with("wedge:1"), "EXECBUFFER2: EIO");
    // Wedged at the second of three blits: the first is right, and then nothing works.
    expect_failure(upload_with("wedge:2", "recycled-map"), "EXECBUFFER2: EIO");
    EXPECT_EQ(upload_with("wedge:2").status, 0);
}

Outcome hang(const std::string& chip, const std::vector<std::string>& faults,
             const std::vector<std::string>& arguments) {
    std::vector<std::string> options;
    for (const std::string& fault : faults) {
        options.insert(options.end(), {"--inject", fault});
    }
    std::vector<std::string> command{program("HANG_PROGRAM")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_on_model(chip, options, command);
}

/// The number of resets is root's to know.
std::string without_resets(const std::string& text) {
    return std::regex_replace(text, std::regex(" resets \\d+"), "");
}

TEST(Injection, AHangIsCountedAndTheGpuGoesOn) {
    for (const char* chip : {"g33", "snb", "bdw", "rpls"}) {
        const Outcome outcome = hang(chip, {"hang:2"}, {"3"});
        EXPECT_EQ(outcome.status, 0) << chip << outcome.err;
        EXPECT_EQ(without_resets(outcome.out)
                      .find("EXEC 0 WAIT 0 active 0 pending 0\n"
                            "EXEC 0 WAIT 0 active 1 pending 0\n"
                            "EXEC 0 WAIT 0 active 1 pending 0\n"),
                  0U)
            << chip << outcome.out;
        EXPECT_NE(outcome.out.find("error: GPU HANG: ecode "), std::string::npos) << outcome.out;
    }
}

TEST(Injection, TheWholeGpuIsResetUpToGen6TheEngineAloneLater) {
    const std::string one = ::geteuid() == 0 ? "resets 1" : "resets 0";
    EXPECT_NE(hang("snb", {"hang:1"}, {"1"}).out.find(one), std::string::npos);
    EXPECT_NE(hang("bdw", {"hang:1"}, {"1"}).out.find("resets 0"), std::string::npos);
}

TEST(Injection, TheThirdHangBansTheContext) {
    const Outcome outcome = hang("bdw", {"hang:1", "hang:2", "hang:3"}, {"4"});
    EXPECT_EQ(without_resets(outcome.out)
                  .find("EXEC 0 WAIT 0 active 1 pending 0\n"
                        "EXEC 0 WAIT 0 active 2 pending 0\n"
                        "EXEC 0 WAIT 0 active 3 pending 0\n"
                        "EXEC EIO WAIT 0 active 3 pending 0\n"
                        "CONTEXT_CREATE 0\n"),
              0U)
        << outcome.out;
}

TEST(Injection, AContextSaysHowMuchItBears) {
    EXPECT_NE(hang("bdw", {"hang:1"}, {"2", "unrecoverable"}).out.find("EXEC EIO"),
              std::string::npos);
    const Outcome unbannable = hang("bdw", {"hang:1", "hang:2", "hang:3"}, {"4", "unbannable"});
    EXPECT_EQ(unbannable.out.find("EIO"), std::string::npos) << unbannable.out;
    EXPECT_NE(hang("bdw", {"hang:1"}, {"1", "uncaptured"}).out.find("No error state collected"),
              std::string::npos);
}

TEST(Injection, FillsTheAperture) {
    expect_failure(upload_with("full-aperture:1"), "EXECBUFFER2: ENOSPC");
}

TEST(Injection, RemovesTheDevice) {
    expect_failure(upload_with("gone:1"), "ENODEV");
    expect_failure(upload_with("gone:5"), "ENODEV");
}

TEST(Injection, RaisesSigbusOnGttMappings) {
    const Outcome outcome =
        run_on_model("g45", {"--inject", "sigbus:1"}, {program("ODD_PROGRAM"), "touch-gtt"});
    EXPECT_TRUE(raised_sigbus(outcome)) << outcome.err;
    EXPECT_EQ(
        run_on_model("g45", {"--inject", "sigbus:2"}, {program("ODD_PROGRAM"), "touch-gtt"}).status,
        0);
}

TEST(Injection, RefusesUnknownIoctls) {
    const Outcome outcome = upload_with("PWRTE:1=EIO");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("PWRTE"), std::string::npos) << outcome.err;
}

} // namespace
} // namespace gem_upload::test
