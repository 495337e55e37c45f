// What stands in one event of the file, as text: who needs a number makes one of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace quintet::kineto {

enum class Field : std::uint8_t {
  // Of the event.
  phase,
  category,
  name,
  process,
  thread,
  start,
  time,
  flow,
  // Of its "args".
  external,
  record,  // "Record function id"
  sequence,
  forward_thread,
  shapes,  // as JSON
  types,   // as JSON
  correlation,
  device,
  stream,
  bytes,
  copy_kind,  // AMD's: "HtoD", "1"
  grid,       // as JSON
  sync_kind,
  waited_stream,
  waited_record,  // correlation of the cudaEventRecord
  collective,
  data_type,
  elements_in,
  elements_out,
  group_size,
  group_name,
  group_description,
  group_ranks,
  group_sequence,
  source_rank,
  target_rank,
  given_name,  // that a metadata event gives to a row
  labels,
};
inline constexpr std::size_t field_count = static_cast<std::size_t>(Field::labels) + 1;

class EventFields {
 public:
  bool has(Field field) const { return (there_ >> static_cast<unsigned>(field)) & 1; }
  // Empty where it is not there. Strings are without quotes and escapes, and valid while what was
  // parsed and this are.
  std::string_view operator[](Field field) const {
    return has(field) ? texts_[static_cast<std::size_t>(field)] : std::string_view{};
  }
  void put(Field field, std::string_view text) {
    texts_[static_cast<std::size_t>(field)] = text;
    there_ |= std::uint64_t{1} << static_cast<unsigned>(field);
  }
  // A string as it stands in the file, between its quotes.
  void put_escaped(Field field, std::string_view text);
  void clear() {
    there_ = 0;
    unescaped_.clear();
  }

 private:
  std::uint64_t there_ = 0;
  std::array<std::string_view, field_count> texts_;
  std::deque<std::string> unescaped_;
};
static_assert(field_count <= 64);

// Which field a key means, of an event or of its "args".
enum class KeyOf { event, args };
constexpr std::size_t no_field = field_count, args_field = field_count + 1;
std::size_t field_of_key(KeyOf of, std::string_view key);

// Without JSON's escapes; what is none stays as it is, for profilers have written Windows paths.
std::string unescaped(std::string_view text);

}  // namespace quintet::kineto
