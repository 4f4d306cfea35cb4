// GEM's naming of objects: handles of one client, global names, and the client itself.
#pragma once

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
};

/// One open of the device (the kernel's struct drm_file); shared by duplicates of its descriptor.
class Client {
public:
    explicit Client(Node node) : node_(node) {}
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    [[nodiscard]] Node node() const { return node_; }

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
    mutable std::mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<GemObject>> objects_;
};

} // namespace gem_upload::model
