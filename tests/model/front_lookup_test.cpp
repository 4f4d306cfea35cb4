// Worse than useless: a model that programs of ours find and others do not, or one that hides the
// rest of the machine. The facts come from the chip's PCI ids and from how Linux names things.
#include "model_programs.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace gem_upload::test {
namespace {

std::map<std::string, std::string> look_up() {
    const Outcome outcome = run_on_model("g45", {}, {program("DEVICE_LOOKUP")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::map<std::string, std::string> found;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        found[line.substr(0, line.find(": "))] = line.substr(line.find(": ") + 2);
    }
    return found;
}

std::map<std::string, std::string> facts() {
    static const std::map<std::string, std::string> found = look_up();
    return found;
}

TEST(Lookup, LibdrmFindsTheDevice) {
    auto found = facts();
    EXPECT_EQ(found["libdrm devices"], "1");
    EXPECT_EQ(found["libdrm primary"], "/dev/dri/card0");
    EXPECT_EQ(found["libdrm render"], "/dev/dri/renderD128");
    EXPECT_EQ(found["libdrm pci"], "8086:2e22");
    EXPECT_EQ(found["libdrm slot"], "0:2.0");
}

TEST(Lookup, TheDescriptorIsADrmDevice) {
    auto found = facts();
    EXPECT_EQ(found["fd kind"], "character device");
    EXPECT_EQ(found["fd number"], "226:128");
    EXPECT_EQ(found["fd driver"], "i915");
    EXPECT_EQ(found["fd version"], "1.6.0");
    EXPECT_EQ(found["fd description"].rfind("model:g45", 0), 0U) << found["fd description"];
    EXPECT_EQ(found["fd name"], "/dev/dri/renderD128");
    EXPECT_EQ(found["fd revision"], "0003");
    EXPECT_EQ(found["copied fd driver"], "i915");
    EXPECT_EQ(found["reopened fd driver"], "i915");
}

TEST(Lookup, LibpciaccessFindsTheAperture) {
    auto found = facts();
    if (!found.contains("pciaccess pci")) {
        GTEST_SKIP() << "built without libpciaccess";
    }
    EXPECT_EQ(found["pciaccess pci"], "8086:2e22");
    EXPECT_EQ(found["pciaccess aperture"], std::to_string(256 * 1024 * 1024));
    EXPECT_EQ(found["pciaccess class"], "0300");
}

TEST(Lookup, LibudevFindsTheDevice) {
    auto found = facts();
    if (found["udev"] == "not installed") {
        GTEST_SKIP() << "libudev is not installed";
    }
    EXPECT_EQ(found["udev node"], "/dev/dri/card0");
    EXPECT_EQ(found["udev path"], "/sys/devices/pci0000:00/0000:00:02.0/drm/card0");
    EXPECT_EQ(found["udev subsystem"], "drm");
    EXPECT_EQ(found["udev parent"], "0000:00:02.0");
    EXPECT_EQ(found["udev driver"], "i915");
}

TEST(Lookup, LibkmodSeesTheModule) {
    auto found = facts();
    if (found["kmod"] == "not installed") {
        GTEST_SKIP() << "libkmod is not installed";
    }
    EXPECT_EQ(found["kmod i915"], "live");
}

TEST(Lookup, TheRestOfTheMachineIsItsOwn) {
    auto found = facts();
    EXPECT_EQ(found["path cpus"], "there");
    EXPECT_EQ(found["path net"], "there");
    EXPECT_EQ(found["path null"], "there");
    EXPECT_EQ(found["path link"], "../../devices/pci0000:00/0000:00:02.0/drm/card0");
    EXPECT_EQ(found["path real"], "/sys/devices/pci0000:00/0000:00:02.0");
    // Both listings hold the machine's own entries and the model's.
    const Outcome own = run_program({"ls", "/sys/class", "/sys/bus"});
    const Outcome modelled = run_on_model("g45", {}, {"ls", "/sys/class", "/sys/bus"});
    std::istringstream lines(own.out);
    for (std::string entry; std::getline(lines, entry);) {
        EXPECT_NE(("\n" + modelled.out).find("\n" + entry + "\n"), std::string::npos) << entry;
    }
    EXPECT_NE(modelled.out.find("\ndrm\n"), std::string::npos) << modelled.out;
    EXPECT_NE(modelled.out.find("\npci\n"), std::string::npos) << modelled.out;
}

// A symbol too many and the program's own function of that name would be replaced.
TEST(Exports, AreLibcsAlone) {
    const Outcome names = run_program({"nm", "-D", "--defined-only", program("MODEL_LAYER")});
    if (names.status == 127) {
        GTEST_SKIP() << "nm is not installed (binutils)";
    }
    const Outcome libc =
        run_program({"nm", "-D", "--defined-only", "/lib/x86_64-linux-gnu/libc.so.6"});
    std::set<std::string> functions;
    std::istringstream libc_lines(libc.out);
    for (std::string address, kind, name; libc_lines >> address >> kind >> name;) {
        functions.insert(name.substr(0, name.find('@')));
    }
    if (functions.empty()) {
        GTEST_SKIP() << "libc lies elsewhere on this system";
    }
    std::istringstream lines(names.out);
    int count = 0;
    for (std::string address, kind, name; lines >> address >> kind >> name; ++count) {
        EXPECT_TRUE(functions.contains(name)) << name << " is no function of libc";
    }
    EXPECT_GT(count, 30);
}

} // namespace
} // namespace gem_upload::test
