// Worse than useless: a link that answers an access before the interrupt it caused has arrived (the
// guest then waits for nothing), that waits for QEMU while QEMU waits for it (both hang for ever),
// or that reads another piece of memory than the guest's. The test is QEMU.
#include "vm/mpqemu_link.h"

#include "fake_function.h"
#include "util/error.h"
#include "vm/process.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>

namespace gem_upload::vm {
namespace {

using namespace std::chrono_literals;

class Link : public testing::Test {
protected:
    Link() {
        UniqueFd proxy_theirs;
        UniqueFd qtest_theirs;
        std::tie(proxy, proxy_theirs) = socket_pair();
        std::tie(qtest, qtest_theirs) = socket_pair();
        link.emplace(std::move(proxy_theirs), std::move(qtest_theirs));
        function.machine = &*link;
        serving = std::async(std::launch::async, [this] { link->serve(function); });
    }
    ~Link() override {
        proxy = UniqueFd();
        serving.wait();
    }

    void send(std::int32_t command, const void* payload, std::uint64_t bytes, int fd = -1) const {
        std::byte raw[256]{};
        std::memcpy(raw, &command, 4);
        std::memcpy(raw + 8, &bytes, 8);
        std::copy_n(static_cast<const std::byte*>(payload), bytes, raw + 16);
        iovec piece{raw, 16 + bytes};
        msghdr header{};
        header.msg_iov = &piece;
        header.msg_iovlen = 1;
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)]{};
        if (fd >= 0) {
            header.msg_control = control;
            header.msg_controllen = sizeof control;
            cmsghdr* const rights = CMSG_FIRSTHDR(&header);
            rights->cmsg_level = SOL_SOCKET;
            rights->cmsg_type = SCM_RIGHTS;
            rights->cmsg_len = CMSG_LEN(sizeof fd);
            std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
        }
        ASSERT_EQ(::sendmsg(proxy.get(), &header, 0), static_cast<ssize_t>(16 + bytes));
    }
    void send_bar(bool write, std::uint64_t address, std::uint64_t value,
                  bool memory = true) const {
        struct {
            std::uint64_t address, value;
            std::uint32_t bytes;
            std::uint8_t memory, rest[3];
        } payload{address, value, 4, memory, {}};
        send(write ? 4 : 5, &payload, sizeof payload);
    }
    void send_config(bool write, std::uint32_t offset, std::uint32_t value) const {
        const std::uint32_t payload[3] = {offset, value, 4};
        send(write ? 2 : 3, payload, sizeof payload);
    }

    [[nodiscard]] bool has_answer(std::chrono::milliseconds limit) const {
        pollfd news{proxy.get(), POLLIN, 0};
        return ::poll(&news, 1, static_cast<int>(limit.count())) > 0;
    }
    [[nodiscard]] std::uint64_t answer() const {
        std::uint64_t raw[3]{};
        EXPECT_EQ(::recv(proxy.get(), raw, sizeof raw, MSG_WAITALL),
                  static_cast<ssize_t>(sizeof raw));
        return raw[2];
    }
    [[nodiscard]] std::string qtest_line() const {
        std::string line;
        char character = 0;
        while (::recv(qtest.get(), &character, 1, 0) == 1 && character != '\n') {
            line += character;
        }
        return line;
    }
    void qtest_ok() const { ASSERT_EQ(::send(qtest.get(), "OK\n", 3, 0), 3); }

    UniqueFd proxy;
    UniqueFd qtest;
    FakeFunction function;
    std::optional<MpqemuLink> link;
    std::future<void> serving;
};

TEST_F(Link, AbsoluteAddressesBecomeBarAndOffset) {
    function.set_bar(0, 0xfeb00000, 0x80000);
    function.set_bar(1, 0xc061, 16); // an I/O BAR
    function.set_bar(2, 0xe0000008, 0x10000000);
    send_bar(true, 0xfeb02030, 77);
    EXPECT_EQ(answer(), 0U);
    EXPECT_EQ(function.last, (FakeFunction::Access{0, 0x2030, 77}));
    send_bar(false, 0xe0000004, 0);
    EXPECT_EQ(answer(), FakeFunction::read_value);
    EXPECT_EQ(function.last, (FakeFunction::Access{2, 4, 0}));
    send_bar(false, 0xc064, 0, false);
    EXPECT_EQ(answer(), FakeFunction::read_value);
    EXPECT_EQ(function.last, (FakeFunction::Access{1, 4, 0}));
    send_bar(false, 0xc064, 0); // memory of that address is no BAR
    EXPECT_EQ(answer(), ~std::uint64_t{0});
    EXPECT_EQ(link->report().missed_accesses, 1U);
}

TEST_F(Link, BarsAreFollowedWhereTheGuestMovesThem) {
    function.set_bar(0, 0xfeb00000, 0x80000);
    send_bar(true, 0xfeb00010, 1);
    (void)answer();
    send_config(true, 0x10, 0xd0000000);
    EXPECT_EQ(answer(), 0U);
    send_bar(true, 0xd0000010, 2);
    (void)answer();
    EXPECT_EQ(function.last, (FakeFunction::Access{0, 0x10, 2}));
    send_bar(true, 0xfeb00010, 3);
    (void)answer();
    EXPECT_EQ(function.last.value, 2U) << "nothing is there any more";
}

