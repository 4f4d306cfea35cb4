// Worse than useless: a fault that is mistyped and silently never happens.
#include "model/front/fault_injection.h"
#include "util/error.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace gem_upload::model {
namespace {

using Faults = std::vector<std::string>;

TEST(FaultInjection, CountsEachIoctlByItself) {
    FaultInjection faults(Faults{"PWRITE:2=EIO", "DRM_IOCTL_I915_GEM_BUSY:1=EINTR"});
    EXPECT_EQ(faults.next_ioctl("PWRITE"), 0);
    EXPECT_EQ(faults.next_ioctl("BUSY"), EINTR);
    EXPECT_EQ(faults.next_ioctl("PWRITE"), EIO);
    EXPECT_EQ(faults.next_ioctl("PWRITE"), 0);
    EXPECT_EQ(faults.ioctl_names(), (Faults{"PWRITE", "BUSY"}));
}

TEST(FaultInjection, CountsExecutions) {
    FaultInjection faults(Faults{"wedge:2", "full-aperture:3"});
    EXPECT_FALSE(faults.next_execution().wedge);
    EXPECT_TRUE(faults.next_execution().wedge);
    EXPECT_TRUE(faults.next_execution().full_aperture);
    EXPECT_TRUE(faults.next_execution().full_aperture);
}

TEST(FaultInjection, CountsGttMappings) {
    FaultInjection faults(Faults{"sigbus:2"});
    EXPECT_FALSE(faults.next_gtt_mapping());
    EXPECT_TRUE(faults.next_gtt_mapping());
    EXPECT_FALSE(faults.next_gtt_mapping());
}

TEST(FaultInjection, ADeviceThatIsGoneStaysAway) {
    FaultInjection faults(Faults{"gone:2"});
    EXPECT_EQ(faults.next_ioctl("BUSY"), 0);
    EXPECT_EQ(faults.next_ioctl("PWRITE"), ENODEV);
    EXPECT_EQ(faults.next_ioctl("BUSY"), ENODEV);
}

TEST(FaultInjection, RefusesWhatItDoesNotUnderstand) {
    for (const char* fault :
         {"", "PWRITE", ":1=EIO", "PWRITE:0=EIO", "PWRITE:x=EIO", "PWRITE:1=EFOO",
          "PWRITE:1=", "PWRITE:=EIO", "wedge:", "wedge:-1", "wedge:0", "wedge:1 ", "explode:1",
          "PWRITE:99999999999999999999=EIO"}) {
        try {
            const FaultInjection faults(Faults{fault});
            FAIL() << "'" << fault << "' was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), Exit::usage);
            EXPECT_NE(std::string(error.what()).find("'" + std::string(fault) + "'"),
                      std::string::npos)
                << error.what();
        }
    }
}

} // namespace
} // namespace gem_upload::model
