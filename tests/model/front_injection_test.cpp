// Worse than useless: a fault that was asked for and did not happen, so that a program's handling
// of it seems tested. The ioctl sequences are those of wrong_uploads' cases.
#include "model_programs.h"

#include <gtest/gtest.h>
#include <string>

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
