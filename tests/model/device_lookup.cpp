// How the libraries that DRM programs use see the device: one fact a line, "WHERE WHAT: VALUE".
#include "config.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <vector>
#include <xf86drm.h>
#if HAVE_LIBPCIACCESS
#include <pciaccess.h>
#endif

namespace {

void say(const std::string& what, const std::string& value) {
    std::printf("%s: %s\n", what.c_str(), value.c_str());
}

std::string hex(unsigned value) {
    char text[16];
    std::snprintf(text, sizeof text, "%04x", value);
    return text;
}

void by_libdrm() {
    std::vector<drmDevicePtr> devices(8);
    const int count = drmGetDevices2(0, devices.data(), static_cast<int>(devices.size()));
    say("libdrm devices", std::to_string(count));
    if (count < 1) {
        return;
    }
    const drmDevice& device = *devices[0];
    say("libdrm primary", device.nodes[DRM_NODE_PRIMARY]);
    say("libdrm render", device.nodes[DRM_NODE_RENDER]);
    say("libdrm pci",
        hex(device.deviceinfo.pci->vendor_id) + ":" + hex(device.deviceinfo.pci->device_id));
    say("libdrm slot", std::to_string(device.businfo.pci->bus) + ":" +
                           std::to_string(device.businfo.pci->dev) + "." +
                           std::to_string(device.businfo.pci->func));
    drmFreeDevices(devices.data(), count);
}

void by_descriptor() {
    const int fd = ::open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 || ::fstat(fd, &status) != 0) {
        say("fd", "cannot be opened");
        return;
    }
    say("fd kind", S_ISCHR(status.st_mode) ? "character device" : "something else");
    say("fd number",
        std::to_string(major(status.st_rdev)) + ":" + std::to_string(minor(status.st_rdev)));
    if (drmVersionPtr version = drmGetVersion(fd)) {
        say("fd driver", version->name);
        say("fd version", std::to_string(version->version_major) + "." +
                              std::to_string(version->version_minor) + "." +
                              std::to_string(version->version_patchlevel));
        say("fd description", version->desc);
        drmFreeVersion(version);
    }
    if (char* name = drmGetDeviceNameFromFd2(fd)) {
        say("fd name", name);
        drmFree(name);
    }
    drmDevicePtr device = nullptr;
    if (drmGetDevice2(fd, DRM_DEVICE_GET_PCI_REVISION, &device) == 0) {
        say("fd revision", hex(device->deviceinfo.pci->revision_id));
        drmFreeDevice(&device);
    }
    const int copy = ::dup(fd);
    ::close(fd);
    if (drmVersionPtr version = drmGetVersion(copy)) {
        say("copied fd driver", version->name);
        drmFreeVersion(version);
    }
    const std::string again = "/proc/self/fd/" + std::to_string(copy);
    const int reopened = ::open(again.c_str(), O_RDWR | O_CLOEXEC);
    if (drmVersionPtr version = drmGetVersion(reopened)) {
        say("reopened fd driver", version->name);
        drmFreeVersion(version);
    }
}

#if HAVE_LIBPCIACCESS
void by_pciaccess() {
    if (pci_system_init() != 0) {
        say("pciaccess", "cannot be initialised");
        return;
    }
    pci_device* device = pci_device_find_by_slot(0, 0, 2, 0);
    if (device != nullptr && pci_device_probe(device) == 0) {
        say("pciaccess pci", hex(device->vendor_id) + ":" + hex(device->device_id));
        say("pciaccess aperture", std::to_string(device->regions[2].size));
        say("pciaccess class", hex(device->device_class >> 8));
    }
    pci_system_cleanup();
}
#else
void by_pciaccess() {}
#endif

template <typename Function>
Function* symbol(void* library, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

struct Udev;
struct UdevDevice;

void by_udev() {
    void* library = ::dlopen("libudev.so.1", RTLD_NOW);
    if (library == nullptr) {
        say("udev", "not installed");
        return;
    }
    Udev* udev = symbol<Udev*()>(library, "udev_new")();
    UdevDevice* device = symbol<UdevDevice*(Udev*, char, dev_t)>(
        library, "udev_device_new_from_devnum")(udev, 'c', makedev(226, 0));
    if (device == nullptr) {
        say("udev", "finds no device");
        return;
    }
    using Get = const char*(UdevDevice*);
    say("udev node", symbol<Get>(library, "udev_device_get_devnode")(device));
    say("udev path", symbol<Get>(library, "udev_device_get_syspath")(device));
    say("udev subsystem", symbol<Get>(library, "udev_device_get_subsystem")(device));
    UdevDevice* parent =
        symbol<UdevDevice*(UdevDevice*)>(library, "udev_device_get_parent")(device);
    say("udev parent", symbol<Get>(library, "udev_device_get_sysname")(parent));
    say("udev driver", symbol<Get>(library, "udev_device_get_driver")(parent));
    symbol<UdevDevice*(UdevDevice*)>(library, "udev_device_unref")(device);
    symbol<Udev*(Udev*)>(library, "udev_unref")(udev);
}

struct KmodContext;
struct KmodModule;

void by_kmod() {
    void* library = ::dlopen("libkmod.so.2", RTLD_NOW);
    if (library == nullptr) {
        say("kmod", "not installed");
        return;
    }
    KmodContext* context = symbol<KmodContext*(const char*, const char* const*)>(
        library, "kmod_new")(nullptr, nullptr);
    KmodModule* module = nullptr;
    symbol<int(KmodContext*, const char*, KmodModule**)>(library, "kmod_module_new_from_name")(
        context, "i915", &module);
    constexpr int live = 1; // KMOD_MODULE_LIVE
    const int state = symbol<int(const KmodModule*)>(library, "kmod_module_get_initstate")(module);
    say("kmod i915", state == live ? "live" : "state " + std::to_string(state));
    symbol<KmodModule*(KmodModule*)>(library, "kmod_module_unref")(module);
    symbol<KmodContext*(KmodContext*)>(library, "kmod_unref")(context);
}

/// What lies beside the model's files must stay the machine's.
void by_path() {
    const auto exists = [](const char* path) {
        struct stat status {};
        return std::string(::stat(path, &status) == 0 ? "there" : "missing");
    };
    say("path cpus", exists("/sys/devices/system/cpu/cpu0"));
    say("path net", exists("/sys/class/net"));
    say("path null", exists("/dev/null"));
    std::vector<char> link(256);
    const ssize_t length = ::readlink("/sys/dev/char/226:0", link.data(), link.size());
    say("path link",
        length < 0 ? "none" : std::string(link.data(), static_cast<std::size_t>(length)));
    char* real = ::realpath("/sys/class/drm/card0/device", nullptr);
    say("path real", real != nullptr ? real : "none");
    std::free(real);
}

} // namespace

int main() {
    by_libdrm();
    by_descriptor();
    by_pciaccess();
    by_udev();
    by_kmod();
    by_path();
    return 0;
}
