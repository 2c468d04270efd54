// Every setting of a Protocol, once. The command line, the JSON of a result and the Python keywords come from this
// table.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/protocol.hpp"
#include "plan/setting_rows.hpp"

namespace warpclock {

/// All rows, in the order in which help lists them.
[[nodiscard]] const std::vector<Setting>& settings();

/// The row called `name`: "max-time", "max_time" or "--max-time".
///   throws  UsageError with the nearest name if there is none
[[nodiscard]] const Setting& setting(std::string_view name);

/// Reads `text` into the setting called `name`.  throws UsageError: no such setting, or a value it does not take
void set(Protocol& protocol, std::string_view name, std::string_view text);

/// Every setting as key and text, for Environment::settings.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> printed(const Protocol& protocol);

/// Settings that contradict one another, where the result would carry a wrong label:
/// several copies with a warm cache (warm means the buffers of the call before), a rotation over one copy (that is
/// warm). A setting that has no effect in a combination is let through: a flush size without a flush, --min-samples
/// with
/// --samples. So is a batch in a cold cache: calls after the first are warm there, which is a finding on the result.
///   throws  UsageError
void check(const Protocol& protocol);

[[nodiscard]] std::string to_string(CacheState state);
[[nodiscard]] std::string to_string(Cover cover);
[[nodiscard]] std::string to_string(Regime regime);
[[nodiscard]] std::string to_string(Order order);

}  // namespace warpclock
