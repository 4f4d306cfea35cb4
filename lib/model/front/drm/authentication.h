// Masters and magic cookies of the primary node (drm_auth.c of 6.1).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>

namespace gem_upload::model {

/// capable(CAP_SYS_ADMIN), as far as a program can be told apart: its user is root.
[[nodiscard]] bool privileged();

/// What the kernel keeps of a client in struct drm_file.
struct Credentials;

/// struct drm_master.
struct Master {
    std::map<std::uint32_t, Credentials*> magics; ///< nullptr: was accepted already
    std::string unique;                           ///< set by SET_VERSION 1.1 and later
};

struct Credentials {
    std::shared_ptr<Master> master;
    bool is_master = false;
    bool was_master = false;
    bool authenticated = false;
    std::uint32_t magic = 0;
    pid_t opener = 0;
};

/// The device's side. Its functions return 0 or a negative errno.
class Authentication {
public:
    /// A client of the primary node comes, and goes.
    void opened(Credentials& client);
    void closed(Credentials& client);

    [[nodiscard]] bool is_current_master(const Credentials& client) const;
    [[nodiscard]] int set_master(Credentials& client);
    [[nodiscard]] int drop_master(Credentials& client);

    [[nodiscard]] std::uint32_t magic_of(Credentials& client);
    [[nodiscard]] int accept(Credentials& client, std::uint32_t magic);

private:
    [[nodiscard]] bool current(const Credentials& client) const;
    void make_master(Credentials& client);

    mutable std::mutex mutex_;
    std::shared_ptr<Master> master_;
};

} // namespace gem_upload::model
