#include "vm/virtual_machine.h"

#include "util/error.h"
#include "vm/byte_stream.h"
#include "vm/lines.h"
#include "vm/process.h"
#include "vm/qmp_client.h"
#include "vm/qtest_client.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <tuple>

namespace gem_upload::vm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto greeting_limit = std::chrono::seconds(30);
constexpr auto end_grace = std::chrono::seconds(5);
constexpr std::size_t kept_errors = 65536;

/// Config space of device 0 by the I/O ports (PCI 3.0, 3.2.2.3.2): GMCH_CTRL at 0x52, 1 MiB stolen.
void write_gmch(QtestClient& qtest) {
    constexpr std::uint16_t address_port = 0xcf8;
    constexpr std::uint16_t data_port = 0xcfc;
    constexpr std::uint32_t device_0_at_0x50 = 0x80000050;
    const std::uint32_t before = qtest.read_port(address_port, 4);
    qtest.write_port(address_port, device_0_at_0x50, 4);
    qtest.write_port(data_port + 2, 0x10, 2);
    qtest.write_port(address_port, before, 4);
}

/// Both ends of a connection between this process and a child, or between two children.
struct Link {
    Link() { std::tie(ours, theirs) = socket_pair(); }
    UniqueFd ours;
    UniqueFd theirs;
};

std::vector<std::string> device_command(const DeviceSpec& device, int proxy, int qtest,
                                        int report) {
    std::vector<std::string> argv = {device.program,
                                     "--chip",
                                     device.chip,
                                     "--execution",
                                     device.execution,
                                     "--delay",
                                     std::to_string(device.delay_microseconds),
                                     "--hang",
                                     std::to_string(device.hang_at),
                                     fmt::format("--proxy={}", proxy),
                                     fmt::format("--qtest={}", qtest),
                                     fmt::format("--report={}", report)};
    if (!device.trace.empty()) {
        argv.insert(argv.end(), {"--trace", device.trace});
    }
    return argv;
}

class Run {
public:
    Run(const RunSpec& spec, const Observer& observer, StopSignals& signals)
        : spec_(spec), observer_(observer), signals_(signals) {
        evidence_.drivers = spec.drivers;
        if (spec_.device) {
            start_device();
        }
        start_qemu();
    }

    Evidence to_end() {
        come_up();
        const auto start = Clock::now();
        while (!has_ended()) {
            if (spec_.limit && !evidence_.timed_out && Clock::now() >= start + *spec_.limit) {
                end_it();
            }
            if (kill_at_ && Clock::now() >= *kill_at_) {
                qemu_->send(SIGKILL);
            }
            wait_for_news();
        }
        drain();
        collect();
        return std::move(evidence_);
    }

private:
    void start_device() {
        ProcessSpec process;
        process.argv = device_command(*spec_.device, proxy_.ours.get(), qtest_.ours.get(),
                                      report_link_.theirs.get());
        process.inherited = {proxy_.ours.get(), qtest_.ours.get(), report_link_.theirs.get()};
        process.errors = STDERR_FILENO;
        process.cpu = spec_.cpu;
        device_.emplace(process, signals_.mask_before());
        // QEMU must see the end of the device, and we the end of its report.
        proxy_.ours = UniqueFd();
        report_link_.theirs = UniqueFd();
    }

    void start_qemu() {
        Machine machine = spec_.machine;
        QemuDescriptors& fds = machine.descriptors;
        fds = {qmp_link_.theirs.get(),
               console_link_.theirs.get(),
               output_link_.theirs.get(),
               error_link_.theirs.get(),
               control_link_.theirs.get(),
               {},
               {}};
        ProcessSpec process;
        process.inherited = {fds.qmp, fds.console, fds.output, fds.errors, fds.control};
        if (spec_.device) {
            fds.qtest = qtest_.theirs.get();
            fds.gpu = proxy_.theirs.get();
            process.inherited.insert(process.inherited.end(), {*fds.qtest, *fds.gpu});
        }
        process.argv = qemu_command(qemu_program, machine);
        process.errors = qemu_error_link_.theirs.get();
        process.cpu = spec_.cpu;
        qemu_.emplace(process, signals_.mask_before());
        for (Link* link : {&qmp_link_, &console_link_, &output_link_, &error_link_, &control_link_,
                           &qtest_, &proxy_, &qemu_error_link_, &report_link_}) {
            link->theirs = UniqueFd();
        }
    }

    /// Until the guest's first instruction.
    void come_up() {
        QmpClient& qmp = qmp_.emplace(std::move(qmp_link_.ours), [this] { check_start(); });
        const std::optional<QemuVersion> version = qmp.connect(greeting_limit);
        if (!version) {
            qemu_->send(SIGKILL);
            drain();
            throw failure(explain_start(evidence_.qemu_errors));
        }
        observer_.started(version->text());
        if (spec_.device) {
            // The device's own copy of this connection is for interrupts, once the guest runs.
            QtestClient qtest(std::move(qtest_.ours));
            if (spec_.device->host_bridge_gmch) {
                write_gmch(qtest);
            }
        }
        qmp.resume();
    }

    /// While QEMU comes up: what would keep it from that.
    void check_start() {
        if (const std::optional<int> signal = signals_.stop()) {
            throw Interrupted{*signal};
        }
        if (const auto status = device_ ? device_->status() : std::nullopt;
            status && *status != 0) {
            throw failure(fmt::format("the device process {} {}", spec_.device->program,
                                      status_text(*status)));
        }
    }

