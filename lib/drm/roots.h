// Where the kernel's file trees are: the real ones, or a test's copies.
#pragma once

#include <string>

namespace gem_upload::drm {

struct SystemRoots {
    std::string proc = "/proc";
    std::string sys = "/sys";
    std::string dev = "/dev";
};

} // namespace gem_upload::drm
