// The ioctls that every DRM driver answers alike.
#pragma once

#include "model/front/drm/driver.h"

#include <span>

namespace gem_upload::model {

[[nodiscard]] std::span<const Ioctl> core_ioctls();

/// A client that knows its driver: what the core's ioctls need.
class CoreClient : public Client {
public:
    CoreClient(Node node, Driver& driver) : Client(node), driver_(driver) {
        if (node == Node::primary) {
            driver.authentication().opened(credentials());
        }
    }
    ~CoreClient() override { driver_.authentication().closed(credentials()); }
    [[nodiscard]] Driver& driver() { return driver_; }

private:
    Driver& driver_;
};

} // namespace gem_upload::model
