// A folder of fake /proc and /sys files that is gone after the test.
#pragma once

#include "drm/roots.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace gem_upload::drm {

class TemporaryTree {
public:
    TemporaryTree() {
        std::string name = std::filesystem::temp_directory_path() / "drm-test-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("no temporary folder");
        }
        path_ = name;
    }
    TemporaryTree(const TemporaryTree&) = delete;
    TemporaryTree& operator=(const TemporaryTree&) = delete;
    ~TemporaryTree() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] SystemRoots roots() const {
        return {.proc = path_ / "proc", .sys = path_ / "sys", .dev = path_ / "dev"};
    }

    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name) << text;
    }
    void make_folder(const std::string& name) const {
        std::filesystem::create_directories(path_ / name);
    }

    /// A display device of Intel's as sysfs shows it; DRIVER empty: unbound.
    void add_gpu(const std::string& address, const std::string& device_id,
                 const std::string& driver) const {
        const std::string folder = "sys/bus/pci/devices/" + address;
        write(folder + "/class", "0x030000\n");
        write(folder + "/vendor", "0x8086\n");
        write(folder + "/device", "0x" + device_id + "\n");
        write(folder + "/modalias",
              "pci:v00008086d0000" + device_id + "sv00001028sd00000276bc03sc00i00\n");
        if (!driver.empty()) {
            bind(address, driver);
        }
    }
    void bind(const std::string& address, const std::string& driver) const {
        make_folder("sys/bus/pci/drivers/" + driver);
        std::filesystem::create_directory_symlink(
            "../../drivers/" + driver, path_ / "sys/bus/pci/devices" / address / "driver");
    }

private:
    std::filesystem::path path_;
};

} // namespace gem_upload::drm
