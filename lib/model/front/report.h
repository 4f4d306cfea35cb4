// What the model has to say: one line each on standard error, and a verdict that the process
// cannot outlive.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace gem_upload::model {

/// One per process.
class Report {
public:
    explicit Report(std::string_view chip) : chip_(chip) {}

    /// "model: g45: a software GPU; its speed is this machine's memory, not a GPU's"; once.
    void announce();
    /// The program did what hardware or kernel would not have survived: says so, and from then on
    /// condemned().
    void condemn(std::string_view sentence);
    /// Something that is not the program's doing.
    void note(std::string_view sentence) const;
    [[nodiscard]] bool condemned() const { return condemned_.load(std::memory_order_relaxed); }

private:
    void print(std::string_view sentence) const;

    std::string chip_;
    std::atomic<bool> announced_ = false;
    std::atomic<bool> condemned_ = false;
};

} // namespace gem_upload::model
