#include "traces/nccl/log_line.h"

#include <charconv>
#include <chrono>

namespace quintet {
namespace {

constexpr std::string_view marks[] = {" NCCL INFO ", " RCCL INFO "};

std::optional<std::int64_t> number(std::string_view text, int base = 10) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return code == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                 : std::nullopt;
}

std::string_view last_word(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  return text.substr(text.find_last_of(" \t") + 1);
}

// "12:34:56.789" to nanoseconds.
std::optional<std::int64_t> time_of_day(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto hours = number(text.substr(0, 2)), minutes = number(text.substr(3, 2)),
             seconds = number(text.substr(6, 2));
  if (!hours || !minutes || !seconds || *hours > 23 || *minutes > 59 || *seconds > 60)
    return std::nullopt;
  std::int64_t nanoseconds = ((*hours * 60 + *minutes) * 60 + *seconds) * 1'000'000'000;
  if (text.size() == 8) return nanoseconds;
  std::int64_t unit = 100'000'000;
  if (text[8] != '.' && text[8] != ',') return std::nullopt;
  for (const char digit : text.substr(9)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    nanoseconds += (digit - '0') * unit;
    unit /= 10;
  }
  return nanoseconds;
}

// "[2024-05-01 12:34:56]", NCCL's own format, perhaps with parts of a second.
std::optional<std::int64_t> stamp_in(std::string_view text) {
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    const std::string_view inside = text.substr(at + 1, text.find(']', at) - at - 1);
    if (inside.size() < 19 || inside[4] != '-' || inside[7] != '-' ||
        (inside[10] != ' ' && inside[10] != 'T'))
      continue;
    const auto year = number(inside.substr(0, 4)), month = number(inside.substr(5, 2)),
               day = number(inside.substr(8, 2)), time = time_of_day(inside.substr(11));
    if (!year || !month || !day || !time) continue;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok() || *year < 1970 || *year > 2200) continue;
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    return days * 86'400 * 1'000'000'000 + *time;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LogLine> log_line(std::string_view line) {
  std::size_t at = std::string_view::npos, length = 0;
  for (const std::string_view mark : marks)
    if (const std::size_t found = line.find(mark); found < at) at = found, length = mark.size();
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view before = line.substr(0, at);
  std::string_view who = last_word(before);
  if (who.starts_with('[')) {  // the device
    before.remove_suffix(static_cast<std::size_t>(before.end() - who.begin()));
    who = last_word(before);
  }
  const std::size_t thread = who.rfind(':');
  if (thread == std::string_view::npos || thread == 0) return std::nullopt;
  const std::size_t process = who.rfind(':', thread - 1);
  if (process == std::string_view::npos) return std::nullopt;
  const auto id = number(who.substr(process + 1, thread - process - 1));
  if (!id) return std::nullopt;
  return LogLine{who.substr(0, process), line.substr(at + length), *id, stamp_in(before)};
}

std::string_view word_after(std::string_view message, std::string_view key) {
  for (std::size_t at = message.find(key); at != std::string_view::npos;
       at = message.find(key, at + 1)) {
    const std::size_t begin = at + key.size();
    const bool whole = (at == 0 || message[at - 1] == ' ' || message[at - 1] == '[') &&
                       begin < message.size() && (message[begin] == ' ' || message[begin] == '=');
    if (!whole) continue;
    const std::string_view rest = message.substr(begin + 1);
    return rest.substr(0, rest.find_first_of(" ,]"));
  }
  return {};
}

std::optional<std::int64_t> number_after(std::string_view message, std::string_view key) {
  return number(word_after(message, key));
}

std::optional<std::int64_t> hexadecimal_after(std::string_view message, std::string_view key) {
  std::string_view word = word_after(message, key);
  if (word.starts_with("0x")) word.remove_prefix(2);
  return number(word, 16);
}

}  // namespace quintet
