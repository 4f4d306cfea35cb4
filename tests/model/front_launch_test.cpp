// Worse than useless: settings that get lost on the way to the layer, and a device tree that does
// not say what the chip is.
#include "model/front/device_tree.h"
#include "model/front/program_file.h"
#include "model/front/settings_text.h"
#include "model/gpu.h"
#include "util/error.h"
#include "util/files.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace gem_upload::model {
namespace {

namespace fs = std::filesystem;

TEST(SettingsText, CarriesEverything) {
    LayerSettings sent;
    sent.settings.chip = "g45";
    sent.settings.execution = Settings::Execution::late;
    sent.settings.check_clock = true;
    sent.settings.trace_path = "/tmp/a file = b";
    sent.settings.faults = {"PWRITE:3=EIO", "wedge:2"};
    sent.tree = "/tmp/tree";
    sent.owner = 4711;
    const LayerSettings received = settings_from_text(settings_to_text(sent));
    EXPECT_EQ(received.settings.chip, sent.settings.chip);
    EXPECT_EQ(received.settings.execution, sent.settings.execution);
    EXPECT_EQ(received.settings.check_clock, sent.settings.check_clock);
    EXPECT_EQ(received.settings.trace_path, sent.settings.trace_path);
    EXPECT_EQ(received.settings.faults, sent.settings.faults);
    EXPECT_EQ(received.tree, sent.tree);
    EXPECT_EQ(received.owner, sent.owner);
}

TEST(SettingsText, RefusesNonsense) {
    LayerSettings settings;
    settings.settings.trace_path = "two\nlines";
    EXPECT_THROW((void)settings_to_text(settings), Error);
    EXPECT_THROW((void)settings_from_text("chip"), Error);
    EXPECT_THROW((void)settings_from_text("speed=11\n"), Error);
    EXPECT_THROW((void)settings_from_text("owner=me\n"), Error);
    EXPECT_THROW((void)settings_from_text("execution=soon\n"), Error);
}

class DeviceTree : public testing::TestWithParam<ChipModel> {};

TEST_P(DeviceTree, DescribesTheChip) {
    const ChipModel& chip = GetParam();
    const std::string root = create_device_tree(chip);
    const fs::path device = root + "/sys/bus/pci/devices/0000:00:02.0";
    EXPECT_EQ(read_file(device / "vendor"), "0x8086\n");
    EXPECT_EQ(std::stoi(read_file(device / "device"), nullptr, 16), chip.device_id);
    EXPECT_EQ(std::stoi(read_file(device / "revision"), nullptr, 16), chip.revision);
    EXPECT_EQ(read_file(device / "class"), "0x030000\n");
    EXPECT_EQ(fs::file_size(device / "resource2"), chip.aperture_bytes);
    // PCI configuration space: little-endian ids at 0 and 2 (PCI Local Bus Specification 3.0, 6.1).
    const std::string config = read_file(device / "config");
    ASSERT_GE(config.size(), 64U);
    const auto byte = [&config](std::size_t at) {
        return static_cast<unsigned>(static_cast<unsigned char>(config[at]));
    };
    EXPECT_EQ(byte(0) | byte(1) << 8, 0x8086U);
    EXPECT_EQ(byte(2) | byte(3) << 8, chip.device_id);
    EXPECT_EQ(byte(11), 3U); // a display
    EXPECT_TRUE(fs::exists(root + "/sys/dev/char/226:0/device/drm/renderD128"));
    EXPECT_EQ(fs::read_symlink(device / "driver").filename(), "i915");
    remove_device_tree(root);
    EXPECT_FALSE(fs::exists(root));
}

INSTANTIATE_TEST_SUITE_P(Chips, DeviceTree,
                         testing::ValuesIn(chip_models().begin(), chip_models().end()),
                         [](const auto& chip) { return std::string(chip.param.name); });

TEST(ProgramFile, TellsDynamicProgramsFromScripts) {
    const ProgramFile self = inspect_program("/proc/self/exe");
    EXPECT_TRUE(self.elf64);
    EXPECT_TRUE(self.dynamic);
    EXPECT_FALSE(self.privileged);
    EXPECT_NE(std::find(self.needed.begin(), self.needed.end(), "libc.so.6"), self.needed.end());

    const std::string script = fs::temp_directory_path() / "front_launch_test.sh";
    replace_file(script, "#!/bin/sh\n");
    EXPECT_FALSE(inspect_program(script).elf);
    fs::remove(script);
}

TEST(ProgramFile, SurvivesDamagedFiles) {
    const std::string whole = read_file("/proc/self/exe");
    const std::string path = fs::temp_directory_path() / "front_launch_test.elf";
    for (const std::size_t length : {4UL, 5UL, 20UL, 64UL, 100UL, 1000UL, 5000UL}) {
        replace_file(path, whole.substr(0, length));
        (void)inspect_program(path);
    }
    std::string damaged = whole.substr(0, 4096);
    damaged.replace(32, 8, 8, '\xff'); // e_phoff
    replace_file(path, damaged);
    (void)inspect_program(path);
    fs::remove(path);
}

TEST(ProgramFile, LooksProgramsUpInPath) {
    EXPECT_TRUE(find_program("sh").ends_with("/sh"));
    EXPECT_THROW((void)find_program("no-such-program-anywhere"), Error);
    EXPECT_THROW((void)find_program("/etc/passwd"), Error);
}

} // namespace
} // namespace gem_upload::model
