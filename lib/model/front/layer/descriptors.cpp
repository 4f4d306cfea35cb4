// Descriptors of the device: ioctl(2), mmap(2), and what makes and ends descriptors.
#include "model/front/drm/user_memory.h"
#include "model/front/layer/next.h"
#include "model/front/layer/process.h"

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <drm.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace gem_upload::model;

using IoCtl = int(int, unsigned long, ...);
using Close = int(int);
using CloseRange = int(unsigned, unsigned, int);
using Dup = int(int);
using Dup2 = int(int, int);
using Dup3 = int(int, int, int);
using FCntl = int(int, int, ...);
using MMap = void*(void*, std::size_t, int, int, int, off_t);
using MUnmap = int(void*, std::size_t);
using MRemap = void*(void*, std::size_t, std::size_t, int, ...);

/// The client of a descriptor, nullptr where it is not the device's.
std::shared_ptr<Client> client_of(int fd) {
    Process* here = existing_process();
    return here == nullptr ? nullptr : here->client(fd);
}

/// The same for DRM's ioctls, where a descriptor may have come from elsewhere.
std::shared_ptr<Client> client_for_ioctl(int fd, unsigned long request) {
    std::shared_ptr<Client> known = client_of(fd);
    if (known != nullptr || _IOC_TYPE(request) != DRM_IOCTL_BASE) {
        return known;
    }
    struct stat status {};
    if (!real_status(fd, status) || !node_of(status)) {
        return nullptr;
    }
    Process& here = process();
    const InsideModel inside;
    return here.adopt(fd);
}

int duplicated(int from, int to) {
    if (to >= 0 && to != from) {
        if (Process* here = existing_process()) {
            here->duplicate(from, to);
        }
    }
    return to;
}

void forget(int first, int last) {
    if (Process* here = existing_process()) {
        const InsideModel inside;
        here->forget(first, last);
    }
}

/// What a descriptor that PRIME gave out shares, nullptr where it is none.
std::shared_ptr<GemObject> shared_object(int fd) {
    Process* here = existing_process();
    // The model itself maps the same memory.
    return here == nullptr || InsideModel::now() ? nullptr
                                                 : here->device().driver().shared().find(fd);
}

/// ioctl(2) on such a descriptor (dma-buf.c): 0 or a negative errno.
int shared_ioctl(GemObject& object, unsigned long request, const void* argument) {
    const InsideModel inside;
    dma_buf_sync sync{};
    if (request != DMA_BUF_IOCTL_SYNC) {
        return -ENOTTY;
    }
    if (!copy_from_user(sync, reinterpret_cast<std::uintptr_t>(argument))) {
        return -EFAULT;
    }
    const std::uint64_t known = DMA_BUF_SYNC_VALID_FLAGS_MASK;
    if ((sync.flags & ~known) != 0 || (sync.flags & DMA_BUF_SYNC_RW) == 0) {
        return -EINVAL;
    }
    return process().device().driver().synchronise(object, (sync.flags & DMA_BUF_SYNC_END) != 0,
                                                   (sync.flags & DMA_BUF_SYNC_WRITE) != 0);
}

int answered(int result) {
    if (result < 0) {
        errno = -result;
        return -1;
    }
    return result;
}

void* map(void* address, std::size_t length, int protection, int flags, int fd, off_t offset) {
    if (fd >= 0 && (flags & MAP_ANONYMOUS) == 0) {
        if (const std::shared_ptr<Client> client = client_of(fd)) {
            const InsideModel inside;
            return process().device().map(
                *client, {address, length, protection, flags, static_cast<std::uint64_t>(offset)});
        }
    }
    if (fd >= 0 && (flags & MAP_ANONYMOUS) == 0) {
        if (const std::shared_ptr<GemObject> object = shared_object(fd)) {
            const InsideModel inside;
            return process().device().driver().map_shared(
                object, {address, length, protection, flags, static_cast<std::uint64_t>(offset)});
        }
    }
    static MMap* const next = next_function<MMap>("mmap64");
    return next(address, length, protection, flags, fd, offset);
}

