// The libc functions behind those that the layer replaces.
#pragma once

#include <dlfcn.h>

namespace gem_upload::model {

/// The next definition of a symbol after the layer's, as a function of type FUNCTION. Works
/// before constructors have run. Old spellings that libc no longer has are nullptr.
template <typename Function>
Function* next_function(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

} // namespace gem_upload::model
