// stat(2) and its kin: the device's nodes are character devices.
#include "model/front/device_tree.h"
#include "model/front/layer/next.h"
#include "model/front/layer/process.h"
#include "model/front/layer/tree_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace {

using namespace gem_upload::model;

// On x86-64 the two are one; the layer exports both names.
static_assert(sizeof(struct stat) == sizeof(struct stat64));

constexpr mode_t primary_mode = S_IFCHR | 0660;
constexpr mode_t render_mode = S_IFCHR | 0666;

unsigned minor_of(Node node) {
    return node == Node::primary ? primary_minor : render_minor;
}

mode_t mode_of(Node node) {
    return node == Node::primary ? primary_mode : render_mode;
}

/// Makes a node of the tree look like the device. Returns RESULT.
int disguise(int result, struct stat* status) {
    if (result == 0 && S_ISREG(status->st_mode)) {
        if (const std::optional<Node> node = node_of(*status)) {
            status->st_mode = mode_of(*node);
            status->st_rdev = makedev(drm_major, minor_of(*node));
        }
    }
    return result;
}

int disguise(int result, struct statx* status) {
    if (result != 0 || !S_ISREG(status->stx_mode)) {
        return result;
    }
    struct stat file {};
    file.st_dev = makedev(status->stx_dev_major, status->stx_dev_minor);
    file.st_ino = status->stx_ino;
    if (const std::optional<Node> node = node_of(file)) {
        status->stx_mode = static_cast<decltype(status->stx_mode)>(mode_of(*node));
        status->stx_rdev_major = drm_major;
        status->stx_rdev_minor = minor_of(*node);
    }
    return result;
}

using FStatAt = int(int, const char*, struct stat*, int);
using FStat = int(int, struct stat*);
using StatX = int(int, const char*, int, unsigned, struct statx*);

int status_of_path(int directory, const char* path, struct stat* status, int flags) {
    static FStatAt* const next = next_function<FStatAt>("fstatat64");
    const TreePath tree(directory, path);
    return disguise(next(tree.directory(), tree.get(), status, flags), status);
}

int status_of_file(int fd, struct stat* status) {
    static FStat* const next = next_function<FStat>("fstat64");
    return disguise(next(fd, status), status);
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

int layer_stat(const char* path, struct stat* status) __asm__("stat");
int layer_stat64(const char* path, struct stat* status) __asm__("stat64");
int layer_lstat(const char* path, struct stat* status) __asm__("lstat");
int layer_lstat64(const char* path, struct stat* status) __asm__("lstat64");
int layer_fstat(int fd, struct stat* status) __asm__("fstat");
int layer_fstat64(int fd, struct stat* status) __asm__("fstat64");
int layer_fstatat(int directory, const char* path, struct stat* status,
                  int flags) __asm__("fstatat");
int layer_fstatat64(int directory, const char* path, struct stat* status,
                    int flags) __asm__("fstatat64");
int layer_statx(int directory, const char* path, int flags, unsigned mask,
                struct statx* status) __asm__("statx");
// What programs linked before glibc 2.33 call.
int layer_xstat(int version, const char* path, struct stat* status) __asm__("__xstat");
int layer_xstat64(int version, const char* path, struct stat* status) __asm__("__xstat64");
int layer_lxstat(int version, const char* path, struct stat* status) __asm__("__lxstat");
int layer_lxstat64(int version, const char* path, struct stat* status) __asm__("__lxstat64");
int layer_fxstat(int version, int fd, struct stat* status) __asm__("__fxstat");
int layer_fxstat64(int version, int fd, struct stat* status) __asm__("__fxstat64");
int layer_fxstatat(int version, int directory, const char* path, struct stat* status,
                   int flags) __asm__("__fxstatat");
int layer_fxstatat64(int version, int directory, const char* path, struct stat* status,
                     int flags) __asm__("__fxstatat64");

} // extern "C"
#pragma GCC visibility pop

int layer_stat(const char* path, struct stat* status) {
    return status_of_path(AT_FDCWD, path, status, 0);
}
int layer_stat64(const char* path, struct stat* status) {
    return status_of_path(AT_FDCWD, path, status, 0);
}
int layer_lstat(const char* path, struct stat* status) {
    return status_of_path(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int layer_lstat64(const char* path, struct stat* status) {
    return status_of_path(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int layer_fstat(int fd, struct stat* status) {
    return status_of_file(fd, status);
}
int layer_fstat64(int fd, struct stat* status) {
    return status_of_file(fd, status);
}
int layer_fstatat(int directory, const char* path, struct stat* status, int flags) {
    return status_of_path(directory, path, status, flags);
}
int layer_fstatat64(int directory, const char* path, struct stat* status, int flags) {
    return status_of_path(directory, path, status, flags);
}

int layer_statx(int directory, const char* path, int flags, unsigned mask, struct statx* status) {
    static StatX* const next = next_function<StatX>("statx");
    const TreePath tree(directory, path);
    return disguise(
        next(tree.directory(), tree.get(), flags, mask | STATX_INO | STATX_TYPE, status), status);
}

// The version says how large the structure is; on x86-64 there is one size.
int layer_xstat(int /*version*/, const char* path, struct stat* status) {
    return status_of_path(AT_FDCWD, path, status, 0);
}
int layer_xstat64(int /*version*/, const char* path, struct stat* status) {
    return status_of_path(AT_FDCWD, path, status, 0);
}
int layer_lxstat(int /*version*/, const char* path, struct stat* status) {
    return status_of_path(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int layer_lxstat64(int /*version*/, const char* path, struct stat* status) {
    return status_of_path(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int layer_fxstat(int /*version*/, int fd, struct stat* status) {
    return status_of_file(fd, status);
}
int layer_fxstat64(int /*version*/, int fd, struct stat* status) {
    return status_of_file(fd, status);
}
int layer_fxstatat(int /*version*/, int directory, const char* path, struct stat* status,
                   int flags) {
    return status_of_path(directory, path, status, flags);
}
int layer_fxstatat64(int /*version*/, int directory, const char* path, struct stat* status,
                     int flags) {
    return status_of_path(directory, path, status, flags);
}
