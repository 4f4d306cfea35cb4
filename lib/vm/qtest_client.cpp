#include "vm/qtest_client.h"

#include <cerrno>
#include <charconv>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace gem_upload::vm {
namespace {

char width_letter(unsigned bytes) {
    return bytes == 1 ? 'b' : bytes == 2 ? 'w' : 'l';
}

} // namespace

QtestClient::QtestClient(UniqueFd socket)
    : socket_(std::move(socket)), wake_(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_) {
        throw failed_call("eventfd", "this process", errno);
    }
    set_waiting(true);
}

void QtestClient::set_waiting(bool allowed) {
    std::uint64_t count = 1;
    // Readable: nobody may wait. Neither call blocks or can fail in a way that matters.
    [[maybe_unused]] const ssize_t done = allowed ? ::read(wake_.get(), &count, sizeof count)
                                                  : ::write(wake_.get(), &count, sizeof count);
}

bool QtestClient::take_line(std::string& line) {
    const std::size_t end = received_.find('\n');
    if (end == std::string::npos) {
        return false;
    }
    line = received_.substr(0, end);
    received_.erase(0, end + 1);
    return true;
}

QtestClient::Answer QtestClient::wait_for_line() {
    Answer answer;
    while (!take_line(answer.text)) {
        pollfd fds[] = {{socket_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
        if (::poll(fds, 2, -1) < 0 && errno != EINTR) {
            throw failed_call("waiting for", "QEMU's qtest connection", errno);
        }
        if ((fds[1].revents & POLLIN) != 0) {
            return answer;
        }
        char buffer[512];
        const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
            throw QtestGone();
        }
        if (count > 0) {
            received_.append(buffer, static_cast<std::size_t>(count));
        }
    }
    answer.complete = true;
    return answer;
}

void QtestClient::check(std::string_view command, const std::string& line) const {
    if (!line.starts_with("OK")) {
        throw failure(fmt::format("QEMU refused the qtest command '{}': {}", command, line));
    }
}

std::string QtestClient::command(std::string_view command) {
    const std::scoped_lock lock(mutex_);
    const std::string line = fmt::format("{}\n", command);
    if (::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) {
        throw QtestGone();
    }
    ++unanswered_;
    Answer answer;
    while (unanswered_ > 0) {
        answer = wait_for_line();
        if (!answer.complete) {
            return "";
        }
        --unanswered_;
        check(command, answer.text);
    }
    return answer.text.size() > 3 ? answer.text.substr(3) : "";
}

std::uint32_t QtestClient::read_port(std::uint16_t port, unsigned bytes) {
    const std::string answer = command(fmt::format("in{} {:#x}", width_letter(bytes), port));
    std::uint32_t value = 0;
    const char* const begin = answer.data() + (answer.starts_with("0x") ? 2 : 0);
    if (std::from_chars(begin, answer.data() + answer.size(), value, 16).ec != std::errc{}) {
        throw failure(fmt::format("QEMU answered '{}' to a qtest read of a port", answer));
    }
    return value;
}

void QtestClient::write_port(std::uint16_t port, std::uint32_t value, unsigned bytes) {
    command(fmt::format("out{} {:#x} {:#x}", width_letter(bytes), port, value));
}

} // namespace gem_upload::vm
