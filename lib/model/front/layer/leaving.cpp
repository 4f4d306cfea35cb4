// The ways out of a process that pass exit handlers by.
#include "model/front/layer/next.h"
#include "model/front/layer/process.h"

#include <cstdlib>
#include <unistd.h>

namespace {

using namespace gem_upload::model;

/// Runs after the exit handlers, and whether or not the device was ever opened.
[[gnu::destructor]] void leave() {
    remove_own_tree();
}

[[noreturn]] void leave_at_once(int status) {
    using Exit = void(int);
    static Exit* const next = next_function<Exit>("_exit");
    if (Process* here = existing_process()) {
        status = here->final_status(status);
    }
    next(status);
    std::abort(); // not reached: _exit does not return
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

[[noreturn]] void layer_exit_at_once(int status) __asm__("_exit");
[[noreturn]] void layer_exit_at_once_too(int status) __asm__("_Exit");

} // extern "C"
#pragma GCC visibility pop

void layer_exit_at_once(int status) {
    leave_at_once(status);
}
void layer_exit_at_once_too(int status) {
    leave_at_once(status);
}
