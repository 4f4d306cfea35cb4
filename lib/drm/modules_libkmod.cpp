#include "config.h"
#include "drm/modules.h"
#include "util/error.h"

#include <fmt/format.h>

#if HAVE_LIBKMOD
#include <cerrno>
#include <libkmod.h>
#include <string_view>
#endif

namespace gem_upload::drm {

#if HAVE_LIBKMOD

namespace {

struct Unref {
    void operator()(kmod_ctx* context) const { ::kmod_unref(context); }
    void operator()(kmod_list* modules) const { ::kmod_module_unref_list(modules); }
    void operator()(kmod_module* module) const { ::kmod_module_unref(module); }
    void operator()(kmod_config_iter* position) const { ::kmod_config_iter_free_iter(position); }
};
template <typename T>
using Owned = std::unique_ptr<T, Unref>;

/// libkmod reports what it meets on standard error; ours to say in one sentence instead.
void say_nothing(void* /*data*/, int /*priority*/, const char* /*file*/, int /*line*/,
                 const char* /*function*/, const char* /*format*/, va_list /*arguments*/) {}

class KmodModules final : public Modules {
public:
    KmodModules(const std::string& folder, const std::vector<std::string>& configuration) {
        std::vector<const char*> paths;
        for (const std::string& path : configuration) {
            paths.push_back(path.c_str());
        }
        paths.push_back(nullptr);
        context_.reset(::kmod_new(folder.empty() ? nullptr : folder.c_str(),
                                  configuration.empty() ? nullptr : paths.data()));
        if (!context_) {
            throw failed_call("kmod_new", folder.empty() ? "the running kernel" : folder, errno);
        }
        ::kmod_set_log_fn(context_.get(), say_nothing, nullptr);
    }

    std::vector<std::string> claiming(const std::string& modalias) override {
        kmod_list* found = nullptr;
        if (::kmod_module_new_from_lookup(context_.get(), modalias.c_str(), &found) < 0) {
            return {};
        }
        const Owned<kmod_list> list(found);
        std::vector<std::string> names;
        kmod_list* entry = nullptr;
        kmod_list_foreach(entry, list.get()) {
            const Owned<kmod_module> module(::kmod_module_get_module(entry));
            names.emplace_back(::kmod_module_get_name(module.get()));
        }
        return names;
    }

    bool blacklisted(const std::string& module) override {
        const Owned<kmod_config_iter> position(::kmod_config_get_blacklists(context_.get()));
        while (position && ::kmod_config_iter_next(position.get())) {
            if (module == ::kmod_config_iter_get_key(position.get())) {
                return true;
            }
        }
        return false;
    }

    int insert(const std::string& module) override {
        return with_module(module, [](kmod_module* found) {
            return ::kmod_module_probe_insert_module(found, 0, nullptr, nullptr, nullptr, nullptr);
        });
    }

    int remove(const std::string& module) override {
        return with_module(
            module, [](kmod_module* found) { return ::kmod_module_remove_module(found, 0); });
    }

private:
    /// What ACTION, which answers as libkmod does, makes of a module: 0 or an errno.
    template <typename Action>
    int with_module(const std::string& module, Action action) {
        kmod_module* found = nullptr;
        if (const int error = ::kmod_module_new_from_name(context_.get(), module.c_str(), &found);
            error < 0) {
            return -error;
        }
        const Owned<kmod_module> owned(found);
        const int result = action(owned.get());
        return result < 0 ? -result : 0;
    }

    Owned<kmod_ctx> context_;
};

} // namespace

std::unique_ptr<Modules> open_modules(const std::string& folder,
                                      const std::vector<std::string>& configuration) {
    return std::make_unique<KmodModules>(folder, configuration);
}

#else

std::unique_ptr<Modules> open_modules(const std::string& /*folder*/,
                                      const std::vector<std::string>& /*configuration*/) {
    throw cannot_measure("this build cannot load drivers, for it lacks libkmod: install "
                         "libkmod-dev and build anew, or load the driver with modprobe");
}

#endif

} // namespace gem_upload::drm
