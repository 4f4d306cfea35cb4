// In what pieces a program makes its data.
#pragma once

namespace gem_upload::gem {

enum class PieceSize {
    whole, ///< the object at once
    small, ///< 1 to 64 dwords, random() % 64 + 1 as IGT's upload_blit_small
};

} // namespace gem_upload::gem
