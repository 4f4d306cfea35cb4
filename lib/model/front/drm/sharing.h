// PRIME: objects as descriptors (drm_prime.c, dma-buf.c).
#pragma once

#include "model/front/drm/gem.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <sys/types.h>

namespace gem_upload::model {

/// An object's descriptor is one of the file with its memory: the file's identity names the object,
/// whichever way the descriptor took (dup(2), a socket, fork(2)).
class SharedBuffers {
public:
    /// A descriptor that can be written to or not, and is closed at exec or not: 0 or a negative
    /// errno.
    [[nodiscard]] int export_object(const std::shared_ptr<GemObject>& object, bool writable,
                                    bool close_on_exec, int& fd);
    /// nullptr where the descriptor is not of an exported object.
    [[nodiscard]] std::shared_ptr<GemObject> find(int fd);

private:
    struct File {
        dev_t device;
        ino_t inode;
        bool operator<(const File& other) const {
            return device != other.device ? device < other.device : inode < other.inode;
        }
    };
    [[nodiscard]] static bool identify(int fd, File& file);

    std::atomic<bool> any_ = false; ///< most programs export nothing, and every mmap(2) asks
    std::mutex mutex_;
    std::map<File, std::weak_ptr<GemObject>> objects_;
};

} // namespace gem_upload::model
