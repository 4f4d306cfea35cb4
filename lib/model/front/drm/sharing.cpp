#include "model/front/drm/sharing.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gem_upload::model {

bool SharedBuffers::identify(int fd, File& file) {
    struct stat status {};
    if (::syscall(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) != 0) {
        return false;
    }
    file = {status.st_dev, status.st_ino};
    return true;
}

int SharedBuffers::export_object(const std::shared_ptr<GemObject>& object, bool writable,
                                 bool close_on_exec, int& fd) {
    const int memory = object->shareable_fd();
    File file{};
    if (memory < 0 || !identify(memory, file)) {
        return -EINVAL;
    }
    const std::string path = fmt::format("/proc/self/fd/{}", memory);
    const int flags = (writable ? O_RDWR : O_RDONLY) | (close_on_exec ? O_CLOEXEC : 0);
    fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path.c_str(), flags));
    if (fd < 0) {
        return -errno;
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [](const auto& entry) { return entry.second.expired(); });
    objects_.insert_or_assign(file, object);
    any_.store(true);
    return 0;
}

std::shared_ptr<GemObject> SharedBuffers::find(int fd) {
    File file{};
    if (!any_.load() || !identify(fd, file)) {
        return nullptr;
    }
    const std::lock_guard lock(mutex_);
    const auto entry = objects_.find(file);
    return entry == objects_.end() ? nullptr : entry->second.lock();
}

} // namespace gem_upload::model
