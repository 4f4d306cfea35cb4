#include "run_process.h"

#include "util/error.h"
#include "util/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gem_upload::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto grace = std::chrono::seconds(2);
constexpr auto last_grace = std::chrono::seconds(10);
constexpr std::size_t kept_output = 16384;

/// What the child does between fork and exec; only async-signal-safe calls.
[[noreturn]] void become(char* const* argv, int error_pipe, pid_t parent, const sigset_t& mask) {
    ::setpgid(0, 0);
    // The kernel ends this process when its parent dies, unless the parent is dead by now.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) {
        ::_exit(1);
    }
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0 || ::dup2(nowhere, STDIN_FILENO) < 0 || ::dup2(nowhere, STDOUT_FILENO) < 0 ||
        ::dup2(error_pipe, STDERR_FILENO) < 0) {
        ::_exit(1);
    }
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::execv(argv[0], argv);
    ::dprintf(STDERR_FILENO, "%s cannot be started: %s\n", argv[0], strerrordesc_np(errno));
    ::_exit(1);
}

/// A running child; ends it when it is let go of before its end.
class Child {
public:
    Child(const std::vector<std::string>& argv, const sigset_t& mask) : program_(argv.at(0)) {
        std::vector<char*> arguments;
        for (const std::string& argument : argv) {
            arguments.push_back(const_cast<char*>(argument.c_str())); // execv's signature is C's
        }
        arguments.push_back(nullptr);
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
            throw failed_call("making a pipe", "standard error", errno);
        }
        output_ = UniqueFd(ends[0]);
        const UniqueFd input(ends[1]);
        const pid_t parent = ::getpid();
        pid_ = ::fork();
        if (pid_ < 0) {
            throw failed_call("starting", program_, errno);
        }
        if (pid_ == 0) {
            become(arguments.data(), input.get(), parent, mask);
        }
        ::setpgid(pid_, pid_); // both sides do it, so that neither need wait for the other
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (!status_) {
            send(SIGKILL);
        }
    }

    void send(int signal) const { ::kill(-pid_, signal); }
    [[nodiscard]] int output() const { return output_.get(); }
    [[nodiscard]] const std::string& program() const { return program_; }
    [[nodiscard]] pid_t pid() const { return pid_; }

    /// Reads what it has written so far.
    void read_output() {
        char buffer[4096];
        ssize_t count = 0;
        while ((count = ::read(output_.get(), buffer, sizeof buffer)) > 0) {
            text_.append(buffer, static_cast<std::size_t>(count));
            if (text_.size() > 2 * kept_output) {
                text_.erase(0, text_.size() - kept_output);
            }
        }
        at_end_ = at_end_ || count == 0;
    }
    [[nodiscard]] bool output_at_end() const { return at_end_; }
    [[nodiscard]] std::string output_text() const {
        return text_.substr(text_.size() - std::min(text_.size(), kept_output));
    }

    /// Its status in waitpid's form, once it has ended.
    [[nodiscard]] std::optional<int> status() {
        int status = 0;
        if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
            status_ = status;
        }
        return status_;
    }

private:
    std::string program_;
    pid_t pid_ = -1;
    UniqueFd output_;
    std::string text_;
    bool at_end_ = false;
    std::optional<int> status_;
};

/// When the child is to be ended, and how far that has gone.
class Ending {
public:
    explicit Ending(std::chrono::seconds limit) : next_(Clock::now() + limit) {}

    /// The stop signal, or the time limit, has come: begins to end the child, once.
    void begin(Child& child, ProcessEnd::Kind kind) {
        if (step_ == Step::running) {
            kind_ = kind;
            advance(child);
        }
    }
    void check_time(Child& child) {
        if (Clock::now() >= next_) {
            advance(child);
        }
    }
    /// Why the child was ended, or how it ended by itself.
    [[nodiscard]] ProcessEnd::Kind kind_or(ProcessEnd::Kind by_itself) const {
        return step_ == Step::running ? by_itself : kind_;
    }
    [[nodiscard]] int milliseconds_left() const {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(next_ - Clock::now()).count();
        return static_cast<int>(std::clamp<decltype(left)>(left, 0, 3600'000));
    }

private:
    enum class Step { running, asked, killed };

    void advance(Child& child) {
        switch (step_) {
        case Step::running:
            child.send(SIGTERM);
            step_ = Step::asked;
            next_ = Clock::now() + grace;
            return;
        case Step::asked:
            child.send(SIGKILL);
            step_ = Step::killed;
            next_ = Clock::now() + last_grace;
            return;
        case Step::killed:
            throw failure(fmt::format("process {} ({}) cannot be ended, not even by SIGKILL: it "
                                      "hangs in the kernel, see 'dmesg'",
                                      child.pid(), child.program()));
        }
    }

    Step step_ = Step::running;
    Clock::time_point next_;
    ProcessEnd::Kind kind_ = ProcessEnd::Kind::timed_out;
};

void wait_for_news(const Child& child, const StopSignals& signals, const Ending& ending) {
    pollfd fds[] = {{signals.fd(), POLLIN, 0}, {child.output(), POLLIN, 0}};
    const nfds_t count = child.output_at_end() ? 1 : 2;
    if (::poll(fds, count, ending.milliseconds_left()) < 0 && errno != EINTR) {
        throw failed_call("waiting for", child.program(), errno);
    }
}

} // namespace

ProcessEnd run_process(const std::vector<std::string>& argv, std::chrono::seconds time_limit,
                       StopSignals& signals) {
    const auto start = Clock::now();
    Child child(argv, signals.mask_before());
    Ending ending(time_limit);
    std::optional<int> status;
    while (!(status = child.status())) {
        wait_for_news(child, signals, ending);
        child.read_output();
        if (signals.stop()) {
            ending.begin(child, ProcessEnd::Kind::interrupted);
        }
        ending.check_time(child);
    }
    child.read_output();
    ProcessEnd end;
    end.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    end.error_output = child.output_text();
    const bool exited = WIFEXITED(*status);
    end.number = exited ? WEXITSTATUS(*status) : WTERMSIG(*status);
    end.kind = ending.kind_or(exited ? ProcessEnd::Kind::exited : ProcessEnd::Kind::killed);
    if (end.kind == ProcessEnd::Kind::interrupted) {
        end.number = *signals.stop();
    }
    return end;
}

} // namespace gem_upload::tools
