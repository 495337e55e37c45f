// Numbers of fields.
#pragma once

#include <cstdint>

#include "traces/json_stream/decimal_numbers.h"
#include "traces/kineto/event_fields.h"

namespace quintet::kineto {

// -1: it is not there, no whole number, or below 0.
inline std::int64_t number(const EventFields& fields, Field field) {
  if (!fields.has(field)) return -1;
  const auto value = json_stream::integer_of(fields[field]);
  return value && *value >= 0 ? *value : -1;
}

// Numbers that profilers count from 1: 0 says nothing.
inline std::int64_t identifier(const EventFields& fields, Field field) {
  const std::int64_t value = number(fields, field);
  return value > 0 ? value : -1;
}

// A stream's: older writers have 2^32 - 1 for none.
inline std::int64_t stream_number(const EventFields& fields, Field field) {
  const std::int64_t value = number(fields, field);
  return value < 0xFFFF'FFFF ? value : -1;
}

}  // namespace quintet::kineto
