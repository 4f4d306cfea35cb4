#include "run_methods.h"

#include "util/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gem_upload::tools {
namespace {

using Table = std::span<const bench::Method* const>;
using Methods = std::vector<const bench::Method*>;
constexpr std::string_view staged = "staged";

/// An item of the list, taken apart.
struct Item {
    std::string_view text;
    std::string_view name;
    std::string_view variant;
};

std::vector<std::string_view> split(std::string_view list) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t comma = list.find(',');
        parts.push_back(list.substr(0, comma));
        if (comma == std::string_view::npos) {
            return parts;
        }
        list.remove_prefix(comma + 1);
    }
}

Item take_apart(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        return {text, text, {}};
    }
    return {text, text.substr(0, colon), text.substr(colon + 1)};
}

Methods of_group(std::string_view group, Table table) {
    Methods methods;
    std::copy_if(table.begin(), table.end(), std::back_inserter(methods),
                 [&](const bench::Method* method) {
                     return group == "all" || group == bench::group_name(method->group);
                 });
    return methods;
}

const bench::Method* of_name(std::string_view name, Table table) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const bench::Method* method) {
        return method->name == name || method->short_name() == name;
    });
    return found == table.end() ? nullptr : *found;
}

const bench::Method* of_suffix(std::string_view suffix, std::string_view group, Table table) {
    const Methods methods = of_group(group, table);
    const auto shortest =
        std::min_element(methods.begin(), methods.end(), [](const auto* a, const auto* b) {
            return a->name.size() < b->name.size();
        });
    if (shortest == methods.end()) {
        return nullptr;
    }
    return suffix == "pwrite" ? *shortest
                              : of_name(fmt::format("{}_{}", (*shortest)->name, suffix), table);
}

std::string known_names(Table table) {
    std::vector<std::string_view> names;
    for (const bench::Method* method : table) {
        names.push_back(method->short_name());
    }
    return fmt::format("the methods are {}; the groups are blit, small, aperture and all",
                       fmt::join(names, ", "));
}

[[noreturn]] void refuse_variant(const Item& item, Table table) {
    std::vector<std::string> names;
    for (const bench::Method* method : table) {
        if (method->has_staged) {
            names.push_back(fmt::format("{}:staged", method->short_name()));
        }
    }
    throw usage_error(fmt::format("--methods: there is no variant '{}'; the variants are {}",
                                  item.text, fmt::join(names, ", ")));
}

/// Reads a list item by item; an item's group is where the next one's suffix is looked up.
class ListReader {
public:
    explicit ListReader(Table table) : table_(table) {}

    void read(const Item& item) {
        const Methods group = of_group(item.name, table_);
        if (!group.empty()) {
            add_group(item, group);
            group_ = item.name == "all" ? "blit" : item.name;
            return;
        }
        const bench::Method* method = of_name(item.name, table_);
        method = method ? method : of_suffix(item.name, group_, table_);
        if (!method) {
            throw usage_error(fmt::format("--methods: there is no method '{}'; {}", item.name,
                                          known_names(table_)));
        }
        check_variant(item, method->has_staged);
        add(item, *method);
        group_ = bench::group_name(method->group);
    }

    [[nodiscard]] MethodSelection take() { return std::move(selection_); }

private:
    void check_variant(const Item& item, bool has_staged) const {
        const bool none_named = item.variant.empty() && item.text == item.name;
        if (!none_named && (item.variant != staged || !has_staged)) {
            refuse_variant(item, table_);
        }
    }

    void add_group(const Item& item, const Methods& group) {
        check_variant(item, std::any_of(group.begin(), group.end(),
                                        [](const auto* method) { return method->has_staged; }));
        for (const bench::Method* method : group) {
            if (item.variant.empty() || method->has_staged) {
                add(item, *method);
            }
        }
    }

    void add(const Item& item, const bench::Method& method) {
        const results::RunMethod added{std::string(method.name), std::string(item.variant)};
        auto& methods = selection_.methods;
        if (std::find(methods.begin(), methods.end(), added) == methods.end()) {
            methods.push_back(added);
        } else {
            selection_.remarks.push_back(fmt::format(
                "--methods names {} more than once: it is measured once a round", added.title()));
        }
    }

    Table table_;
    std::string_view group_ = "blit";
    MethodSelection selection_;
};

} // namespace

MethodSelection select_methods(std::string_view list, Table table) {
    ListReader reader(table);
    for (const std::string_view text : split(list)) {
        if (text.empty()) {
            throw usage_error(
                fmt::format("--methods: an empty name in '{}'; {}", list, known_names(table)));
        }
        reader.read(take_apart(text));
    }
    return reader.take();
}

bool needs_device(const results::RunMethod& method, Table table) {
    const bench::Method* found = of_name(method.method, table);
    return found && found->needs_device();
}

} // namespace gem_upload::tools
