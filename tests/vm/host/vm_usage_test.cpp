// Worse than useless: a wrong command line or a missing file that looks to `git bisect run` like a
// good or a bad kernel. Nothing here boots.
#include "run_program.h"

#include "util/files.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace gem_upload::vm {
namespace {

using testing_support::Outcome;
using testing_support::TemporaryFolder;

class VmUsage : public testing::Test {
protected:
    [[nodiscard]] Outcome run(std::vector<std::string> arguments,
                              std::vector<std::string> environment = {}) const {
        arguments.insert(arguments.begin(), {GEM_UPLOAD, "vm"});
        environment.insert(environment.begin(), "XDG_CACHE_HOME=" + cache.path());
        return testing_support::run_program(arguments, environment);
    }
    /// 128 stops a bisection; the sentence is one line and holds PART.
    void expect_refused(const std::vector<std::string>& arguments, const std::string& part,
                        const std::vector<std::string>& environment = {}) const {
        const Outcome outcome = run(arguments, environment);
        EXPECT_EQ(outcome.status, 128) << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }

    TemporaryFolder cache;
};

TEST_F(VmUsage, CommandLine) {
    expect_refused({}, "no command");
    expect_refused({"--gpu", "none"}, "no command");
    expect_refused({"--gpu", "pentium", "--", "true"}, "g33, snb");
    expect_refused({"--gpu", "g45", "--", "true"}, "in user space only");
    expect_refused({"--gpu", "none", "--driver", "i915", "--", "true"}, "i915 needs a GPU");
    expect_refused({"--driver", "nouveau", "--", "true"}, "--driver");
    expect_refused({"--timeout", "0", "--", "true"}, "--timeout");
    expect_refused({"--memory", "64", "--", "true"}, "--memory");
    expect_refused({"--share", "/absent", "--", "true"}, "/absent");
    expect_refused({"--gpu", "none", "--trace", "x", "--", "true"}, "--trace");
    expect_refused({"--gpu", "none", "--hang", "1", "--", "true"}, "--hang");
    expect_refused({"--gpu", "skl", "--hang", "0", "--", "true"}, "not in range 1 to");
    expect_refused({"--gpu", "", "--", "true"}, "--gpu: the name is empty");
    expect_refused({"--kernel", "", "--", "true"}, "--kernel: the name is empty");
    expect_refused({"--json", "/absent/x", "--", "true"}, "/absent");
    expect_refused({"--dmesg", "/absent/x", "--", "true"}, "/absent");
    expect_refused({"--interactive"}, "needs a terminal");
}

TEST_F(VmUsage, Matrix) {
    expect_refused({"--matrix", "--", "true"}, "--methods");
    expect_refused({"--matrix", "--share", "/tmp"}, "--share");
    expect_refused({"--matrix", "--hang", "1"}, "--hang");
    expect_refused({"--matrix", "--gpu", "g33,none"}, "no chip 'none'");
    expect_refused({"--matrix", "--methods", "blit_huge"}, "blit_huge");
    expect_refused({"--matrix", "--kernel", "debian:6.1,/absent"}, "/absent");
    expect_refused({"--matrix", "--kernel", "/etc/passwd,/etc/group", "--modules", "/tmp"},
                   "one kernel");
    expect_refused({"--matrix", "--kernel", "debian:6.1,,debian:6.12"}, "is empty");
    expect_refused({"--ktap", "x", "--", "true"}, "--matrix");
}

TEST_F(VmUsage, HelpIsNoError) {
    const Outcome outcome = run({"--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("--kernel"), std::string::npos);
    EXPECT_NE(outcome.out.find("125 cannot tell"), std::string::npos);
}

TEST_F(VmUsage, KernelsThatAreNone) {
    expect_refused({"--kernel", "/etc/passwd", "--", "true"}, "go together");
    expect_refused({"--kernel", "/etc/passwd", "--modules", "/tmp", "--", "true"},
                   "no Linux kernel");
    expect_refused({"--kernel", GEM_UPLOAD, "--modules", "/tmp", "--", "true"}, "no Linux kernel");
    expect_refused({"--kernel", "/absent", "--modules", "/tmp", "--", "true"}, "/absent");
    expect_refused({"--kernel", "/etc/passwd", "--modules", "/absent", "--", "true"}, "/absent");
    expect_refused({"--modules", "/tmp", "--", "true"}, "goes with --kernel");
    expect_refused({"--kernel", cache.path(), "--", "true"}, "holds no kernel");
}

TEST_F(VmUsage, KernelsByName) {
    expect_refused({"--kernel", "debian:", "--", "true"}, "debian:X.Y");
    expect_refused({"--kernel", "debian:6", "--", "true"}, "debian:X.Y");
    expect_refused({"--kernel", "debian:6.12.1", "--", "true"}, "debian:X.Y");
    expect_refused({"--kernel", "debian:6.1", "--modules", "/tmp", "--", "true"},
                   "modules of its own");
    // Whatever apt knows here, or whether it is here at all: it says so in a sentence.
    expect_refused({"--kernel", "debian:0.1", "--fetch"}, "apt");
}

TEST_F(VmUsage, CommandThatIsNowhere) {
    expect_refused({"--gpu", "none", "--", "gem-upload-nonsense"}, "gem-upload-nonsense");
}

TEST_F(VmUsage, CacheThatCannotBeWritten) {
    const Outcome outcome = run({"--gpu", "none", "--", "true"}, {"XDG_CACHE_HOME=/proc"});
    EXPECT_EQ(outcome.status, 128) << outcome.err;
    EXPECT_NE(outcome.err.find("XDG_CACHE_HOME"), std::string::npos) << outcome.err;
}

} // namespace
} // namespace gem_upload::vm
