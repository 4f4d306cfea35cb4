#include "vm/qmp_client.h"

#include "util/error.h"

#include <cerrno>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>

namespace gem_upload::vm {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int check_milliseconds = 50;
constexpr auto answer_limit = std::chrono::seconds(20);

/// QEMU has sent something else than the protocol's objects.
Error not_qmp(std::string_view line) {
    return failure(fmt::format("QEMU's QMP connection sent '{}', which is not QMP", line));
}

} // namespace

std::string QemuVersion::text() const {
    return fmt::format("{}.{}.{}", major, minor, micro);
}

std::optional<QemuVersion> version_in_greeting(std::string_view line) {
    const json greeting = json::parse(line, nullptr, false);
    if (!greeting.is_object() || !greeting.contains("QMP")) {
        return std::nullopt;
    }
    try {
        const json& version = greeting.at("QMP").at("version").at("qemu");
        return QemuVersion{version.at("major").get<int>(), version.at("minor").get<int>(),
                           version.at("micro").get<int>()};
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

std::optional<std::string> QmpClient::read_line(std::chrono::milliseconds limit) {
    const auto end = Clock::now() + limit;
    std::size_t newline = 0;
    while ((newline = received_.find('\n')) == std::string::npos) {
        check_();
        if (Clock::now() >= end) {
            return std::nullopt;
        }
        pollfd news{socket_.get(), POLLIN, 0};
        ::poll(&news, 1, check_milliseconds);
        char buffer[4096];
        const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
            return std::nullopt;
        }
        if (count > 0) {
            received_.append(buffer, static_cast<std::size_t>(count));
        }
    }
    std::string line = received_.substr(0, newline);
    received_.erase(0, newline + 1);
    return line;
}

void QmpClient::send(std::string_view name) {
    const std::string line = json{{"execute", name}}.dump() + "\n";
    if (::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) {
        throw failed_call("writing", "QEMU's QMP connection", errno);
    }
}

std::string QmpClient::execute(std::string_view name) {
    send(name);
    while (const std::optional<std::string> line = read_line(answer_limit)) {
        const json answer = json::parse(*line, nullptr, false);
        if (!answer.is_object()) {
            throw not_qmp(*line);
        }
        if (answer.contains("error")) {
            throw failure(fmt::format("QEMU refused the QMP command {}: {}", name, *line));
        }
        if (answer.contains("return")) {
            return answer.at("return").dump();
        }
        // An event.
    }
    throw failure(fmt::format("QEMU did not answer the QMP command {}", name));
}

std::optional<QemuVersion> QmpClient::connect(std::chrono::milliseconds limit) {
    const std::optional<std::string> greeting = read_line(limit);
    if (!greeting) {
        return std::nullopt;
    }
    const std::optional<QemuVersion> version = version_in_greeting(*greeting);
    if (!version) {
        throw not_qmp(*greeting);
    }
    (void)execute("qmp_capabilities");
    return version;
}

void QmpClient::quit() {
    send("quit");
}

} // namespace gem_upload::vm
