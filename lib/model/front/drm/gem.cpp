#include "model/front/drm/gem.h"

#include <algorithm>
#include <utility>

namespace gem_upload::model {

std::uint32_t GlobalNames::name(const std::shared_ptr<GemObject>& object) {
    const std::lock_guard lock(mutex_);
    forget_closed();
    std::uint32_t free = 1;
    for (const auto& [name, named] : objects_) {
        if (named.lock() == object) {
            return name;
        }
        free = free == name ? name + 1 : free;
    }
    objects_.emplace(free, object);
    return free;
}

std::shared_ptr<GemObject> GlobalNames::find(std::uint32_t name) {
    const std::lock_guard lock(mutex_);
    forget_closed();
    const auto entry = objects_.find(name);
    return entry == objects_.end() ? nullptr : entry->second.lock();
}

void GlobalNames::forget_closed() {
    std::erase_if(objects_, [](const auto& entry) {
        const std::shared_ptr<GemObject> object = entry.second.lock();
        return object == nullptr || object->handles == 0;
    });
}

Client::~Client() {
    for (const auto& entry : objects_) {
        --entry.second->handles;
    }
}

std::uint32_t Client::add(std::shared_ptr<GemObject> object) {
    const std::lock_guard lock(mutex_);
    std::uint32_t handle = 1;
    for (const auto& entry : objects_) {
        if (entry.first != handle) {
            break;
        }
        ++handle;
    }
    ++object->handles;
    objects_.emplace(handle, std::move(object));
    return handle;
}

std::shared_ptr<GemObject> Client::find(std::uint32_t handle) const {
    const std::lock_guard lock(mutex_);
    const auto entry = objects_.find(handle);
    return entry == objects_.end() ? nullptr : entry->second;
}

std::shared_ptr<GemObject> Client::remove(std::uint32_t handle) {
    const std::lock_guard lock(mutex_);
    const auto entry = objects_.find(handle);
    if (entry == objects_.end()) {
        return nullptr;
    }
    std::shared_ptr<GemObject> object = std::move(entry->second);
    objects_.erase(entry);
    --object->handles;
    return object;
}

std::uint32_t Client::handle_of(const GemObject& object) const {
    const std::lock_guard lock(mutex_);
    const auto entry = std::find_if(objects_.begin(), objects_.end(), [&object](const auto& pair) {
        return pair.second.get() == &object;
    });
    return entry == objects_.end() ? 0 : entry->first;
}

} // namespace gem_upload::model
