#include "model/front/drm/authentication.h"

#include <cerrno>
#include <unistd.h>

namespace gem_upload::model {
namespace {

/// drm_master_check_perm().
bool may_change_master(const Credentials& client) {
    return (client.was_master && client.opener == ::getpid()) || privileged();
}

} // namespace

bool privileged() {
    return ::geteuid() == 0;
}

bool Authentication::current(const Credentials& client) const {
    return client.is_master && client.master == master_;
}

bool Authentication::is_current_master(const Credentials& client) const {
    const std::lock_guard lock(mutex_);
    return current(client);
}

void Authentication::make_master(Credentials& client) {
    client.master = std::make_shared<Master>();
    master_ = client.master;
    client.is_master = client.was_master = client.authenticated = true;
}

void Authentication::opened(Credentials& client) {
    const std::lock_guard lock(mutex_);
    client.authenticated = privileged();
    client.opener = ::getpid();
    if (master_ == nullptr) {
        make_master(client);
    } else {
        client.master = master_;
    }
}

void Authentication::closed(Credentials& client) {
    const std::lock_guard lock(mutex_);
    if (client.magic != 0) {
        client.master->magics.erase(client.magic);
    }
    if (client.master != nullptr && current(client)) {
        master_.reset();
    }
}

int Authentication::set_master(Credentials& client) {
    const std::lock_guard lock(mutex_);
    if (!may_change_master(client)) {
        return -EACCES;
    }
    if (current(client)) {
        return 0;
    }
    if (master_ != nullptr) {
        return -EBUSY;
    }
    if (client.is_master) {
        master_ = client.master;
    } else {
        make_master(client);
    }
    return 0;
}

int Authentication::drop_master(Credentials& client) {
    const std::lock_guard lock(mutex_);
    if (!may_change_master(client)) {
        return -EACCES;
    }
    if (!current(client)) {
        return -EINVAL;
    }
    master_.reset();
    return 0;
}

std::uint32_t Authentication::magic_of(Credentials& client) {
    const std::lock_guard lock(mutex_);
    if (client.magic == 0) {
        std::map<std::uint32_t, Credentials*>& magics = client.master->magics;
        client.magic = 1;
        while (magics.contains(client.magic)) {
            ++client.magic;
        }
        magics.emplace(client.magic, &client);
    }
    return client.magic;
}

int Authentication::accept(Credentials& client, std::uint32_t magic) {
    const std::lock_guard lock(mutex_);
    const auto entry = client.master->magics.find(magic);
    if (entry == client.master->magics.end() || entry->second == nullptr) {
        return -EINVAL;
    }
    entry->second->authenticated = true;
    entry->second = nullptr;
    return 0;
}

} // namespace gem_upload::model
