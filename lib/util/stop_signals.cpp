#include "util/stop_signals.h"

#include "util/error.h"

#include <cerrno>
#include <sys/signalfd.h>

namespace gem_upload {

StopSignals::StopSignals() {
    sigset_t mask;
    ::sigemptyset(&mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
        ::sigaddset(&mask, signal);
    }
    if (::sigprocmask(SIG_BLOCK, &mask, &before_) != 0) {
        throw failed_call("blocking signals", "this process", errno);
    }
    fd_ = UniqueFd(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_) {
        throw failed_call("signalfd", "this process", errno);
    }
}

StopSignals::~StopSignals() {
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> StopSignals::stop() {
    signalfd_siginfo news{};
    while (::read(fd_.get(), &news, sizeof news) == sizeof news) {
        if (news.ssi_signo != SIGCHLD && !signal_) {
            signal_ = static_cast<int>(news.ssi_signo);
        }
    }
    return signal_;
}

} // namespace gem_upload