    void wait_for_news() {
        std::vector<pollfd> fds = {{signals_.fd(), POLLIN, 0}};
        for (const ByteStream* stream : streams()) {
            fds.push_back({stream->fd(), POLLIN, 0});
        }
        if (spec_.interactive && output_.fd() >= 0 && input_open_) {
            fds.push_back({STDIN_FILENO, POLLIN, 0});
        }
        constexpr int tick_milliseconds = 100; // how late a time limit may be
        if (::poll(fds.data(), fds.size(), tick_milliseconds) < 0 && errno != EINTR) {
            throw failed_call("waiting for", "the guest", errno);
        }
        if (const std::optional<int> signal = signals_.stop()) {
            throw Interrupted{*signal};
        }
        if (fds.size() > 1 + streams().size() && fds.back().revents != 0) {
            pass_on_keys();
        }
        read_all();
    }

    void pass_on_keys() {
        constexpr char end_key = 0x1d; // Ctrl-]
        char keys[4096];
        const ssize_t count = ::read(STDIN_FILENO, keys, sizeof keys);
        input_open_ = count > 0;
        const std::string_view typed(keys, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (typed.find(end_key) != std::string_view::npos) {
            throw Interrupted{SIGINT};
        }
        output_.write(typed);
    }

    [[nodiscard]] std::vector<const ByteStream*> streams() const {
        return {&console_, &output_, &errors_, &control_, &qemu_errors_, &report_};
    }

    void read_all() {
        console_.read([this](std::string_view text) {
            evidence_.kernel_log += text;
            std::erase(evidence_.kernel_log, '\r'); // a serial console's line ends
        });
        output_.read([this](std::string_view text) { observer_.output(text); });
        errors_.read([this](std::string_view text) {
            observer_.errors(text);
            keep_end(evidence_.command_errors, text);
        });
        control_.read([this](std::string_view text) { take_control(text); });
        qemu_errors_.read([this](std::string_view text) { keep_end(evidence_.qemu_errors, text); });
        report_.read([this](std::string_view text) { report_text_ += text; });
    }

    static void keep_end(std::string& kept, std::string_view text) {
        kept += text;
        if (kept.size() > 2 * kept_errors) {
            kept.erase(0, kept.size() - kept_errors);
        }
    }

    void take_control(std::string_view text) {
        control_text_ += text;
        const std::size_t end = control_text_.rfind('\n') + 1;
        const std::string whole = control_text_.substr(0, end);
        for (const std::string_view line : lines_of(whole)) {
            if (apply_line(evidence_.guest, line)) {
                observer_.told(evidence_.guest, line);
            }
        }
        control_text_.erase(0, end);
    }

    [[nodiscard]] bool has_ended() {
        if (const std::optional<int> status = qemu_->status()) {
            if (!kill_at_) {
                evidence_.qemu_status = status;
            }
            return true;
        }
        // A device that ends in order has seen QEMU's end, which is then about to come.
        const std::optional<int> device = device_ ? device_->status() : std::nullopt;
        if (device && *device != 0) {
            evidence_.device_died = true;
            evidence_.device_end = status_text(*device);
            qemu_->send(SIGKILL);
            kill_at_ = Clock::now() + end_grace;
            return true;
        }
        return false;
    }

    void end_it() {
        evidence_.timed_out = true;
        evidence_.limit_seconds = static_cast<unsigned>(spec_.limit->count());
        kill_at_ = Clock::now() + end_grace;
        qmp_->quit();
    }

    /// What is still on its way, once QEMU is ending; the device's report among it.
    void drain() {
        const auto end = Clock::now() + end_grace;
        const auto is_open = [](const ByteStream* stream) { return stream->fd() >= 0; };
        while (std::ranges::any_of(streams(), is_open) && Clock::now() < end) {
            wait_for_news();
        }
    }

    void collect() {
        if (spec_.device) {
            evidence_.device = report_from_text(report_text_);
            const auto status = device_->status();
            if (status && *status != 0 && !evidence_.device_died) {
                evidence_.device_died = true;
                evidence_.device_end = status_text(*status);
            }
        }
    }

    const RunSpec& spec_;
    const Observer& observer_;
    StopSignals& signals_;
    Evidence evidence_;
    Link qmp_link_, console_link_, output_link_, error_link_, control_link_, qtest_, proxy_,
        report_link_, qemu_error_link_;
    ByteStream console_{std::move(console_link_.ours)};
    ByteStream output_{std::move(output_link_.ours)};
    ByteStream errors_{std::move(error_link_.ours)};
    ByteStream control_{std::move(control_link_.ours)};
    ByteStream qemu_errors_{std::move(qemu_error_link_.ours)};
    ByteStream report_{std::move(report_link_.ours)};
    std::string control_text_;
    std::string report_text_;
    bool input_open_ = true;
    std::optional<Clock::time_point> kill_at_; ///< set: it is we who end it
    std::optional<QmpClient> qmp_;
    // Last, and so ended first.
    std::optional<Process> device_;
    std::optional<Process> qemu_;
};

} // namespace

std::string explain_start(std::string_view qemu_errors) {
    if (qemu_errors.find("x-pci-proxy-dev") != std::string_view::npos) {
        return "this QEMU has no device x-pci-proxy-dev, over which a modelled GPU is plugged in: "
               "take a QEMU that was configured with --enable-multiprocess (Debian's "
               "qemu-system-x86 7.2 is), or --gpu none";
    }
    const std::string last = last_lines(qemu_errors, 1);
    return fmt::format("QEMU did not come up: {}",
                       last.empty() ? "it said nothing" : last.substr(0, last.find('\n')));
}

Evidence run_machine(const RunSpec& spec, const Observer& observer, StopSignals& signals) {
    if (locate_program(qemu_program).empty()) {
        throw failure(fmt::format("there is no {}: install qemu-system-x86", qemu_program));
    }
    return Run(spec, observer, signals).to_end();
}

} // namespace gem_upload::vm