int control(FCntl* next, int fd, int command, long argument) {
    const int result = next(fd, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicated(fd, result) : result;
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

int layer_ioctl(int fd, unsigned long request, ...) __asm__("ioctl");
void* layer_mmap(void* address, std::size_t length, int protection, int flags, int fd,
                 off_t offset) __asm__("mmap");
void* layer_mmap64(void* address, std::size_t length, int protection, int flags, int fd,
                   off_t offset) __asm__("mmap64");
int layer_munmap(void* address, std::size_t length) __asm__("munmap");
void* layer_mremap(void* address, std::size_t before, std::size_t after, int flags,
                   ...) __asm__("mremap");
int layer_close(int fd) __asm__("close");
int layer_close_range(unsigned first, unsigned last, int flags) __asm__("close_range");
int layer_dup(int fd) __asm__("dup");
int layer_dup2(int from, int to) __asm__("dup2");
int layer_dup3(int from, int to, int flags) __asm__("dup3");
int layer_fcntl(int fd, int command, ...) __asm__("fcntl");
int layer_fcntl64(int fd, int command, ...) __asm__("fcntl64");

} // extern "C"
#pragma GCC visibility pop

int layer_ioctl(int fd, unsigned long request, ...) {
    std::va_list arguments;
    va_start(arguments, request);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    if (const std::shared_ptr<Client> client = client_for_ioctl(fd, request)) {
        const InsideModel inside;
        return answered(process().device().ioctl(*client, request, argument));
    }
    if (_IOC_TYPE(request) == DMA_BUF_BASE) {
        if (const std::shared_ptr<GemObject> object = shared_object(fd)) {
            return answered(shared_ioctl(*object, request, argument));
        }
    }
    static IoCtl* const next = next_function<IoCtl>("ioctl");
    return next(fd, request, argument);
}

void* layer_mmap(void* address, std::size_t length, int protection, int flags, int fd,
                 off_t offset) {
    return map(address, length, protection, flags, fd, offset);
}
void* layer_mmap64(void* address, std::size_t length, int protection, int flags, int fd,
                   off_t offset) {
    return map(address, length, protection, flags, fd, offset);
}

int layer_munmap(void* address, std::size_t length) {
    if (Process* here = existing_process()) {
        const InsideModel inside;
        here->device().driver().forget_mappings(address, length);
    }
    static MUnmap* const next = next_function<MUnmap>("munmap");
    return next(address, length);
}

// VM_DONTEXPAND: a mapping of the device's does not grow.
void* layer_mremap(void* address, std::size_t before, std::size_t after, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    void* const target = va_arg(arguments, void*);
    va_end(arguments);
    Process* here = existing_process();
    if (here != nullptr && after > before) {
        const InsideModel inside;
        if (here->device().driver().maps(address, before)) {
            errno = EFAULT;
            return MAP_FAILED;
        }
    }
    static MRemap* const next = next_function<MRemap>("mremap");
    return next(address, before, after, flags, target);
}

int layer_close(int fd) {
    forget(fd, fd);
    static Close* const next = next_function<Close>("close");
    return next(fd);
}

int layer_close_range(unsigned first, unsigned last, int flags) {
    constexpr unsigned highest = INT_MAX;
    if (first <= highest && (static_cast<unsigned>(flags) & CLOSE_RANGE_CLOEXEC) == 0) {
        forget(static_cast<int>(first), static_cast<int>(last < highest ? last : highest));
    }
    static CloseRange* const next = next_function<CloseRange>("close_range");
    return next(first, last, flags);
}

int layer_dup(int fd) {
    static Dup* const next = next_function<Dup>("dup");
    return duplicated(fd, next(fd));
}
int layer_dup2(int from, int to) {
    static Dup2* const next = next_function<Dup2>("dup2");
    return duplicated(from, next(from, to));
}
int layer_dup3(int from, int to, int flags) {
    static Dup3* const next = next_function<Dup3>("dup3");
    return duplicated(from, next(from, to, flags));
}

// The third argument is an int, a pointer, or missing: in a register in each case.
int layer_fcntl(int fd, int command, ...) {
    std::va_list arguments;
    va_start(arguments, command);
    const long argument = va_arg(arguments, long);
    va_end(arguments);
    static FCntl* const next = next_function<FCntl>("fcntl");
    return control(next, fd, command, argument);
}
int layer_fcntl64(int fd, int command, ...) {
    std::va_list arguments;
    va_start(arguments, command);
    const long argument = va_arg(arguments, long);
    va_end(arguments);
    static FCntl* const next = next_function<FCntl>("fcntl64");
    return control(next, fd, command, argument);
}
