#include "guest_command.h"

#include "guest_system.h"
#include "util/error.h"
#include "util/unique_fd.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace gem_upload::guest {
namespace {

struct Pipe {
    Pipe() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            throw failed_call("making a pipe", "the guest", errno);
        }
        out = UniqueFd(ends[0]);
        in = UniqueFd(ends[1]);
    }
    UniqueFd out;
    UniqueFd in;
};

/// Wakes a poll when a child has ended. Blocks SIGCHLD, which children must unblock.
class ChildSignal {
public:
    ChildSignal() {
        ::sigemptyset(&mask_);
        ::sigaddset(&mask_, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &mask_, nullptr);
        fd_ = UniqueFd(::signalfd(-1, &mask_, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    ChildSignal(const ChildSignal&) = delete;
    ChildSignal& operator=(const ChildSignal&) = delete;
    ~ChildSignal() { ::sigprocmask(SIG_UNBLOCK, &mask_, nullptr); }

    [[nodiscard]] int fd() const { return fd_.get(); }
    void take() const {
        signalfd_siginfo news{};
        while (::read(fd_.get(), &news, sizeof news) > 0) {
        }
    }

private:
    sigset_t mask_{};
    UniqueFd fd_;
};

[[noreturn]] void execute(const vm::GuestJob& job, int error_pipe) {
    std::vector<std::string> words = job.command;
    if (words.empty()) {
        words = {"/bin/sh", "-l"};
    }
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvp(pointers[0], pointers.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(error_pipe, &error, sizeof error);
    ::_exit(127);
}

/// Starts the command; PREPARE sets up its streams in the child.
pid_t start(const vm::GuestJob& job, const std::function<void()>& prepare, CommandEnd& end) {
    Pipe failure_pipe;
    const pid_t child = ::fork();
    if (child < 0) {
        end.error = errno;
        return child;
    }
    if (child == 0) {
        ::setsid();
        prepare();
        execute(job, failure_pipe.in.get());
    }
    failure_pipe.in = UniqueFd();
    int error = 0;
    if (::read(failure_pipe.out.get(), &error, sizeof error) == sizeof error) {
        end.error = error;
    }
    return child;
}

/// Reaps all that have ended; true when CHILD was among them.
bool reap(pid_t child, int& child_status) {
    bool found = false;
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0) {
        if (ended == child) {
            child_status = status;
            found = true;
        }
    }
    return found;
}

/// Passes on what has come; false at the end of the stream.
bool pass_on(int from, int to) {
    std::array<char, 16384> buffer;
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count > 0) {
        write_all(to, {buffer.data(), static_cast<std::size_t>(count)});
    }
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

void pass_rest(int from, int to) {
    pollfd news{from, POLLIN, 0};
    while (::poll(&news, 1, 0) > 0 && pass_on(from, to)) {
    }
}

int wait_passing_on(pid_t child, const ChildSignal& signal, Pipe& output, Pipe& errors,
                    int output_line, int error_line) {
    int status = 0;
    while (!reap(child, status)) {
        pollfd fds[] = {
            {signal.fd(), POLLIN, 0}, {output.out.get(), POLLIN, 0}, {errors.out.get(), POLLIN, 0}};
        ::poll(fds, 3, -1);
        signal.take();
        if (fds[1].revents != 0 && !pass_on(output.out.get(), output_line)) {
            output.out = UniqueFd();
        }
        if (fds[2].revents != 0 && !pass_on(errors.out.get(), error_line)) {
            errors.out = UniqueFd();
        }
    }
    // What it left in the background may write on; only what is there now still counts.
    pass_rest(output.out.get(), output_line);
    pass_rest(errors.out.get(), error_line);
    return status;
}

} // namespace

CommandEnd run_command(const vm::GuestJob& job, int output, int errors,
                       const std::function<void()>& started) {
    CommandEnd end;
    const ChildSignal signal;
    Pipe output_pipe;
    Pipe error_pipe;
    const pid_t child = start(
        job,
        [&] {
            const int nowhere = ::open("/dev/null", O_RDONLY);
            ::dup2(nowhere, STDIN_FILENO);
            ::dup2(output_pipe.in.get(), STDOUT_FILENO);
            ::dup2(error_pipe.in.get(), STDERR_FILENO);
            if (nowhere > STDERR_FILENO) {
                ::close(nowhere);
            }
        },
        end);
    output_pipe.in = UniqueFd();
    error_pipe.in = UniqueFd();
    if (end.error == 0) {
        started();
    }
    if (child > 0) {
        end.status = wait_passing_on(child, signal, output_pipe, error_pipe, output, errors);
    }
    return end;
}

CommandEnd run_on_terminal(const vm::GuestJob& job, const char* terminal,
                           const std::function<void()>& started) {
    CommandEnd end;
    started(); // before anything of the command's shows
    const pid_t child = start(
        job,
        [&] {
            const int fd = ::open(terminal, O_RDWR);
            ::ioctl(fd, TIOCSCTTY, 1);
            const winsize size{job.terminal->rows, job.terminal->columns, 0, 0};
            ::ioctl(fd, TIOCSWINSZ, &size);
            for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
                ::dup2(fd, stream);
            }
            if (fd > STDERR_FILENO) {
                ::close(fd);
            }
        },
        end);
    while (child > 0 && !reap(child, end.status)) {
        siginfo_t news{};
        ::waitid(P_ALL, 0, &news, WEXITED | WNOWAIT);
    }
    return end;
}

} // namespace gem_upload::guest
