#include "traces/kineto/event_fields.h"

#include <charconv>
#include <optional>

namespace quintet::kineto {
namespace {

struct Key {
  std::string_view name;
  std::size_t field = no_field;
  constexpr Key() = default;
  constexpr Key(std::string_view key, Field meant)
      : name(key), field(static_cast<std::size_t>(meant)) {}
  constexpr Key(std::string_view key, std::size_t meant) : name(key), field(meant) {}
};

constexpr std::array event_keys{
    Key{"ph", Field::phase},    Key{"cat", Field::category}, Key{"name", Field::name},
    Key{"pid", Field::process}, Key{"tid", Field::thread},   Key{"ts", Field::start},
    Key{"dur", Field::time},    Key{"args", args_field},     Key{"id", Field::flow},
};

constexpr std::array args_keys{
    Key{"External id", Field::external},
    Key{"correlation", Field::correlation},
    Key{"device", Field::device},
    Key{"stream", Field::stream},
    Key{"grid", Field::grid},
    Key{"bytes", Field::bytes},
    Key{"size", Field::bytes},
    Key{"kind", Field::copy_kind},
    Key{"Record function id", Field::record},
    Key{"Sequence number", Field::sequence},
    Key{"Fwd thread id", Field::forward_thread},
    Key{"Input Dims", Field::shapes},
    Key{"Input type", Field::types},
    Key{"cuda_sync_kind", Field::sync_kind},
    Key{"wait_on_stream", Field::waited_stream},
    Key{"wait_on_cuda_event_record_corr_id", Field::waited_record},
    Key{"Collective name", Field::collective},
    Key{"dtype", Field::data_type},
    Key{"In msg nelems", Field::elements_in},
    Key{"Out msg nelems", Field::elements_out},
    Key{"Group size", Field::group_size},
    Key{"Process Group Name", Field::group_name},
    Key{"Process Group Description", Field::group_description},
    Key{"Process Group Ranks", Field::group_ranks},
    Key{"Seq", Field::group_sequence},
    Key{"Src Rank", Field::source_rank},
    Key{"Dst Rank", Field::target_rank},
    Key{"name", Field::given_name},
    Key{"labels", Field::labels},
    Key{"external id", Field::external},
    Key{"Device Id", Field::device},
    Key{"Stream Id", Field::stream},
};

constexpr std::size_t hash_of(std::string_view key) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(key[at]); };
  return key.size() * 37 + byte(0) * 11 + byte(key.size() - 1) * 5 + byte(key.size() / 2);
}

// Most keys of a trace are none of ours: they are known by one look at an empty place.
template <std::size_t count>
class KeyTable {
 public:
  constexpr explicit KeyTable(const std::array<Key, count>& keys) {
    for (const Key& key : keys) {
      std::size_t at = hash_of(key.name) % size;
      while (!slots_[at].name.empty()) at = (at + 1) % size;
      slots_[at] = key;
    }
  }
  std::size_t find(std::string_view key) const {
    std::size_t at = hash_of(key) % size;
    for (; !slots_[at].name.empty(); at = (at + 1) % size)
      if (slots_[at].name == key) return slots_[at].field;
    return no_field;
  }

 private:
  static constexpr std::size_t size = 256;
  std::array<Key, size> slots_{};
};
constexpr KeyTable event_table(event_keys);
constexpr KeyTable args_table(args_keys);

// Of four hexadecimal digits; nothing: they are none.
std::optional<std::uint32_t> code_unit(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  std::uint32_t value = 0;
  const char* first = text.data() + at;
  const auto [stopped, wrong] = std::from_chars(first, first + 4, value, 16);
  if (wrong != std::errc{} || stopped != first + 4) return std::nullopt;
  return value;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xC0 | code >> 6), add(0x80 | (code & 0x3F));
  if (code < 0x10000)
    return add(0xE0 | code >> 12), add(0x80 | (code >> 6 & 0x3F)), add(0x80 | (code & 0x3F));
  add(0xF0 | code >> 18), add(0x80 | (code >> 12 & 0x3F));
  add(0x80 | (code >> 6 & 0x3F)), add(0x80 | (code & 0x3F));
}

// What follows "\u" at `at`; returns how much of it was taken, 0: it is no character.
std::size_t append_code(std::string& text, std::string_view from, std::size_t at) {
  const auto first = code_unit(from, at);
  if (!first) return 0;
  const bool high = *first >= 0xD800 && *first < 0xDC00;
  if (high && at + 6 <= from.size() && from[at + 4] == '\\' && from[at + 5] == 'u') {
    const auto second = code_unit(from, at + 6);
    if (second && *second >= 0xDC00 && *second < 0xE000) {
      append_utf8(text, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
      return 10;
    }
  }
  const bool alone = *first >= 0xD800 && *first < 0xE000;  // half a character
  append_utf8(text, alone ? 0xFFFD : *first);
  return 4;
}

// Of the character after a backslash; 0: it is none of JSON's.
char escape_of(char character) {
  switch (character) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case '"':
    case '\\':
    case '/':
      return character;
    default:
      return 0;
  }
}

}  // namespace

std::size_t field_of_key(KeyOf of, std::string_view key) {
  if (key.empty()) return no_field;
  return of == KeyOf::event ? event_table.find(key) : args_table.find(key);
}

std::string unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at];
    } else if (const char escaped = escape_of(text[at + 1])) {
      plain += escaped;
      ++at;
    } else if (const std::size_t taken =
                   text[at + 1] == 'u' ? append_code(plain, text, at + 2) : 0) {
      at += 1 + taken;
    } else {
      plain += '\\';
    }
  }
  return plain;
}

void EventFields::put_escaped(Field field, std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return put(field, text);
  put(field, unescaped_.emplace_back(unescaped(text)));
}

}  // namespace quintet::kineto
