// Worse than useless: a model that changes what a program's end says, leaves files behind, or is
// quietly absent from a program that was to run on it.
#include "model_programs.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace gem_upload::test {
namespace {

namespace fs = std::filesystem;

/// A TMPDIR of its own for each test, to see what is left in it.
class Processes : public testing::Test {
protected:
    Processes() {
        std::string path = fs::temp_directory_path() / "front_process_test.XXXXXX";
        folder_ = ::mkdtemp(path.data());
        ::setenv("TMPDIR", folder_.c_str(), 1);
    }
    ~Processes() override {
        ::unsetenv("TMPDIR");
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    [[nodiscard]] bool nothing_left() const { return fs::is_empty(folder_); }
    [[nodiscard]] const std::string& folder() const { return folder_; }

private:
    std::string folder_;
};

Outcome odd(const std::string& chip, const std::vector<std::string>& arguments,
            const std::vector<std::string>& options = {}) {
    std::vector<std::string> command{program("ODD_PROGRAM")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_on_model(chip, options, command);
}

TEST_F(Processes, TheExitStatusIsTheCommands) {
    EXPECT_EQ(odd("g45", {"exit-with", "0"}).status, 0);
    EXPECT_EQ(odd("g45", {"exit-with", "42"}).status, 42);
    EXPECT_EQ(odd("g45", {"killed"}).status, 128 + 9);
    EXPECT_TRUE(nothing_left());
}

TEST_F(Processes, AProgramThatOpensNoDeviceHearsNothing) {
    EXPECT_EQ(odd("g45", {"exit-with", "0"}).err, "");
}

TEST_F(Processes, ForkedChildrenGoOn) {
    const Outcome outcome = odd("g45", {"fork"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(nothing_left());
}

TEST_F(Processes, DescriptorsAreTakenForWhatTheyAre) {
    EXPECT_EQ(odd("g45", {"reuse-descriptor"}).status, 0);
    EXPECT_EQ(odd("g45", {"share-handles"}).status, 0);
}

// i915: "access to snoopable pages through the GTT is incoherent", and the fault is SIGBUS.
TEST_F(Processes, GttMappingsOfSnoopedObjectsRaiseSigbus) {
    EXPECT_EQ(odd("g45", {"touch-gtt"}).status, 0);
    EXPECT_TRUE(raised_sigbus(odd("g45", {"touch-gtt-of-snooped"})));
    EXPECT_TRUE(raised_sigbus(odd("g45", {"touch-gtt-then-snoop"})));
    EXPECT_EQ(odd("snb", {"touch-gtt-of-snooped"}).status, 0);
    EXPECT_EQ(odd("snb", {"touch-gtt-then-snoop"}).status, 0);
}

TEST_F(Processes, AProgramEntersByItself) {
    const Outcome outcome = run_program({program("ODD_PROGRAM"), "enter", "model:g45"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "version: 0\n");
    EXPECT_NE(outcome.err.find("model: g45: a software GPU"), std::string::npos) << outcome.err;
    EXPECT_TRUE(nothing_left());
    EXPECT_TRUE(fs::exists("/dev/null"));
}

TEST_F(Processes, OtherDevicesAreNotTheModels) {
    EXPECT_EQ(run_program({program("ODD_PROGRAM"), "enter", "/dev/dri/card0"}).status, 9);
}

TEST_F(Processes, UnknownChipsAreNamedWithTheKnownOnes) {
    const Outcome outcome = run_program({program("ODD_PROGRAM"), "enter", "model:voodoo"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("no chip 'voodoo'"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("g45"), std::string::npos) << outcome.err;
    EXPECT_TRUE(nothing_left());
}

TEST_F(Processes, TreesOfKilledProcessesAreSweptAway) {
    const std::string stale = folder() + "/gem-upload-model.999999999.abcdef";
    fs::create_directories(stale + "/sys");
    const std::string other = folder() + "/gem-upload-model.notes";
    fs::create_directories(other);
    EXPECT_EQ(odd("g45", {"exit-with", "0"}).status, 0);
    EXPECT_FALSE(fs::exists(stale));
    EXPECT_TRUE(fs::exists(other));
}

TEST_F(Processes, StaticProgramsAreRefused) {
    const std::string source = folder() + "/static.cpp";
    const std::string binary = folder() + "/static";
    std::ofstream(source) << "int main() {}\n";
    if (run_program({"c++", "-static", "-o", binary, source}).status != 0) {
        GTEST_SKIP() << "no static program can be linked here";
    }
    const Outcome outcome = run_on_model("g45", {}, {binary});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("linked statically"), std::string::npos) << outcome.err;
}

TEST_F(Processes, SetUserIdProgramsAreRefused) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can make another user's program";
    }
    const std::string binary = folder() + "/other-users";
    fs::copy_file("/bin/true", binary);
    constexpr uid_t somebody_else = 1;
    ASSERT_EQ(::chown(binary.c_str(), somebody_else, somebody_else), 0);
    fs::permissions(binary, fs::perms::set_uid, fs::perm_options::add);
    const Outcome outcome = run_on_model("g45", {}, {binary});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("more rights than yours"), std::string::npos) << outcome.err;
}

TEST_F(Processes, BadCommandLinesSayWhatIsWrong) {
    const auto refused = [](const Outcome& outcome, const std::string& sentence) {
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_NE(outcome.err.find(sentence), std::string::npos) << outcome.err;
    };
    refused(run_on_model("g45", {}, {"/nonexistent/program"}), "'/nonexistent/program' is not");
    refused(run_on_model("g45", {}, {"no-such-program-anywhere"}), "in PATH");
    refused(run_on_model("g45", {}, {}), "no command");
    refused(run_on_model("g45", {"--execution", "soon"}, {"true"}), "soon");
    refused(run_on_model("g45", {"--inject", "nonsense"}, {"true"}), "nonsense");
    refused(run_on_model("voodoo", {}, {"true"}), "no chip 'voodoo'");
    EXPECT_TRUE(nothing_left());
}

} // namespace
} // namespace gem_upload::test
