// Worse than useless: a command that reaches the guest changed (a lost argument, a line break that
// ends it), or a report that is misread, so that a failure counts as success.
#include "vm/device_report.h"
#include "vm/guest_job.h"
#include "vm/guest_record.h"

#include "util/error.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace gem_upload::vm {
namespace {

TEST(GuestJob, EveryTextSurvives) {
    GuestJob job;
    job.support = {"virtio_pci"};
    job.drivers = {"i915", "vgem"};
    job.share = true;
    job.terminal = GuestJob::Terminal{50, 132, "xterm-256color"};
    job.path = "/usr/bin:/a b%20";
    job.command = {"sh", "-c", "echo 'a\nb'\t%0a %\\ \"x\" \xc3\xa4", "", " "};
    const GuestJob back = job_from_text(job_to_text(job));
    EXPECT_EQ(back.support, job.support);
    EXPECT_EQ(back.drivers, job.drivers);
    EXPECT_TRUE(back.share);
    ASSERT_TRUE(back.terminal);
    EXPECT_EQ(back.terminal->rows, 50);
    EXPECT_EQ(back.terminal->columns, 132);
    EXPECT_EQ(back.terminal->type, "xterm-256color");
    EXPECT_EQ(back.path, job.path);
    EXPECT_EQ(back.command, job.command);
}

TEST(GuestJob, UnknownLinesAreRefused) {
    EXPECT_THROW((void)job_from_text("path /bin\nfrobnicate yes\n"), Error);
}

TEST(GuestRecord, AWholeRun) {
    GuestRecord record;
    const std::string text = release_line("6.1.0-57-amd64") + loading_line("i915") +
                             module_line("i915", 0) + node_line("card0", "i915") +
                             number_line("interrupts-before", 2) + std::string(running_line) +
                             number_line("status", 256) + number_line("interrupts-after", 209) +
                             std::string(ended_line);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
        EXPECT_TRUE(apply_line(record, text.substr(begin, end - begin)));
    }
    EXPECT_EQ(record.release, "6.1.0-57-amd64");
    EXPECT_TRUE(record.loading.empty());
    ASSERT_EQ(record.modules.size(), 1U);
    EXPECT_EQ(record.modules[0], (std::pair<std::string, int>{"i915", 0}));
    EXPECT_FALSE(record.has_failed_module());
    EXPECT_EQ(record.nodes.size(), 1U);
    EXPECT_TRUE(record.running);
    EXPECT_EQ(record.before, 2U);
    EXPECT_EQ(record.after, 209U);
    EXPECT_EQ(record.status, 256);
    EXPECT_TRUE(record.ended);
}

TEST(GuestRecord, FailuresAreKept) {
    GuestRecord record;
    EXPECT_TRUE(apply_line(record, "loading i915"));
    EXPECT_EQ(record.loading, "i915");
    EXPECT_TRUE(apply_line(record, "module i915 19"));
    EXPECT_TRUE(record.has_failed_module());
    EXPECT_FALSE(record.loaded());
    EXPECT_TRUE(apply_line(record, "unstarted 2"));
    EXPECT_EQ(record.unstarted, ENOENT);
    EXPECT_TRUE(record.loaded());
}

TEST(GuestRecord, GarbageChangesNothing) {
    GuestRecord record;
    for (const char* line : {"", " ", "status", "status x", "status 1x", "module i915",
                             "module i915 x", "\x80\xff", "statuss 0", "runningg"}) {
        EXPECT_FALSE(apply_line(record, line)) << line;
    }
    EXPECT_FALSE(record.status);
    EXPECT_TRUE(record.modules.empty());
}

// As /proc/interrupts had it on a modelled g33 and, below, on Sandy Bridge.
constexpr const char* interrupts = "           CPU0       \n"
                                   "  0:        232   IO-APIC   2-edge      timer\n"
                                   " 22:         13   IO-APIC  22-fasteoi   i915\n"
                                   " 23:          5   IO-APIC  23-fasteoi   virtio2, i915_pmu\n"
                                   " 24:         29   PCI-MSI 32768-edge      i915\n"
                                   "NMI:          0   Non-maskable interrupts\n";

TEST(Interrupts, OfTheDriver) {
    EXPECT_EQ(count_interrupts(interrupts, {"i915"}), 42U);
    EXPECT_EQ(count_interrupts(interrupts, {"vgem"}), 0U);
    EXPECT_EQ(count_interrupts(interrupts, {}), 0U);
    EXPECT_EQ(count_interrupts(" 22:  3  4   IO-APIC  22-fasteoi   i915\n", {"i915"}), 7U);
    EXPECT_EQ(count_interrupts("", {"i915"}), 0U);
}

TEST(DeviceReport, Survives) {
    DeviceReport report;
    report.link = {1, 2, 3, 4, 5, "it\nbroke"};
    report.gpu.interrupts = 6;
    report.gpu.resets = 7;
    report.gpu.engines = {{"rcs0", 8, 9, 10}, {"bcs0", 11, 12, 13}};
    report.gpu.faults = {"no page at 0x10"};
    report.gpu.unknown_registers = {{0x2358, "IER + 0x24", true, false}, {0x10, "", false, true}};
    report.gpu.unknown_commands = {"0x7f000000 in the ring"};
    const std::string text = report_to_text(report);
    const DeviceReport back = report_from_text(text);
    EXPECT_TRUE(back.complete);
    EXPECT_EQ(back.link.config_accesses, 1U);
    EXPECT_EQ(back.link.bar_accesses, 2U);
    EXPECT_EQ(back.link.missed_accesses, 3U);
    EXPECT_EQ(back.link.trouble, "it broke");
    EXPECT_EQ(back.gpu.interrupts, 6U);
    EXPECT_EQ(back.gpu.resets, 7U);
    EXPECT_EQ(back.batches(), 19U);
    EXPECT_EQ(back.gpu.engines.at(1).resets, 13U);
    EXPECT_EQ(back.gpu.faults, report.gpu.faults);
    EXPECT_EQ(back.gpu.unknown_commands, report.gpu.unknown_commands);
    ASSERT_EQ(back.gpu.unknown_registers.size(), 2U);
    EXPECT_EQ(back.gpu.unknown_registers[0].offset, 0x2358U);
    EXPECT_EQ(back.gpu.unknown_registers[0].near, "IER + 0x24");
    EXPECT_TRUE(back.gpu.unknown_registers[0].read);
    EXPECT_FALSE(back.gpu.unknown_registers[0].written);
    EXPECT_TRUE(back.gpu.unknown_registers[1].written);
    EXPECT_FALSE(report_from_text(text.substr(0, text.size() - 4)).complete)
        << "a device that was killed does not tell all";
}

} // namespace
} // namespace gem_upload::vm
