// Every ioctl number that i915 may have, with zeroed arguments, on both nodes: which of them exist,
// and for whom (i915_driver.c, i915_ioctls).
#include "answer.h"
#include "question.h"

#include <array>
#include <fmt/format.h>

namespace gem_upload::probe {
namespace {

constexpr unsigned count = DRM_COMMAND_END - DRM_COMMAND_BASE;
constexpr std::size_t most = 256;

std::string zeroed(const Client& client, unsigned number, std::size_t size) {
    std::array<std::byte, most> arguments{};
    return errno_text(client.attempt(_IOC(size == 0 ? _IOC_NONE : _IOC_READ | _IOC_WRITE,
                                          DRM_IOCTL_BASE, DRM_COMMAND_BASE + number, size),
                                     &arguments));
}

/// Numbers that are not asked: zeroed arguments open a stream that outlasts the question, and the
/// overlay's read registers of a device that sleeps, for which the kernel of 6.1 warns in its log.
bool left_out(unsigned number) {
    return number == DRM_I915_PERF_OPEN || number == DRM_I915_OVERLAY_PUT_IMAGE ||
           number == DRM_I915_OVERLAY_ATTRS;
}

} // namespace

Questions number_questions() {
    Questions questions;
    for (unsigned number = 0; number < count; ++number) {
        if (left_out(number)) {
            continue;
        }
        for (const Node node : {Node::render, Node::primary}) {
            questions.push_back(
                {fmt::format("ioctl {:#04x} zeroed, {} node", number,
                             node == Node::primary ? "primary" : "render"),
                 [number](const Client& client) { return zeroed(client, number, 64); }, node});
        }
        questions.push_back({fmt::format("ioctl {:#04x} without arguments", number),
                             [number](const Client& client) { return zeroed(client, number, 0); }});
    }
    questions.push_back({"ioctl of another type", [](const Client& client) {
                             return errno_text(client.attempt(_IO('x', 1), nullptr));
                         }});
    questions.push_back({"ioctl 0x0f of the core", [](const Client& client) {
                             return errno_text(client.attempt(DRM_IO(0x0f), nullptr));
                         }});
    questions.push_back({"ioctl 0xff of the core", [](const Client& client) {
                             return errno_text(client.attempt(DRM_IO(0xff), nullptr));
                         }});
    return questions;
}

} // namespace gem_upload::probe
