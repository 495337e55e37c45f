// What stands in one event of the file, as text: who needs a number makes one of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "traces/json_stream/field_texts.h"

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

using EventFields = json_stream::FieldTexts<Field, field_count>;

// Which field a key means, of an event or of its "args".
enum class KeyOf { event, args };
constexpr std::size_t no_field = field_count, args_field = field_count + 1;
std::size_t field_of_key(KeyOf of, std::string_view key);

}  // namespace quintet::kineto
