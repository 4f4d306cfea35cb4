#include "drm/device.h"

#include "drm/pci.h"
#include "util/error.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/stat.h>

namespace gem_upload::drm {
namespace {

/// The group that may open a node; the usual one when the node cannot be asked.
std::string group_of(const std::string& node) {
    struct stat status = {};
    if (::stat(node.c_str(), &status) == 0) {
        if (const group* entry = ::getgrgid(status.st_gid); entry != nullptr) {
            return entry->gr_name;
        }
    }
    return node.find("renderD") != std::string::npos ? "render" : "video";
}

} // namespace

const std::string& Device::node() const {
    return render_node.empty() ? primary_node : render_node;
}

std::string Device::label() const {
    if (is_model()) {
        return "model:" + model_chip;
    }
    if (pci_address.empty()) {
        return fmt::format("{} at {}", driver, node());
    }
    return fmt::format("{} {}{} at {}", driver, pci_id_text(vendor_id, device_id),
                       chip != nullptr ? fmt::format(" ({})", chip->name) : "", pci_address);
}

UniqueFd open_device(const Device& device) {
    const std::string& node = device.node();
    UniqueFd fd(::open(node.c_str(), O_RDWR | O_CLOEXEC));
    if (fd) {
        return fd;
    }
    const int error = errno;
    if (error == EACCES || error == EPERM) {
        throw cannot_measure(
            fmt::format("{} may not be opened by this user: join its group with 'usermod -aG {} "
                        "USER' and log in again, or run as root",
                        node, group_of(node)));
    }
    throw failed_call("opening the device", node, error);
}

} // namespace gem_upload::drm
