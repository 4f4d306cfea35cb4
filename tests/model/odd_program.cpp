// A program that does what ordinary ones seldom do, for tests of the process's side of the model.
// Usage: odd_program CASE [ARGUMENT]...
#include "model/launch.h"
#include "util/error.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <drm.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t page = 4096;

int open_device() {
    return ::open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
}

/// 0 or the errno of asking for the driver's version.
int ask_version(int fd) {
    drm_version version{};
    return ::ioctl(fd, DRM_IOCTL_VERSION, &version) == 0 ? 0 : errno;
}

std::uint32_t create(int fd) {
    drm_i915_gem_create arguments{.size = page, .handle = 0, .pad = 0};
    return ::ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &arguments) == 0 ? arguments.handle : 0;
}

void* map_gtt(int fd, std::uint32_t handle) {
    drm_i915_gem_mmap_gtt arguments{.handle = handle, .pad = 0, .offset = 0};
    if (::ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_GTT, &arguments) != 0) {
        return MAP_FAILED;
    }
    return ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                  static_cast<off_t>(arguments.offset));
}

int set_caching(int fd, std::uint32_t handle) {
    drm_i915_gem_caching arguments{.handle = handle, .caching = I915_CACHING_CACHED};
    return ::ioctl(fd, DRM_IOCTL_I915_GEM_SET_CACHING, &arguments);
}

/// A GTT mapping of an object, snooped from before or from after the mapping was made.
int touch_gtt(bool snooped_before, bool snooped_after) {
    const int fd = open_device();
    const std::uint32_t handle = create(fd);
    if (snooped_before && set_caching(fd, handle) != 0) {
        return 4;
    }
    auto* memory = static_cast<volatile char*>(map_gtt(fd, handle));
    memory[0] = 1;
    if (snooped_after && set_caching(fd, handle) != 0) {
        return 4;
    }
    memory[1] = 2;
    return 0;
}

/// A child that was forked while the device was open goes on with it.
int fork_with_device() {
    const int fd = open_device();
    const std::uint32_t handle = create(fd);
    auto* memory = static_cast<char*>(map_gtt(fd, handle));
    const pid_t child = ::fork();
    if (child == 0) {
        memory[0] = 'c';
        std::_Exit(ask_version(fd) == 0 && create(fd) != 0 ? 0 : 5);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && memory[0] == 'c' ? 0 : 6;
}

/// A descriptor that was the device's is another file's now.
int reuse_descriptor() {
    const int fd = open_device();
    ::close(fd);
    const int other = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    return other == fd && ask_version(other) == ENOTTY ? 0 : 7;
}

/// Two descriptors of one open share their handles, two opens do not.
int share_handles() {
    const int fd = open_device();
    const std::uint32_t handle = create(fd);
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    const int other = open_device();
    drm_gem_close arguments{.handle = handle, .pad = 0};
    const bool foreign = ::ioctl(other, DRM_IOCTL_GEM_CLOSE, &arguments) != 0 && errno == EINVAL;
    const bool shared = ::ioctl(copy, DRM_IOCTL_GEM_CLOSE, &arguments) == 0;
    return foreign && shared ? 0 : 8;
}

/// As a benchmark with --device model:CHIP does.
int enter(const std::string& device, int argc, char** argv) {
    gem_upload::model::enter_model_if_asked(device, argc, argv);
    if (!gem_upload::model::on_model()) {
        return 9;
    }
    const int error = ask_version(open_device());
    std::printf("version: %s\n", error == 0 ? "0" : strerrorname_np(error));
    return error == 0 ? 0 : 10;
}

int run(const std::string& name, int argc, char** argv) {
    if (name == "touch-gtt") {
        return touch_gtt(false, false);
    }
    if (name == "touch-gtt-of-snooped") {
        return touch_gtt(true, false);
    }
    if (name == "touch-gtt-then-snoop") {
        return touch_gtt(false, true);
    }
    if (name == "fork") {
        return fork_with_device();
    }
    if (name == "reuse-descriptor") {
        return reuse_descriptor();
    }
    if (name == "share-handles") {
        return share_handles();
    }
    if (name == "exit-with") {
        return std::atoi(argv[2]);
    }
    if (name == "killed") {
        std::raise(SIGKILL);
    }
    if (name == "enter") {
        return enter(argv[2], argc, argv);
    }
    std::fprintf(stderr, "there is no case '%s'\n", name.c_str());
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc > 1 ? argv[1] : "", argc, argv);
    } catch (const gem_upload::Error& error) {
        std::fprintf(stderr, "odd_program: %s\n", error.what());
        return static_cast<int>(error.status());
    }
}
