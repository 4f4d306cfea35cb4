// Worse than useless: a crash that goes unnoticed, so that a broken kernel counts as good, or a
// harmless line taken for one, so that every kernel is bad. The texts were recorded from Debian's
// 6.1.192 (a module that does on purpose what each is named for; i915_wedged written on a modelled
// g33); lockdep's, which Debian's kernel is built without, follow kernel/locking/lockdep.c.
#include "vm/kernel_log.h"

#include "util/files.h"
#include "vm/guest_record.h"

#include <gtest/gtest.h>
#include <map>

namespace gem_upload::vm {
namespace {

std::string recorded(const std::string& name) {
    return read_file(std::string(RECORDED_LOGS) + "/dmesg-" + name + ".txt");
}

TEST(KernelLog, RecordedTrouble) {
    const std::map<std::string, std::pair<Trouble, std::string>> expected = {
        {"panic", {Trouble::panic, "Kernel panic - not syncing: sysrq triggered crash"}},
        {"null",
         {Trouble::oops, "BUG: kernel NULL pointer dereference, address: "
                         "0000000000000008"}},
        {"bug", {Trouble::oops, "kernel BUG at trouble.c:9!"}},
        {"gp",
         {Trouble::oops, "general protection fault, probably for non-canonical address "
                         "0x8000dead00000000: 0000 [#1] PREEMPT SMP NOPTI"}},
        {"sleep", {Trouble::oops, "BUG: scheduling while atomic: insmod/80/0x00000002"}},
        {"warn",
         {Trouble::warning, "WARNING: CPU: 0 PID: 80 at trouble.c:7 "
                            "trouble_init+0x40/0x1000 [trouble]"}},
        {"refcount", {Trouble::warning, "refcount_t: addition on 0; use-after-free."}},
        {"gpu-hang", {Trouble::gpu_hang, "i915 0000:00:02.0: [drm] GPU HANG: ecode 3:0:00000000"}},
    };
    for (const auto& [name, first] : expected) {
        const auto findings = find_trouble(recorded(name));
        ASSERT_FALSE(findings.empty()) << name;
        EXPECT_EQ(findings.front().trouble, first.first) << name;
        EXPECT_EQ(findings.front().line, first.second) << name;
        EXPECT_TRUE(findings.front().after_load) << name;
    }
    EXPECT_EQ(find_trouble(recorded("lockup")).front().trouble, Trouble::lockup);
}

TEST(KernelLog, ACleanBootIsClean) {
    const std::string log = recorded("clean");
    EXPECT_GT(log.size(), 10'000U);
    EXPECT_TRUE(find_trouble(log).empty());
}

TEST(KernelLog, LockdepSplatsAreNotMereWarnings) {
    for (const char* line : {
             "[   12.3] WARNING: possible circular locking dependency detected",
             "[   12.3] WARNING: possible recursive locking detected",
             "[   12.3] WARNING: inconsistent lock state",
             "[   12.3] WARNING: SOFTIRQ-safe -> SOFTIRQ-unsafe lock order detected",
             "[   12.3] WARNING: suspicious RCU usage",
             "[   12.3] WARNING: bad unlock balance detected!",
             "[   12.3] [ BUG: Invalid wait context ]",
             "[   12.3] [ INFO: possible circular locking dependency detected ]",
             "[   12.3] DEBUG_LOCKS_WARN_ON(lock->magic != lock)",
         }) {
        EXPECT_EQ(trouble_in_line(line), Trouble::lockdep) << line;
    }
}

TEST(KernelLog, OtherSigns) {
    const std::map<std::string, Trouble> lines = {
        {"BUG: KASAN: slab-use-after-free in i915_gem_object_put+0x1f/0x60 [i915]", Trouble::oops},
        {"BUG: unable to handle page fault for address: ffffc90000a00000", Trouble::oops},
        {"INFO: task kworker/0:1:9 blocked for more than 120 seconds.", Trouble::lockup},
        {"rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", Trouble::lockup},
        {"i915 0000:00:02.0: [drm] *ERROR* rcs0: failed to restart", Trouble::error},
        {"[drm:gen8_check_faults [i915]] *ERROR* Unexpected fault", Trouble::refused_access},
        {"DMAR: [DMA Write NO_PASID] Request device [00:02.0] fault addr 0x7f000000",
         Trouble::refused_access},
        {"Lockdown: sh: direct PCI access is restricted; see man kernel_lockdown.7",
         Trouble::refused_access},
        {"i915 0000:00:02.0: [drm] *ERROR* GPU recovery failed", Trouble::gpu_hang},
    };
    for (const auto& [line, trouble] : lines) {
        EXPECT_EQ(trouble_in_line(line), trouble) << line;
        EXPECT_EQ(trouble_in_line("[   99.000001][ T1234] " + line), trouble) << line;
    }
    for (const char* harmless :
         {"[    1.0] Kernel command line: panic=-1 warning BUG", "[    2.0] Resetting chip for x",
          "[    2.0] i915 0000:00:02.0: [drm] Failed to find VBIOS tables (VBT)", "", "[",
          "[    2.0] user says WARNING: nothing"}) {
        EXPECT_EQ(trouble_in_line(harmless), std::nullopt) << harmless;
    }
}

TEST(KernelLog, TheMarkDividesBootFromTest) {
    const std::string log = "[ 1.0] WARNING: CPU: 0 PID: 1 at a\n[ 2.0] " +
                            std::string(loaded_mark) + "\n[ 3.0] WARNING: CPU: 0 PID: 1 at b";
    const auto findings = find_trouble(log);
    ASSERT_EQ(findings.size(), 2U) << "the last line counts although its end is missing";
    EXPECT_FALSE(findings[0].after_load);
    EXPECT_TRUE(findings[1].after_load);
}

TEST(KernelLog, LastLines) {
    EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
    EXPECT_EQ(last_lines("a\nb\nc", 2), "b\nc");
    EXPECT_EQ(last_lines("a\nb\n", 5), "a\nb\n");
    EXPECT_EQ(last_lines("", 5), "");
}

TEST(KernelLog, NamesGoBothWays) {
    for (const std::string& name : trouble_names()) {
        EXPECT_EQ(trouble_name(trouble_from_name(name).value()), name);
    }
    EXPECT_FALSE(trouble_from_name("nonsense"));
}

} // namespace
} // namespace gem_upload::vm
