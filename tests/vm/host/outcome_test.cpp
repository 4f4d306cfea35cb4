// Worse than useless: a bisection that is sent the wrong way, by a broken kernel that counts as
// good, or by a machine's own trouble that counts as the kernel's. What each case must exit with is
// git-bisect(1)'s: 0 good, 1 bad, 125 cannot be tested, 128 and above stop.
#include "vm/outcome.h"

#include <cerrno>
#include <csignal>
#include <functional>
#include <gtest/gtest.h>

namespace gem_upload::vm {
namespace {

constexpr int qemu_end = 33 << 8; // in waitpid's form

/// A run in which everything went well.
Evidence good_run() {
    Evidence evidence;
    evidence.kernel_log = "[ 1.0] Linux version 6.1\n[ 2.0] " + std::string(loaded_mark) + "\n";
    evidence.drivers = {"i915"};
    evidence.guest.release = "6.1.0";
    evidence.guest.modules = {{"i915", 0}};
    evidence.guest.nodes = {{"card0", "i915"}, {"renderD128", "i915"}};
    evidence.guest.running = true;
    evidence.guest.before = 2;
    evidence.guest.after = 9;
    evidence.guest.status = 0;
    evidence.guest.ended = true;
    evidence.qemu_status = qemu_end;
    evidence.device.emplace();
    evidence.device->gpu.engines = {{"rcs0", 7, 70, 0}};
    return evidence;
}

/// The same up to where the command runs.
Evidence running() {
    Evidence evidence = good_run();
    evidence.guest.status.reset();
    evidence.guest.after.reset();
    evidence.guest.ended = false;
    return evidence;
}

/// The same up to where i915 is being loaded.
Evidence loading() {
    Evidence evidence = running();
    evidence.kernel_log = "[ 1.0] Linux version 6.1\n";
    evidence.guest.modules.clear();
    evidence.guest.nodes.clear();
    evidence.guest.loading = "i915";
    evidence.guest.running = false;
    evidence.guest.before.reset();
    return evidence;
}

void expect_outcome(const Evidence& evidence, Verdict verdict, int status,
                    const Policy& policy = {}) {
    const Outcome outcome = classify(evidence, policy);
    EXPECT_EQ(verdict_name(outcome.verdict), verdict_name(verdict)) << outcome.sentence;
    EXPECT_EQ(outcome.status, status) << outcome.sentence;
    EXPECT_FALSE(outcome.sentence.empty());
}

TEST(Outcome, Good) {
    expect_outcome(good_run(), Verdict::success, 0);
}

TEST(Outcome, TheCommandsOwnStatus) {
    const auto with = [](int status, const std::string& errors = "") {
        Evidence evidence = good_run();
        evidence.guest.status = status;
        evidence.command_errors = errors;
        return evidence;
    };
    expect_outcome(with(1 << 8), Verdict::command_failed, 1);
    expect_outcome(with(77 << 8), Verdict::skipped, 125);
    expect_outcome(with(127 << 8), Verdict::no_command, 128);
    expect_outcome(with(SIGSEGV), Verdict::command_failed, 1);
    // As lib/bench/timed_loop.cpp has it.
    expect_outcome(with(1 << 8, "x: wrong data, so nothing was measured: 3 of 9 pixels differ\n"),
                   Verdict::wrong_data, 1);
}

TEST(Outcome, CommandThatCannotBeStarted) {
    Evidence evidence = good_run();
    evidence.guest.running = false;
    evidence.guest.status.reset();
    evidence.guest.unstarted = ENOENT;
    expect_outcome(evidence, Verdict::no_command, 128);
}

TEST(Outcome, TroubleAfterTheDriversIsBadEvenIfTheCommandSucceeds) {
    const std::pair<const char*, Verdict> cases[] = {
        {"Oops: 0002 [#1] PREEMPT SMP", Verdict::oops},
        {"WARNING: possible circular locking dependency detected", Verdict::lockdep},
        {"watchdog: BUG: soft lockup - CPU#0 stuck for 27s!", Verdict::lockup},
        {"i915 0000:00:02.0: [drm] GPU HANG: ecode 3:1:ffffffff, in x [80]", Verdict::gpu_hang},
        {"DMAR: [DMA Read NO_PASID] Request device [00:02.0]", Verdict::refused_access},
    };
    for (const auto& [line, verdict] : cases) {
        Evidence evidence = good_run();
        evidence.kernel_log += std::string("[ 3.0] ") + line + "\n";
        expect_outcome(evidence, verdict, 1);
    }
}

TEST(Outcome, TheWorstIsNamed) {
    Evidence evidence = running();
    evidence.kernel_log += "GPU HANG: ecode 3\nOops: 0000 [#1]\n"
                           "Kernel panic - not syncing: Fatal exception\n";
    expect_outcome(evidence, Verdict::panic, 1);
}

TEST(Outcome, PanicBeforeTheDriverCannotBeTold) {
    Evidence evidence = loading();
    evidence.kernel_log += "Kernel panic - not syncing: Fatal exception\n";
    expect_outcome(evidence, Verdict::panic, 125);
    evidence.guest = {};
    expect_outcome(evidence, Verdict::panic, 125);
}

TEST(Outcome, TroubleBeforeTheDriversDoesNotCountWhereTheGuestWentOn) {
    Evidence evidence = good_run();
    evidence.kernel_log = "BUG: scheduling while atomic: x\n" + evidence.kernel_log;
    expect_outcome(evidence, Verdict::success, 0);
}

TEST(Outcome, AllowedTrouble) {
    Evidence evidence = good_run();
    evidence.kernel_log += "GPU HANG: ecode 3\n";
    expect_outcome(evidence, Verdict::success, 0, {{Trouble::gpu_hang}, false});
    expect_outcome(evidence, Verdict::gpu_hang, 1, {{Trouble::lockdep}, false});
}

TEST(Outcome, WarningsAreToldAndStrictnessMakesThemBad) {
    Evidence evidence = good_run();
    evidence.kernel_log += "WARNING: CPU: 0 PID: 80 at x.c:7\n[drm] *ERROR* y\n";
    expect_outcome(evidence, Verdict::success, 0);
    EXPECT_EQ(classify(evidence, {}).findings.size(), 2U);
    expect_outcome(evidence, Verdict::complaint, 1, {{}, true});
    expect_outcome(evidence, Verdict::success, 0, {{Trouble::warning, Trouble::error}, true});
}

TEST(Outcome, TimeLimit) {
    Evidence evidence = running();
    evidence.timed_out = true;
    evidence.qemu_status.reset();
    expect_outcome(evidence, Verdict::timed_out, 1);
    evidence = loading();
    evidence.timed_out = true;
    evidence.qemu_status.reset();
    expect_outcome(evidence, Verdict::timed_out, 125);
    evidence.guest = {};
    expect_outcome(evidence, Verdict::timed_out, 125);
}

TEST(Outcome, HangThatRanIntoTheTimeLimitIsAHang) {
    Evidence evidence = running();
    evidence.timed_out = true;
    evidence.kernel_log += "GPU HANG: ecode 3\n";
    expect_outcome(evidence, Verdict::gpu_hang, 1);
}

TEST(Outcome, NoBootAndNoDriver) {
    Evidence evidence = loading();
    evidence.guest = {};
    expect_outcome(evidence, Verdict::no_boot, 125);
    evidence = loading();
    evidence.guest.loading.clear();
    evidence.guest.modules = {{"i915", ENODEV}};
    evidence.guest.ended = true;
    expect_outcome(evidence, Verdict::no_module, 125);
    evidence = good_run();
    evidence.guest.nodes.clear(); // loaded, but it drives nothing
    expect_outcome(evidence, Verdict::no_module, 125);
}

TEST(Outcome, DriversAreKnownByTheirDevices) {
    Evidence evidence = good_run();
    evidence.device.reset();
    evidence.drivers = {"bochs", "virtio-gpu", "vgem"};
    evidence.guest.nodes = {{"card0", "bochs-drm"}, {"card1", "virtio_gpu"}, {"card2", "vgem"}};
    expect_outcome(evidence, Verdict::success, 0);
    evidence.guest.nodes.pop_back();
    expect_outcome(evidence, Verdict::no_module, 125);
}

TEST(Outcome, TheMachinesOwnTroubleIsNotTheKernels) {
    Evidence evidence = running();
    evidence.qemu_status = SIGKILL;
    expect_outcome(evidence, Verdict::guest_killed, 125);
    evidence = running();
    evidence.device_died = true;
    evidence.device_end = "was ended by signal 9 (Killed)";
    evidence.kernel_log += "GPU HANG: ecode 3\n"; // no wonder
    expect_outcome(evidence, Verdict::device_died, 125);
    evidence = good_run();
    // As QEMU 7.2's softmmu/memory.c has it.
    evidence.qemu_errors =
        "qemu-system-x86_64: warning: Blocked re-entrant IO on MemoryRegion: bar at addr: 0x20\n";
    expect_outcome(evidence, Verdict::dropped_access, 125);
    evidence = running();
    expect_outcome(evidence, Verdict::guest_killed, 125);
}

TEST(Outcome, WhatTheModelTells) {
    Evidence evidence = good_run();
    evidence.device->gpu.unknown_registers = {{0x2358, "IER + 0x24", true, false}};
    expect_outcome(evidence, Verdict::success, 0);
    EXPECT_EQ(classify(evidence, {}).complaints.size(), 1U);
    expect_outcome(evidence, Verdict::complaint, 1, {{}, true});
    evidence = good_run();
    evidence.guest.after = 0; // engines ran, and yet no interrupt arrived
    EXPECT_EQ(classify(evidence, {}).complaints.size(), 1U);
    evidence = good_run();
    evidence.device->gpu.faults = {"no page at 0x1000"};
    expect_outcome(evidence, Verdict::refused_access, 1);
    expect_outcome(evidence, Verdict::success, 0, {{Trouble::refused_access}, false});
}

} // namespace
} // namespace gem_upload::vm
