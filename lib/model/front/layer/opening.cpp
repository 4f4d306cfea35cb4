// open(2) and its kin.
#include "model/front/layer/opening.h"

#include "model/front/layer/next.h"
#include "model/front/layer/process.h"
#include "model/front/layer/tree_path.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/types.h>

namespace gem_upload::model {
namespace {

bool takes_mode(int flags) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

using OpenAt = int(int, const char*, int, ...);
using FOpen = std::FILE*(const char*, const char*);
using FReopen = std::FILE*(const char*, const char*, std::FILE*);

int open_through(OpenAt* next, int directory, const char* path, int flags, mode_t mode) {
    const TreePath tree(directory, path);
    return opened(next(tree.directory(), tree.get(), flags, mode), tree.get(), tree.redirected(),
                  flags);
}

} // namespace

int opened(int fd, const char* path, bool redirected, int flags) {
    if (fd < 0 || (flags & O_PATH) != 0 ||
        !(redirected || (path != nullptr && std::strncmp(path, "/proc/", 6) == 0))) {
        return fd;
    }
    struct stat status {};
    if (!real_status(fd, status)) {
        return fd;
    }
    if (const std::optional<Node> node = node_of(status)) {
        Process& here = process();
        const InsideModel inside;
        here.add(fd, here.device().open(*node));
    }
    return fd;
}

} // namespace gem_upload::model

// The layer's functions have C names of their own and take libc's at assembly level: libc's headers
// declare theirs with attributes and inline bodies that a second definition could not match.
#pragma GCC visibility push(default)
extern "C" {

int layer_open(const char* path, int flags, ...) __asm__("open");
int layer_open64(const char* path, int flags, ...) __asm__("open64");
int layer_openat(int directory, const char* path, int flags, ...) __asm__("openat");
int layer_openat64(int directory, const char* path, int flags, ...) __asm__("openat64");
int layer_open_2(const char* path, int flags) __asm__("__open_2");
int layer_open64_2(const char* path, int flags) __asm__("__open64_2");
int layer_openat_2(int directory, const char* path, int flags) __asm__("__openat_2");
int layer_openat64_2(int directory, const char* path, int flags) __asm__("__openat64_2");
int layer_creat(const char* path, mode_t mode) __asm__("creat");
int layer_creat64(const char* path, mode_t mode) __asm__("creat64");
std::FILE* layer_fopen(const char* path, const char* mode) __asm__("fopen");
std::FILE* layer_fopen64(const char* path, const char* mode) __asm__("fopen64");
std::FILE* layer_freopen(const char* path, const char* mode, std::FILE* file) __asm__("freopen");
std::FILE* layer_freopen64(const char* path, const char* mode,
                           std::FILE* file) __asm__("freopen64");

} // extern "C"
#pragma GCC visibility pop

namespace {

using namespace gem_upload::model;

OpenAt* next_openat() {
    static OpenAt* const next = next_function<OpenAt>("openat");
    return next;
}

OpenAt* next_openat64() {
    static OpenAt* const next = next_function<OpenAt>("openat64");
    return next;
}

std::FILE* fopen_through(FOpen* next, const char* path, const char* mode) {
    const TreePath tree(path);
    return next(tree.get(), mode);
}

std::FILE* freopen_through(FReopen* next, const char* path, const char* mode, std::FILE* file) {
    const TreePath tree(path);
    return next(tree.get(), mode, file);
}

/// The optional last argument of open(2).
mode_t mode_argument(int flags, std::va_list arguments) {
    return takes_mode(flags) ? va_arg(arguments, mode_t) : 0;
}

} // namespace

int layer_open(const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_argument(flags, arguments);
    va_end(arguments);
    return open_through(next_openat(), AT_FDCWD, path, flags, mode);
}

int layer_open64(const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_argument(flags, arguments);
    va_end(arguments);
    return open_through(next_openat64(), AT_FDCWD, path, flags, mode);
}

int layer_openat(int directory, const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_argument(flags, arguments);
    va_end(arguments);
    return open_through(next_openat(), directory, path, flags, mode);
}

int layer_openat64(int directory, const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_argument(flags, arguments);
    va_end(arguments);
    return open_through(next_openat64(), directory, path, flags, mode);
}

int layer_open_2(const char* path, int flags) {
    return open_through(next_openat(), AT_FDCWD, path, flags, 0);
}

int layer_open64_2(const char* path, int flags) {
    return open_through(next_openat64(), AT_FDCWD, path, flags, 0);
}

int layer_openat_2(int directory, const char* path, int flags) {
    return open_through(next_openat(), directory, path, flags, 0);
}

int layer_openat64_2(int directory, const char* path, int flags) {
    return open_through(next_openat64(), directory, path, flags, 0);
}

int layer_creat(const char* path, mode_t mode) {
    return open_through(next_openat(), AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int layer_creat64(const char* path, mode_t mode) {
    return open_through(next_openat64(), AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

std::FILE* layer_fopen(const char* path, const char* mode) {
    static FOpen* const next = next_function<FOpen>("fopen");
    return fopen_through(next, path, mode);
}

std::FILE* layer_fopen64(const char* path, const char* mode) {
    static FOpen* const next = next_function<FOpen>("fopen64");
    return fopen_through(next, path, mode);
}

std::FILE* layer_freopen(const char* path, const char* mode, std::FILE* file) {
    static FReopen* const next = next_function<FReopen>("freopen");
    return freopen_through(next, path, mode, file);
}

std::FILE* layer_freopen64(const char* path, const char* mode, std::FILE* file) {
    static FReopen* const next = next_function<FReopen>("freopen64");
    return freopen_through(next, path, mode, file);
}
