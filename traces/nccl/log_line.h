// One line of NCCL's log, taken to pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quintet {

// "[2024-05-01 12:34:56] host:123:124 [0] NCCL INFO message"; before the host may stand anything.
struct LogLine {
  std::string_view host, message;
  std::int64_t process = 0;
  std::optional<std::int64_t> nanoseconds;  // since 1970, the stamp taken as UTC
};
std::optional<LogLine> log_line(std::string_view line);

// The word behind `key` and a space ("count 1024": "1024"); empty where there is none.
std::string_view word_after(std::string_view message, std::string_view key);
std::optional<std::int64_t> number_after(std::string_view message, std::string_view key);
std::optional<std::int64_t> hexadecimal_after(std::string_view message, std::string_view key);

}  // namespace quintet
