// GEM's naming of objects: handles of one client, global names, and the client itself.
#pragma once

#include "model/front/drm/authentication.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace gem_upload::model {

enum class Node { primary, render };

/// What a handle names.
class GemObject {
public:
    GemObject() = default;
    GemObject(const GemObject&) = delete;
    GemObject& operator=(const GemObject&) = delete;
    virtual ~GemObject() = default;

    /// Page aligned.
    [[nodiscard]] virtual std::uint64_t size() const = 0;

    /// A descriptor of its memory as the CPU sees it; -1 where it cannot be shared.
    [[nodiscard]] virtual int shareable_fd() const = 0;

    /// Handles of all clients; a global name lives as long as there is one.
    std::atomic<unsigned> handles = 0;
};

/// Global names (drm_gem_flink_ioctl).
class GlobalNames {
public:
    /// The object's name, the same each time.
    [[nodiscard]] std::uint32_t name(const std::shared_ptr<GemObject>& object);
    /// nullptr where no object with a handle has the name.
    [[nodiscard]] std::shared_ptr<GemObject> find(std::uint32_t name);

private:
    void forget_closed();

    std::mutex mutex_;
    std::map<std::uint32_t, std::weak_ptr<GemObject>> objects_;
};

/// One open of the device (the kernel's struct drm_file); shared by duplicates of its descriptor.
class Client {
public:
    explicit Client(Node node) : node_(node) {}
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client();

    [[nodiscard]] Node node() const { return node_; }
    [[nodiscard]] Credentials& credentials() { return credentials_; }

    /// The lowest free handle from 1, as the kernel's idr gives.
    [[nodiscard]] std::uint32_t add(std::shared_ptr<GemObject> object);
    /// nullptr when there is none.
    [[nodiscard]] std::shared_ptr<GemObject> find(std::uint32_t handle) const;
    /// Removes the handle and returns what it named, or nullptr.
    [[nodiscard]] std::shared_ptr<GemObject> remove(std::uint32_t handle);
    /// The handle that this client already has for an object, or 0.
    [[nodiscard]] std::uint32_t handle_of(const GemObject& object) const;

private:
    Node node_;
    Credentials credentials_;
    mutable std::mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<GemObject>> objects_;
};

} // namespace gem_upload::model
