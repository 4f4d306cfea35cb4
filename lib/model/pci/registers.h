// The registers of a chip: a table of what each is and does, and what they hold.
#pragma once

#include "model/pci/zeroed_memory.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::model::pci {

class Device;

/// A register that is accessed: its offset in the register BAR and, for an engine's, whose.
struct Place {
    std::uint32_t offset;
    std::size_t engine;
};

/// What happens after a write has changed what the register holds. VALUE is what was written.
using Written = void (*)(Device& device, const Place& place, std::uint32_t value);
/// What a read answers instead of what the register holds.
using Reading = std::uint32_t (*)(Device& device, const Place& place, std::uint32_t held);

/// What a write does to what the register holds.
enum class Rule {
    storage,      ///< replaces it
    read_only,    ///< nothing
    masked,       ///< the high half says which bits of the low half it replaces; `bits` read as 0
    clear_by_one, ///< clears those of `bits` that are written as 1; the others are storage
    self_clearing ///< replaces it, and `bits` clear themselves at once
};

/// What a reset of the engine, or of the whole GPU, does.
enum class OnReset { usual, kept, lost };

/// A row: one register, or several of a kind one after the other.
struct Register {
    std::string_view name;
    std::uint32_t offset; ///< in the register BAR, of an engine's from its base
    Rule rule = Rule::storage;
    std::uint32_t bits = 0;
    std::uint32_t reset = 0;
    std::uint32_t count = 1;
    OnReset on_reset = OnReset::usual; ///< usual: an engine's are lost, the others kept
    Written written = nullptr;
    Reading reading = nullptr;

    [[nodiscard]] constexpr Register times(std::uint32_t number) const {
        Register row = *this;
        row.count = number;
        return row;
    }
    [[nodiscard]] constexpr Register starting_as(std::uint32_t value) const {
        Register row = *this;
        row.reset = value;
        return row;
    }
    [[nodiscard]] constexpr Register then(Written effect) const {
        Register row = *this;
        row.written = effect;
        return row;
    }
    [[nodiscard]] constexpr Register answering(Reading answer) const {
        Register row = *this;
        row.reading = answer;
        return row;
    }
    [[nodiscard]] constexpr Register at_reset(OnReset what) const {
        Register row = *this;
        row.on_reset = what;
        return row;
    }
};

constexpr Register storage(std::uint32_t offset, std::string_view name) {
    return {name, offset};
}
constexpr Register read_only(std::uint32_t offset, std::string_view name, std::uint32_t value = 0) {
    return {name, offset, Rule::read_only, 0, value};
}
constexpr Register masked(std::uint32_t offset, std::string_view name, std::uint32_t bits = 0) {
    return {name, offset, Rule::masked, bits};
}
constexpr Register clear_by_one(std::uint32_t offset, std::string_view name,
                                std::uint32_t bits = 0xffffffff) {
    return {name, offset, Rule::clear_by_one, bits};
}
constexpr Register self_clearing(std::uint32_t offset, std::string_view name, std::uint32_t bits) {
    return {name, offset, Rule::self_clearing, bits};
}

/// What a register says of one chip or part, instead of its row.
struct Fuse {
    std::uint32_t offset;
    std::uint32_t value;
};

struct Profile;

/// What the registers hold, and which of them the table knows.
class RegisterFile {
public:
    explicit RegisterFile(const Profile& profile);

    struct Known {
        const Register* row;
        Place place;
        std::uint32_t number;    ///< of several of a kind
        std::string_view engine; ///< whose it is; empty: none's
    };
    /// The register that a dword belongs to, nullptr for one that the table does not know.
    [[nodiscard]] const Known* find(std::uint32_t offset) const;
    /// A known register's name; of another the closest known one below, with the distance.
    [[nodiscard]] std::string name(std::uint32_t offset) const;

    /// What the dword at OFFSET (below the file's size, a multiple of 4) holds.
    [[nodiscard]] std::uint32_t& at(std::uint32_t offset) {
        return reinterpret_cast<std::uint32_t*>(held_.data())[offset / 4];
    }
    [[nodiscard]] std::uint32_t at(std::uint32_t offset) const {
        return reinterpret_cast<const std::uint32_t*>(held_.data())[offset / 4];
    }
    /// Writes by the register's rule; an unknown one is storage.
    void write(const Known* known, std::uint32_t offset, std::uint32_t value);

    void reset();
    void reset_engine(std::size_t engine);
    /// Those that a reset of the whole GPU takes with it, besides the engines'.
    void reset_common();

private:
    void add(const Register& row, std::uint32_t base, std::size_t engine,
             std::string_view engine_name);
    /// The first known register at or above OFFSET.
    [[nodiscard]] std::vector<Known>::const_iterator from(std::uint32_t offset) const;

    ZeroedMemory held_;
    std::span<const Fuse> fuses_;
    std::vector<Known> known_; ///< by offset
};

} // namespace gem_upload::model::pci
