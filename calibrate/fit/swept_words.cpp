#include "calibrate/fit/swept_words.h"

#include <array>
#include <cctype>
#include <span>
#include <utility>

namespace quintet::calibrate {
namespace {

constexpr std::array<std::pair<std::string_view, Swept>, 7> words{{
    {"allreduce", Swept::all_reduce},
    {"reducescatter", Swept::reduce_scatter},
    {"allgather", Swept::all_gather},
    {"broadcast", Swept::broadcast},
    {"reduce", Swept::reduce},
    {"alltoall", Swept::all_to_all},
    {"sendrecv", Swept::send_receive},
}};

bool is_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

// Small letters and digits alone.
std::string plain(std::string_view word) {
  std::string text;
  for (const char letter : word)
    if (is_letter(letter))
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

// This finds the one of the values whose name the word is.
template <class Values>
auto named(std::string_view word, const Values& values)
    -> std::optional<typename Values::value_type> {
  for (const auto value : values)
    if (plain(word) == plain(name_of(value))) return value;
  return std::nullopt;
}

}  // namespace

std::optional<Swept> swept_named(std::string_view word) {
  const std::string found = plain(word);
  for (const auto& [name, kind] : words)
    if (found == name) return kind;
  return std::nullopt;
}

std::optional<Algorithm> algorithm_named(std::string_view word) {
  return named(word, std::span(all_algorithms).first<nccl_algorithm_count>());
}

std::optional<Protocol> protocol_named(std::string_view word) {
  return named(word, std::array{Protocol::ll, Protocol::ll128, Protocol::simple});
}

std::string_view name_of(Swept kind) {
  switch (kind) {
    case Swept::all_reduce:
      return "all_reduce";
    case Swept::reduce_scatter:
      return "reduce_scatter";
    case Swept::all_gather:
      return "all_gather";
    case Swept::broadcast:
      return "broadcast";
    case Swept::reduce:
      return "reduce";
    case Swept::all_to_all:
      return "all_to_all";
    case Swept::send_receive:
      break;
  }
  return "send_receive";
}

std::string swept_words() {
  return "all_reduce, reduce_scatter, all_gather, broadcast, reduce, alltoall, sendrecv";
}

std::optional<Swept> swept_in(std::string_view text) {
  for (std::size_t at = text.find("_perf"); at != std::string_view::npos;
       at = text.find("_perf", at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && (is_letter(text[begin - 1]) || text[begin - 1] == '_')) --begin;
    if (const auto kind = swept_named(text.substr(begin, at - begin))) return kind;
  }
  return std::nullopt;
}

}  // namespace quintet::calibrate
