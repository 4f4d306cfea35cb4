#include "guest_system.h"

#include "drm/device.h"
#include "util/error.h"
#include "util/files.h"
#include "vm/qemu_command.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace gem_upload::guest {
namespace {

namespace fs = std::filesystem;

constexpr gid_t video_group = 44;

struct FileSystem {
    const char* type;
    const char* place;
    const char* options;
    bool needed;
};

// Not /tmp and /run: the root is in memory, and programs may have been put there.
constexpr FileSystem file_systems[] = {
    {"proc", "/proc", "", true},
    {"sysfs", "/sys", "", true},
    {"devtmpfs", "/dev", "", true},
    {"debugfs", "/sys/kernel/debug", "", false},
    {"tracefs", "/sys/kernel/tracing", "", false},
    {"devpts", "/dev/pts", "", false},
    {"tmpfs", "/dev/shm", "mode=1777", false},
};

void write_to(const fs::path& path, std::string_view text) {
    const UniqueFd fd{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    [[maybe_unused]] const ssize_t count = ::write(fd.get(), text.data(), text.size());
}

} // namespace

void mount_file_systems() {
    ::chmod("/", 0755); // as unpacked it is everyone's
    ::chmod("/tmp", 01777);
    for (const FileSystem& file_system : file_systems) {
        ::mkdir(file_system.place, 0755);
        if (::mount(file_system.type, file_system.place, file_system.type, 0,
                    file_system.options) != 0 &&
            errno != EBUSY && file_system.needed) {
            throw failed_call("mounting", file_system.place, errno);
        }
    }
}

int mount_share() {
    ::mkdir("/share", 0755);
    const char* const options = "trans=virtio,version=9p2000.L,msize=262144";
    return ::mount("share", "/share", "9p", 0, options) == 0 ? 0 : errno;
}

void install_busybox() {
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl("/bin/busybox", "busybox", "--install", "-s", "/bin", nullptr);
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
}

UniqueFd open_line(const std::string& path) {
    UniqueFd fd{::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)};
    if (!fd) {
        throw failed_call("opening", path, errno);
    }
    termios settings{};
    if (::tcgetattr(fd.get(), &settings) != 0) {
        throw failed_call("tcgetattr", path, errno);
    }
    ::cfmakeraw(&settings);
    ::cfsetspeed(&settings, B115200);
    if (::tcsetattr(fd.get(), TCSANOW, &settings) != 0) {
        throw failed_call("tcsetattr", path, errno);
    }
    return fd;
}

void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(fd, text.data(), text.size());
        if (count < 0 && errno != EINTR) {
            throw failed_call("writing", "a serial line", errno);
        }
        text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
}

void permit_nodes() {
    std::error_code absent;
    for (const fs::directory_entry& entry : fs::directory_iterator("/dev/dri", absent)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("renderD")) {
            ::chmod(entry.path().c_str(), 0666);
        } else if (name.starts_with("card")) {
            ::chmod(entry.path().c_str(), 0660);
            [[maybe_unused]] const int done = ::chown(entry.path().c_str(), 0, video_group);
        }
    }
}

std::vector<std::pair<std::string, std::string>> drm_nodes() {
    std::vector<std::pair<std::string, std::string>> nodes;
    for (const drm::Device& device : drm::find_devices()) {
        for (const std::string& node : {device.primary_node, device.render_node}) {
            if (!node.empty()) {
                nodes.emplace_back(fs::path(node).filename(), device.driver);
            }
        }
    }
    return nodes;
}

void release_consoles() {
    std::error_code absent;
    for (const fs::directory_entry& entry :
         fs::directory_iterator("/sys/class/vtconsole", absent)) {
        if (read_first_line(entry.path() / "name").find("frame buffer") != std::string::npos) {
            write_to(entry.path() / "bind", "0");
        }
    }
}

void end_machine() {
    ::sync();
    if (::ioperm(vm::end_port, 2, 1) == 0) {
        ::outb(vm::end_value, vm::end_port);
    }
    ::reboot(RB_POWER_OFF);
    ::reboot(RB_AUTOBOOT);
    for (;;) {
        ::pause();
    }
}

} // namespace gem_upload::guest
