// QEMU's machine protocol (docs/interop/qmp-spec.txt): what version it is, start, end.
#pragma once

#include "util/unique_fd.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gem_upload::vm {

/// "7.2.22".
struct QemuVersion {
    int major = 0;
    int minor = 0;
    int micro = 0;
    [[nodiscard]] std::string text() const;
};

class QmpClient {
public:
    /// CHECK is called again and again while an answer is waited for; what it throws ends that.
    QmpClient(UniqueFd socket, std::function<void()> check)
        : socket_(std::move(socket)), check_(std::move(check)) {}

    /// Waits for the greeting and leaves negotiation. Nothing where QEMU ended or did not greet in
    /// LIMIT: its standard error and status say why. Throws failure where it does not speak QMP.
    [[nodiscard]] std::optional<QemuVersion> connect(std::chrono::milliseconds limit);
    /// Lets the guest run.
    void resume() { (void)execute("cont"); }
    /// Asks QEMU to end; it may be gone before it answers.
    void quit();

private:
    [[nodiscard]] std::optional<std::string> read_line(std::chrono::milliseconds limit);
    void send(std::string_view name);
    /// The text of the answer. Throws failure where there is none, or an error.
    std::string execute(std::string_view name);

    UniqueFd socket_;
    std::function<void()> check_;
    std::string received_;
};

/// The version in a greeting or an answer to query-version; nothing where it holds none.
[[nodiscard]] std::optional<QemuVersion> version_in_greeting(std::string_view line);

} // namespace gem_upload::vm