TEST_F(Link, AnInterruptArrivesBeforeTheAccessIsAnswered) {
    function.set_bar(0, 0xfeb00000, 0x80000);
    send_bar(true, 0xfeb00000 + FakeFunction::raise_register, 1);
    EXPECT_EQ(qtest_line(), "set_irq_in /machine/q35/ioapic unnamed-gpio-in 22 1");
    EXPECT_FALSE(has_answer(50ms)) << "the guest must not go on without its interrupt";
    qtest_ok();
    EXPECT_EQ(answer(), 0U);
    // The same level once more is no news for QEMU.
    send_bar(true, 0xfeb00000 + FakeFunction::raise_register, 1);
    EXPECT_EQ(answer(), 0U);
    send_bar(true, 0xfeb00000 + FakeFunction::raise_register, 0);
    EXPECT_EQ(qtest_line(), "set_irq_in /machine/q35/ioapic unnamed-gpio-in 22 0");
    qtest_ok();
    EXPECT_EQ(answer(), 0U);
    EXPECT_EQ(link->report().raised, 1U);
}

TEST_F(Link, MessagesAreWrittenToTheirAddress) {
    function.set_bar(0, 0xfeb00000, 0x80000);
    send_bar(true, 0xfeb00000 + FakeFunction::message_register, 0x4321);
    EXPECT_EQ(qtest_line(), "writel 0xfee00000 0x4321");
    qtest_ok();
    EXPECT_EQ(answer(), 0U);
}

TEST_F(Link, NothingWaitsForQemuWhileQemuIsBeingMade) {
    // QEMU's main thread waits for this answer, and would answer qtest only afterwards.
    send_config(true, FakeFunction::raise_config, 1);
    ASSERT_TRUE(has_answer(5s));
    EXPECT_EQ(answer(), 0U);
    EXPECT_EQ(qtest_line(), "set_irq_in /machine/q35/ioapic unnamed-gpio-in 22 1");
    qtest_ok();
    // The late answer is not taken for that of the next command.
    function.set_bar(0, 0xfeb00000, 0x80000);
    send_bar(true, 0xfeb00000 + FakeFunction::raise_register, 0);
    EXPECT_EQ(qtest_line(), "set_irq_in /machine/q35/ioapic unnamed-gpio-in 22 0");
    EXPECT_FALSE(has_answer(50ms));
    qtest_ok();
    EXPECT_EQ(answer(), 0U);
}

TEST_F(Link, AResetLetsGoWhoWaitsForQemu) {
    function.set_bar(0, 0xfeb00000, 0x80000);
    send_bar(false, 0xfeb00000, 0);
    (void)answer();
    auto engine = std::async(std::launch::async, [this] { link->set_interrupt(true); });
    EXPECT_EQ(qtest_line(), "set_irq_in /machine/q35/ioapic unnamed-gpio-in 22 1");
    send(7, nullptr, 0); // and no OK
    ASSERT_TRUE(has_answer(5s));
    EXPECT_EQ(answer(), 0U);
    EXPECT_EQ(engine.wait_for(5s), std::future_status::ready);
    EXPECT_EQ(function.resets, 1);
}

TEST_F(Link, MemoryIsWhatQemuHandsOver) {
    const UniqueFd memory{::memfd_create("guest", MFD_CLOEXEC)};
    ASSERT_EQ(::ftruncate(memory.get(), 0x3000), 0);
    const std::uint32_t value = 0xfeedbeef;
    ASSERT_EQ(::pwrite(memory.get(), &value, 4, 0x1010), 4);
    std::uint64_t sync[24]{};
    sync[0] = 0x100000; // gpa
    sync[8] = 0x2000;   // size
    sync[16] = 0x1000;  // offset in the descriptor
    send(0, sync, sizeof sync, memory.get());
    send_config(false, 0, 0); // SYNC_SYSMEM is not answered; this tells that it is done
    EXPECT_EQ(answer(), FakeFunction::read_value & 0xffffffff);
    const auto span = link->memory(0x100010);
    ASSERT_EQ(span.size(), 0x1ff0U);
    EXPECT_EQ(std::memcmp(span.data(), &value, 4), 0);
    EXPECT_TRUE(link->memory(0x102000).empty());
    EXPECT_TRUE(link->memory(0xfffff).empty());
    EXPECT_EQ(function.pauses, 1) << "no engine may run on a mapping that goes away";
    EXPECT_EQ(function.resumes, 1);
    sync[0] = 0x800000;
    send(0, sync, sizeof sync, memory.get());
    send_config(false, 0, 0);
    (void)answer();
    EXPECT_TRUE(link->memory(0x100010).empty()) << "a new map takes the old one's place";
    EXPECT_FALSE(link->memory(0x800010).empty());
}

TEST_F(Link, EndsWhenQemuDoes) {
    proxy = UniqueFd();
    ASSERT_EQ(serving.wait_for(5s), std::future_status::ready);
    EXPECT_NO_THROW(serving.get());
    serving = std::async(std::launch::deferred, [] {});
}

TEST_F(Link, AnotherProtocolIsRefused) {
    send(42, nullptr, 0);
    ASSERT_EQ(serving.wait_for(5s), std::future_status::ready);
    EXPECT_THROW(serving.get(), Error);
    serving = std::async(std::launch::deferred, [] {});
}

} // namespace
} // namespace gem_upload::vm
