#include "model/front/layer/inside_model.h"

#include <utility>

namespace gem_upload::model {
namespace {

bool& inside_model() {
    // Without a call into the loader, which may not be ready yet.
    [[gnu::tls_model("initial-exec")]] thread_local bool inside = false;
    return inside;
}

} // namespace

InsideModel::InsideModel() : before_(std::exchange(inside_model(), true)) {}

InsideModel::~InsideModel() {
    inside_model() = before_;
}

bool InsideModel::now() {
    return inside_model();
}

} // namespace gem_upload::model
