#include "model/front/report.h"

#include <fmt/format.h>
#include <unistd.h>

namespace gem_upload::model {

void Report::print(std::string_view sentence) const {
    // A core's fault names the chip itself.
    const std::string prefix = sentence.starts_with(chip_ + ":") ? "" : chip_ + ": ";
    const std::string line = fmt::format("model: {}{}\n", prefix, sentence);
    // One write, so that lines of several processes do not mix; nothing is to be done if it fails.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void Report::announce() {
    if (!announced_.exchange(true)) {
        print("a software GPU; its speed is this machine's memory, not a GPU's");
    }
}

void Report::condemn(std::string_view sentence) {
    print(sentence);
    condemned_.store(true);
}

void Report::note(std::string_view sentence) const {
    print(sentence);
}

} // namespace gem_upload::model
