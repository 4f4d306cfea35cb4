// Telling what the model asks of libc from what the program asks.
#pragma once

namespace gem_upload::model {

/// Says, for its lifetime, that this thread is at work for the model: no path is redirected, and no
/// clock is watched.
class InsideModel {
public:
    InsideModel();
    InsideModel(const InsideModel&) = delete;
    InsideModel& operator=(const InsideModel&) = delete;
    ~InsideModel();
    [[nodiscard]] static bool now();

private:
    bool before_;
};

} // namespace gem_upload::model
