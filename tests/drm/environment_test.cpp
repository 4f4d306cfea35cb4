// Worse than useless: a result that carries another machine's, kernel's or GPU's properties, a
// value that was not there printed as if it were, or an environment that says nothing of what
// decides write-combining and flushing.
#include "drm/environment.h"

#include "config.h"
#include "temporary_tree.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace gem_upload::drm {
namespace {

std::string value_of(const Environment& environment, const std::string& name) {
    const auto found = std::ranges::find(environment, name, &Environment::value_type::first);
    return found == environment.end() ? "(absent)" : found->second;
}

void write_machine(const TemporaryTree& tree) {
    tree.write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    tree.write("proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1\n");
    tree.write("proc/cmdline", "root=/dev/sda1 ro i915.enable_psr=0\n");
    tree.write("proc/sys/kernel/random/boot_id", "5f0c2c37-5b1f-4a8e-9b9c-0a1b2c3d4e5f\n");
    tree.write("proc/cpuinfo",
               "processor\t: 0\nmodel name\t: Intel(R) Core(TM)2 Duo CPU     P8600  @ 2.40GHz\n"
               "microcode\t: 0xa0b\nflags\t\t: fpu pat clflush clflushoptional sse2 lm\n\n"
               "processor\t: 1\nmodel name\t: another\nflags\t\t: avx2\n\n");
    tree.write("proc/mtrr",
               "reg00: base=0x000000000 (    0MB), size= 2048MB, count=1: write-back\n"
               "reg01: base=0x080000000 ( 2048MB), size= 1024MB, count=1: write-back\n"
               "reg02: base=0x0d0000000 ( 3328MB), size=  256MB, count=1: write-combining\n");
    const std::string cpu = "sys/devices/system/cpu";
    tree.write(cpu + "/online", "0-1\n");
    tree.write(cpu + "/cpufreq/policy0/scaling_governor", "performance\n");
    tree.write(cpu + "/cpufreq/policy1/scaling_governor", "performance\n");
    tree.write(cpu + "/intel_pstate/no_turbo", "1\n");
    tree.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    tree.write("sys/kernel/mm/transparent_hugepage/shmem_enabled",
               "always within_size advise [never] deny force\n");
    tree.make_folder("sys/class/iommu/dmar0");
    tree.make_folder("sys/class/iommu/dmar1");
    tree.write("sys/class/power_supply/BAT0/type", "Battery\n");
    tree.write("sys/class/power_supply/AC/type", "Mains\n");
    tree.write("sys/class/power_supply/AC/online", "0\n");
}

TEST(Environment, OfAMachine) {
    const TemporaryTree tree;
    write_machine(tree);
    const Environment environment = read_environment(nullptr, tree.roots());
    EXPECT_EQ(value_of(environment, "kernel_release"), "6.1.0-18-amd64");
    EXPECT_EQ(value_of(environment, "kernel_version"), "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1");
    EXPECT_EQ(value_of(environment, "kernel_command_line"), "root=/dev/sda1 ro i915.enable_psr=0");
    EXPECT_EQ(value_of(environment, "boot_id"), "5f0c2c37-5b1f-4a8e-9b9c-0a1b2c3d4e5f");
    EXPECT_EQ(value_of(environment, "cpu_model"),
              "Intel(R) Core(TM)2 Duo CPU     P8600  @ 2.40GHz");
    EXPECT_EQ(value_of(environment, "cpu_microcode"), "0xa0b");
    EXPECT_EQ(value_of(environment, "cpu_flags"), "pat sse2 clflush"); // not clflushopt
    EXPECT_EQ(value_of(environment, "cpus_online"), "0-1");
    EXPECT_EQ(value_of(environment, "governor"), "performance");
    EXPECT_EQ(value_of(environment, "turbo"), "off");
    EXPECT_EQ(value_of(environment, "transparent_huge_pages"), "madvise");
    EXPECT_EQ(value_of(environment, "shmem_huge_pages"), "never");
    EXPECT_EQ(value_of(environment, "mtrr"), "write-back (2), write-combining (1)");
    EXPECT_EQ(value_of(environment, "iommu"), "dmar0 dmar1");
    EXPECT_EQ(value_of(environment, "mains_power"), "no");
    EXPECT_EQ(value_of(environment, "gem_upload_tools"), GEM_UPLOAD_VERSION);
    EXPECT_EQ(value_of(environment, "device"), "(absent)");
}

TEST(Environment, GovernorsThatDifferAreCounted) {
    const TemporaryTree tree;
    const std::string cpufreq = "sys/devices/system/cpu/cpufreq";
    tree.write(cpufreq + "/policy0/scaling_governor", "powersave\n");
    tree.write(cpufreq + "/policy1/scaling_governor", "performance\n");
    tree.write(cpufreq + "/policy2/scaling_governor", "powersave\n");
    tree.write(cpufreq + "/boost", "1\n");
    const Environment environment = read_environment(nullptr, tree.roots());
    EXPECT_EQ(value_of(environment, "governor"), "performance (1), powersave (2)");
    EXPECT_EQ(value_of(environment, "turbo"), "on");
}

TEST(Environment, WhatIsUnknownIsLeftOut) {
    const TemporaryTree tree;
    for (const auto& [name, value] : read_environment(nullptr, tree.roots())) {
        EXPECT_TRUE(name == "libraries" || name == "loaded_libraries" || name == "gem_upload_tools")
            << name << " = " << value;
        EXPECT_FALSE(value.empty()) << name;
    }
}

Device i915_device() {
    Device device;
    device.primary_node = "/dev/dri/card1";
    device.driver = "i915";
    device.driver_version = "1.6.0";
    device.pci_address = "0000:00:02.0";
    device.vendor_id = 0x8086;
    device.device_id = 0x2a42;
    device.chip = find_chip(0x2a42);
    device.aperture_bytes = 268435456;
    return device;
}

TEST(Environment, OfAnI915Device) {
    const TemporaryTree tree;
    // Another card's frequencies lie beside the right one's.
    tree.write("sys/class/drm/card0/gt_max_freq_mhz", "1\n");
    tree.write("sys/class/drm/card1/gt_min_freq_mhz", "200\n");
    tree.write("sys/class/drm/card1/gt_max_freq_mhz", "640\n");
    tree.write("sys/class/drm/card1/gt_act_freq_mhz", "533\n");
    tree.write("sys/bus/pci/devices/0000:00:02.0/power/control", "auto\n");
    tree.write("sys/module/i915/parameters/force_probe", "*\n");
    const Device device = i915_device();
    const Environment environment = read_environment(&device, tree.roots());
    EXPECT_EQ(value_of(environment, "device"), "i915 8086:2a42 (gm45) at 0000:00:02.0");
    EXPECT_EQ(value_of(environment, "driver"), "i915 1.6.0");
    EXPECT_EQ(value_of(environment, "pci_id"), "8086:2a42");
    EXPECT_EQ(value_of(environment, "runtime_pm"), "auto");
    EXPECT_EQ(value_of(environment, "force_probe"), "*");
    EXPECT_EQ(value_of(environment, "aperture_bytes"), "268435456");
    EXPECT_EQ(value_of(environment, "gpu_min_mhz"), "200");
    EXPECT_EQ(value_of(environment, "gpu_max_mhz"), "640");
    EXPECT_EQ(value_of(environment, "gpu_actual_mhz"), "533");
}

TEST(Environment, OfAnXeDevice) {
    const TemporaryTree tree;
    const std::string frequencies = "sys/class/drm/card1/device/tile0/gt0/freq0/";
    tree.write(frequencies + "min_freq", "400\n");
    tree.write(frequencies + "max_freq", "1950\n");
    Device device = i915_device();
    device.driver = "xe";
    const Environment environment = read_environment(&device, tree.roots());
    EXPECT_EQ(value_of(environment, "gpu_min_mhz"), "400");
    EXPECT_EQ(value_of(environment, "gpu_max_mhz"), "1950");
    EXPECT_EQ(value_of(environment, "gpu_actual_mhz"), "(absent)");
}

TEST(Environment, ModelSaysSo) {
    const TemporaryTree tree;
    Device device = i915_device();
    device.model_chip = "g45";
    EXPECT_EQ(value_of(read_environment(&device, tree.roots()), "device"), "model:g45");
}

TEST(Environment, OfThisMachine) {
    const Environment environment = read_environment(nullptr);
    EXPECT_EQ(value_of(environment, "kernel_release").find('('), std::string::npos);
    EXPECT_NE(value_of(environment, "cpu_flags").find("sse2"), std::string::npos); // every x86-64
    EXPECT_NE(value_of(environment, "loaded_libraries").find("libc.so.6"), std::string::npos);
}

} // namespace
} // namespace gem_upload::drm
