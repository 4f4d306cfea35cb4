// Worse than useless: a command line with which QEMU silently drops accesses (two CPUs), lets the
// guest reboot for ever, or takes another device for the GPU; and a client that waits for an answer
// that does not come.
#include "vm/qemu_command.h"
#include "vm/qmp_client.h"
#include "vm/qtest_client.h"
#include "vm/virtual_machine.h"

#include "util/error.h"
#include "vm/process.h"

#include <algorithm>
#include <future>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace gem_upload::vm {
namespace {

using namespace std::chrono_literals;

Machine machine() {
    Machine result;
    result.kernel = "/k/vmlinux";
    result.initramfs = "/k/initramfs";
    result.command_line = "console=ttyS0";
    result.descriptors = {3, 4, 5, 6, 7, {}, {}};
    return result;
}

bool has(const std::vector<std::string>& argv, const std::vector<std::string>& words) {
    return std::search(argv.begin(), argv.end(), words.begin(), words.end()) != argv.end();
}

TEST(QemuCommand, WhatEveryGuestNeeds) {
    const auto argv = qemu_command("qemu", machine());
    EXPECT_EQ(argv.front(), "qemu");
    EXPECT_TRUE(has(argv, {"-smp", "1"})) << "with two, QEMU drops accesses";
    EXPECT_TRUE(has(argv, {"-no-reboot"}));
    EXPECT_TRUE(has(argv, {"-S"}));
    EXPECT_TRUE(has(argv, {"-kernel", "/k/vmlinux"}));
    EXPECT_TRUE(has(argv, {"-append", "console=ttyS0"}));
    EXPECT_TRUE(has(argv, {"-object", "memory-backend-memfd,id=mem,size=512M,share=on"}))
        << "the device maps it";
    EXPECT_TRUE(has(argv, {"-accel", "tcg,thread=multi"}));
    EXPECT_FALSE(has(argv, {"-qtest", "chardev:qtest"}));
}

TEST(QemuCommand, SerialLinesAreInTheGuestsOrder) {
    const auto argv = qemu_command("qemu", machine());
    std::vector<std::string> lines;
    for (std::size_t i = 0; i + 1 < argv.size(); ++i) {
        if (argv[i] == "-serial") {
            lines.push_back(argv[i + 1]);
        }
    }
    EXPECT_EQ(lines, (std::vector<std::string>{"chardev:console", "chardev:output",
                                               "chardev:errors", "chardev:control"}));
    EXPECT_TRUE(has(argv, {"-chardev", "socket,id=console,fd=4"}));
    EXPECT_TRUE(has(argv, {"-chardev", "socket,id=control,fd=7"}));
}

TEST(QemuCommand, ModelledGpu) {
    Machine with_gpu = machine();
    with_gpu.descriptors.qtest = 8;
    with_gpu.descriptors.gpu = 9;
    const auto argv = qemu_command("qemu", with_gpu);
    EXPECT_TRUE(has(argv, {"-device", "x-pci-proxy-dev,id=gpu,addr=02.0,fd=9"}));
    EXPECT_TRUE(has(argv, {"-chardev", "socket,id=qtest,fd=8"})) << "7.2 wants this very name";
    EXPECT_TRUE(has(argv, {"-qtest", "chardev:qtest"}));
}

TEST(QemuCommand, CommasInPathsStayThere) {
    Machine sharing = machine();
    sharing.share = "/a,b";
    const auto argv = qemu_command("qemu", sharing);
    EXPECT_TRUE(has(argv, {"-fsdev", "local,id=share,security_model=none,path=/a,,b"}));
}

TEST(QemuCommand, KernelEndsInsteadOfHanging) {
    const std::string line = kernel_command_line("i915.reset=0");
    EXPECT_NE(line.find("panic=-1"), std::string::npos);
    EXPECT_TRUE(line.ends_with(" i915.reset=0")) << "the user's words come last, and so win";
    EXPECT_FALSE(kernel_command_line("").ends_with(" "));
}

TEST(Qmp, VersionOfAGreeting) {
    // As QEMU 7.2 sends it.
    const auto version = version_in_greeting(
        R"({"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": "Debian"}, "capabilities": ["oob"]}})");
    ASSERT_TRUE(version);
    EXPECT_EQ(version->text(), "7.2.22");
    EXPECT_FALSE(version_in_greeting("{}"));
    EXPECT_FALSE(version_in_greeting("qemu: no"));
    EXPECT_FALSE(version_in_greeting(R"({"QMP": {"version": 7}})"));
}

std::string receive(const UniqueFd& fd) {
    char buffer[512];
    const ssize_t count = ::recv(fd.get(), buffer, sizeof buffer, 0);
    return {buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

void send_text(const UniqueFd& fd, std::string_view text) {
    ASSERT_EQ(::send(fd.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
}

TEST(Qmp, NegotiatesAndSkipsEvents) {
    auto [ours, theirs] = socket_pair();
    QmpClient client(std::move(ours), [] {});
    auto connected = std::async(std::launch::async, [&] { return client.connect(5s); });
    send_text(theirs, R"({"QMP": {"version": {"qemu": {"micro": 0, "minor": 2, "major": 7}}}})"
                      "\r\n");
    EXPECT_NE(receive(theirs).find("qmp_capabilities"), std::string::npos);
    send_text(theirs, "{\"event\": \"RESUME\"}\n{\"return\": {}}\n");
    EXPECT_TRUE(connected.get());
    auto resumed = std::async(std::launch::async, [&] { client.resume(); });
    EXPECT_NE(receive(theirs).find("\"cont\""), std::string::npos);
    send_text(theirs, "{\"error\": {\"class\": \"GenericError\", \"desc\": \"no\"}}\n");
    EXPECT_THROW(resumed.get(), Error);
}

TEST(Qmp, QemuThatEndsAtOnceIsNoGreeting) {
    auto [ours, theirs] = socket_pair();
    QmpClient client(std::move(ours), [] {});
    theirs = UniqueFd();
    EXPECT_FALSE(client.connect(5s));
}

TEST(Qmp, ItsCheckEndsTheWait) {
    auto [ours, theirs] = socket_pair();
    QmpClient client(std::move(ours), [] { throw failure("the device is gone"); });
    EXPECT_THROW((void)client.connect(30s), Error);
}

TEST(Qtest, PortsAndRefusals) {
    auto [ours, theirs] = socket_pair();
    QtestClient client(std::move(ours));
    auto read = std::async(std::launch::async, [&] { return client.read_port(0xcf8, 4); });
    EXPECT_EQ(receive(theirs), "inl 0xcf8\n");
    send_text(theirs, "OK 0x80000050\n");
    EXPECT_EQ(read.get(), 0x80000050U);
    auto write = std::async(std::launch::async, [&] { client.write_port(0xcfe, 0x10, 2); });
    EXPECT_EQ(receive(theirs), "outw 0xcfe 0x10\n");
    send_text(theirs, "FAIL Unknown command\n");
    EXPECT_THROW(write.get(), Error);
    theirs = UniqueFd();
    EXPECT_THROW(client.command("inb 0"), QtestGone);
}

TEST(ExplainStart, NamesWhatIsMissing) {
    EXPECT_NE(explain_start("qemu: -device x-pci-proxy-dev,id=gpu: 'x-pci-proxy-dev' is not a "
                            "valid device model name\n")
                  .find("--enable-multiprocess"),
              std::string::npos);
    EXPECT_EQ(explain_start("qemu: could not load kernel\n"),
              "QEMU did not come up: qemu: could not load kernel");
    EXPECT_EQ(explain_start(""), "QEMU did not come up: it said nothing");
}

} // namespace
} // namespace gem_upload::vm
