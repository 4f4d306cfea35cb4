// Links, access and folders: readlink(2), access(2), opendir(3) and their kin.
#include "model/front/layer/next.h"
#include "model/front/layer/tree_path.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

using namespace gem_upload::model;

using ReadLinkAt = ssize_t(int, const char*, char*, std::size_t);
using RealPath = char*(const char*, char*);
using FAccessAt = int(int, const char*, int, int);
using EAccess = int(const char*, int);
using GetXAttr = ssize_t(const char*, const char*, void*, std::size_t);
using ListXAttr = ssize_t(const char*, char*, std::size_t);
using OpenDir = DIR*(const char*);
using Select = int(const dirent*);
using Compare = int(const dirent**, const dirent**);
using ScanDir = int(const char*, dirent***, Select*, Compare*);
using ScanDirAt = int(int, const char*, dirent***, Select*, Compare*);

ssize_t read_link(int directory, const char* path, char* buffer, std::size_t size) {
    static ReadLinkAt* const next = next_function<ReadLinkAt>("readlinkat");
    const TreePath tree(directory, path);
    const ssize_t length = next(tree.directory(), tree.get(), buffer, size);
    return length <= 0 ? length
                       : static_cast<ssize_t>(strip_tree(buffer, static_cast<std::size_t>(length)));
}

char* real_path(const char* path, char* resolved) {
    static RealPath* const next = next_function<RealPath>("realpath");
    const TreePath tree(path);
    char* const result = next(tree.get(), resolved);
    if (result != nullptr) {
        result[strip_tree(result, std::strlen(result))] = '\0';
    }
    return result;
}

int may_access(int directory, const char* path, int mode, int flags) {
    static FAccessAt* const next = next_function<FAccessAt>("faccessat");
    const TreePath tree(directory, path);
    return next(tree.directory(), tree.get(), mode, flags);
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

ssize_t layer_readlink(const char* path, char* buffer, std::size_t size) __asm__("readlink");
ssize_t layer_readlinkat(int directory, const char* path, char* buffer,
                         std::size_t size) __asm__("readlinkat");
ssize_t layer_readlink_chk(const char* path, char* buffer, std::size_t size,
                           std::size_t room) __asm__("__readlink_chk");
ssize_t layer_readlinkat_chk(int directory, const char* path, char* buffer, std::size_t size,
                             std::size_t room) __asm__("__readlinkat_chk");
char* layer_realpath(const char* path, char* resolved) __asm__("realpath");
char* layer_realpath_chk(const char* path, char* resolved,
                         std::size_t room) __asm__("__realpath_chk");
char* layer_canonicalize(const char* path) __asm__("canonicalize_file_name");
int layer_access(const char* path, int mode) __asm__("access");
int layer_faccessat(int directory, const char* path, int mode, int flags) __asm__("faccessat");
int layer_eaccess(const char* path, int mode) __asm__("eaccess");
int layer_euidaccess(const char* path, int mode) __asm__("euidaccess");
ssize_t layer_getxattr(const char* path, const char* name, void* value,
                       std::size_t size) __asm__("getxattr");
ssize_t layer_lgetxattr(const char* path, const char* name, void* value,
                        std::size_t size) __asm__("lgetxattr");
ssize_t layer_listxattr(const char* path, char* list, std::size_t size) __asm__("listxattr");
ssize_t layer_llistxattr(const char* path, char* list, std::size_t size) __asm__("llistxattr");
DIR* layer_opendir(const char* path) __asm__("opendir");
int layer_scandir(const char* path, dirent*** names, Select* select,
                  Compare* compare) __asm__("scandir");
int layer_scandir64(const char* path, dirent*** names, Select* select,
                    Compare* compare) __asm__("scandir64");
int layer_scandirat(int directory, const char* path, dirent*** names, Select* select,
                    Compare* compare) __asm__("scandirat");
int layer_scandirat64(int directory, const char* path, dirent*** names, Select* select,
                      Compare* compare) __asm__("scandirat64");

} // extern "C"
#pragma GCC visibility pop

ssize_t layer_readlink(const char* path, char* buffer, std::size_t size) {
    return read_link(AT_FDCWD, path, buffer, size);
}
ssize_t layer_readlinkat(int directory, const char* path, char* buffer, std::size_t size) {
    return read_link(directory, path, buffer, size);
}
// The fortified forms know the buffer's size: what is asked for beyond it is not written.
ssize_t layer_readlink_chk(const char* path, char* buffer, std::size_t size, std::size_t room) {
    return read_link(AT_FDCWD, path, buffer, size < room ? size : room);
}
ssize_t layer_readlinkat_chk(int directory, const char* path, char* buffer, std::size_t size,
                             std::size_t room) {
    return read_link(directory, path, buffer, size < room ? size : room);
}

char* layer_realpath(const char* path, char* resolved) {
    return real_path(path, resolved);
}
char* layer_realpath_chk(const char* path, char* resolved, std::size_t room) {
    if (room < PATH_MAX) {
        std::abort(); // as libc does: the buffer is too small
    }
    return real_path(path, resolved);
}
char* layer_canonicalize(const char* path) {
    return real_path(path, nullptr);
}

int layer_access(const char* path, int mode) {
    return may_access(AT_FDCWD, path, mode, 0);
}
int layer_faccessat(int directory, const char* path, int mode, int flags) {
    return may_access(directory, path, mode, flags);
}
int layer_eaccess(const char* path, int mode) {
    static EAccess* const next = next_function<EAccess>("eaccess");
    const TreePath tree(path);
    return next(tree.get(), mode);
}
int layer_euidaccess(const char* path, int mode) {
    return layer_eaccess(path, mode);
}

ssize_t layer_getxattr(const char* path, const char* name, void* value, std::size_t size) {
    static GetXAttr* const next = next_function<GetXAttr>("getxattr");
    const TreePath tree(path);
    return next(tree.get(), name, value, size);
}
ssize_t layer_lgetxattr(const char* path, const char* name, void* value, std::size_t size) {
    static GetXAttr* const next = next_function<GetXAttr>("lgetxattr");
    const TreePath tree(path);
    return next(tree.get(), name, value, size);
}
ssize_t layer_listxattr(const char* path, char* list, std::size_t size) {
    static ListXAttr* const next = next_function<ListXAttr>("listxattr");
    const TreePath tree(path);
    return next(tree.get(), list, size);
}
ssize_t layer_llistxattr(const char* path, char* list, std::size_t size) {
    static ListXAttr* const next = next_function<ListXAttr>("llistxattr");
    const TreePath tree(path);
    return next(tree.get(), list, size);
}

DIR* layer_opendir(const char* path) {
    static OpenDir* const next = next_function<OpenDir>("opendir");
    const TreePath tree(path);
    return next(tree.get());
}

// dirent and dirent64 are one on x86-64.
int layer_scandir(const char* path, dirent*** names, Select* select, Compare* compare) {
    static ScanDir* const next = next_function<ScanDir>("scandir");
    const TreePath tree(path);
    return next(tree.get(), names, select, compare);
}
int layer_scandir64(const char* path, dirent*** names, Select* select, Compare* compare) {
    return layer_scandir(path, names, select, compare);
}
int layer_scandirat(int directory, const char* path, dirent*** names, Select* select,
                    Compare* compare) {
    static ScanDirAt* const next = next_function<ScanDirAt>("scandirat");
    const TreePath tree(directory, path);
    return next(tree.directory(), tree.get(), names, select, compare);
}
int layer_scandirat64(int directory, const char* path, dirent*** names, Select* select,
                      Compare* compare) {
    return layer_scandirat(directory, path, names, select, compare);
}
