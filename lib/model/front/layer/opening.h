// What happens when a path has been opened that may be the device's.
#pragma once

namespace gem_upload::model {

/// After an open(2) of PATH: if FD is a node of the device, makes it a client. Returns FD, or -1
/// with errno set.
int opened(int fd, const char* path, bool redirected, int flags);

} // namespace gem_upload::model
