#include "asking.h"

#include "answer.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace gem_upload::probe {
namespace {

std::string said_by(const std::function<std::string()>& work) {
    try {
        return work();
    } catch (const CannotAsk& refusal) {
        return refusal.what();
    }
}

[[noreturn]] void say(const std::string& answer, int to) {
    const bool whole =
        ::write(to, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
    ::_exit(whole ? 0 : 1);
}

std::string all_from(int fd) {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const ssize_t got = ::read(fd, part.data(), part.size());
        if (got <= 0) {
            return text;
        }
        text.append(part.data(), static_cast<std::size_t>(got));
    }
}

std::string outcome(int status, std::string said) {
    if (WIFSIGNALED(status)) {
        const char* const name = ::sigabbrev_np(WTERMSIG(status));
        return fmt::format("killed by SIG{}", name != nullptr ? name : "?");
    }
    return status == 0 ? said : fmt::format("ended with {}", WEXITSTATUS(status));
}

} // namespace

std::string in_a_child(const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    insist("pipe", ::pipe(ends.data()) == 0 ? 0 : errno);
    std::fflush(stdout); // else the child has a copy of what is not written yet
    const pid_t child = ::fork();
    insist("fork", child < 0 ? errno : 0);
    if (child == 0) {
        ::close(ends[0]);
        say(said_by(work), ends[1]);
    }
    ::close(ends[1]);
    std::string said = all_from(ends[0]);
    ::close(ends[0]);
    int status = 0;
    insist("waitpid", ::waitpid(child, &status, 0) == child ? 0 : errno);
    return outcome(status, std::move(said));
}

namespace {

std::string answer_to(const Question& question) {
    return said_by([&question] {
        const Client client(question.node);
        return question.answer(client);
    });
}

/// Tells the parent after each answer that it is out.
[[noreturn]] void ask_from(const Questions& questions, std::size_t first, int answered) {
    for (std::size_t i = first; i < questions.size(); ++i) {
        fmt::print("{}: {}\n", questions[i].name, answer_to(questions[i]));
        std::fflush(stdout);
        const char one = '.';
        if (::write(answered, &one, 1) != 1) {
            ::_exit(1);
        }
    }
    std::exit(0); // not _exit(2): what watches the end of programs sees this one
}

struct Asked {
    std::size_t answers;
    int status; ///< of the child, as waitpid(2) tells
};

Asked ask_in_a_child(const Questions& questions, std::size_t first) {
    std::array<int, 2> ends{};
    insist("pipe", ::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno);
    std::fflush(stdout);
    const pid_t child = ::fork();
    insist("fork", child < 0 ? errno : 0);
    if (child == 0) {
        ask_from(questions, first, ends[1]);
    }
    ::close(ends[1]);
    const std::size_t answers = all_from(ends[0]).size();
    ::close(ends[0]);
    int status = 0;
    insist("waitpid", ::waitpid(child, &status, 0) == child ? 0 : errno);
    return {answers, status};
}

} // namespace

bool ask_all(const Questions& questions) {
    bool well = true;
    for (std::size_t next = 0; next < questions.size();) {
        const Asked asked = ask_in_a_child(questions, next);
        well = well && asked.status == 0;
        next += asked.answers;
        if (next < questions.size()) {
            fmt::print("{}: {}\n", questions[next].name, outcome(asked.status, "nothing"));
            ++next;
        }
    }
    return well;
}

} // namespace gem_upload::probe
