// Fields that are text with a unit, or a data type: the part of json_fields.h that knows
// quantities.
#include "sim/base/shown_text.h"
#include "sim/json/json_fields.h"

namespace quintet {

template <class Quantity>
Quantity JsonObject::read_quantity(const FieldKey& key, Need need, Quantity fallback,
                                   const Reading<Quantity>& reading) {
  if (recording()) return record(key, reading.kind, need), fallback;
  const std::string expected = "text with a unit such as " + in_quotes(reading.example);
  const nlohmann::json* const json = find(key, need, expected);
  if (json == nullptr) return fallback;
  if (!json->is_string()) return fail_expecting(key, expected, *json), fallback;
  const Result<Quantity> value = reading.parse(json->get_ref<const std::string&>());
  if (!value) return fail(key, value.error().what), fallback;
  if (*value < Quantity{})
    return fail(key, "must not be negative, found " + described(*json)), fallback;
  if (reading.zero == Zero::refused && *value == Quantity{})
    return fail(key, "must be more than zero, found " + described(*json)), fallback;
  return *value;
}

Bytes JsonObject::read_bytes(const FieldKey& key, Need need, Bytes fallback) {
  return read_quantity(key, need, fallback,
                       Reading<Bytes>{&parse_bytes, "80 GiB", Zero::accepted, FieldKind::size});
}

Seconds JsonObject::read_seconds(const FieldKey& key, Need need, Seconds fallback) {
  return read_quantity(key, need, fallback,
                       Reading<Seconds>{&parse_seconds, "1.2 us", Zero::accepted, FieldKind::time});
}

Bandwidth JsonObject::read_bandwidth(const FieldKey& key, Need need, Bandwidth fallback) {
  return read_quantity(
      key, need, fallback,
      Reading<Bandwidth>{&parse_bandwidth, "450 GB/s", Zero::refused, FieldKind::bandwidth});
}

DataType JsonObject::read_data_type(const FieldKey& key, Need need, DataType fallback) {
  if (RecordedField* const field = record(key, FieldKind::word, need)) {
    field->is.words = data_type_words();
    return fallback;
  }
  const nlohmann::json* const json = find(key, need, "a data type such as \"bf16\"");
  if (json == nullptr) return fallback;
  if (!json->is_string())
    return fail_expecting(key, "a data type such as \"bf16\"", *json), fallback;
  const Result<DataType> type = parse_data_type(json->get_ref<const std::string&>());
  if (!type) fail(key, type.error().what);
  return type ? *type : fallback;
}

namespace {

std::string exact(double value, const char* unit) {
  return dumped(value) + unit;
}

}  // namespace

std::string exact_text(Bytes size) {
  return exact(size.value, " B");
}
std::string exact_text(Seconds time) {
  return exact(time.value, " s");
}
std::string exact_text(Bandwidth rate) {
  return exact(rate.value, " B/s");
}

Bytes JsonObject::bytes(const FieldKey& key) {
  return read_bytes(key, Need::required, {});
}
Seconds JsonObject::seconds(const FieldKey& key) {
  return read_seconds(key, Need::required, {});
}
Bandwidth JsonObject::bandwidth(const FieldKey& key) {
  return read_bandwidth(key, Need::required, {});
}
FlopRate JsonObject::flop_rate(const FieldKey& key) {
  return read_quantity(
      key, Need::required, FlopRate{},
      Reading<FlopRate>{&parse_flop_rate, "989.4 TFLOP/s", Zero::refused, FieldKind::flop_rate});
}
Watts JsonObject::watts(const FieldKey& key) {
  return read_quantity(key, Need::required, Watts{},
                       Reading<Watts>{&parse_watts, "700 W", Zero::accepted, FieldKind::power});
}
DollarsPerHour JsonObject::price(const FieldKey& key) {
  return read_quantity(
      key, Need::required, DollarsPerHour{},
      Reading<DollarsPerHour>{&parse_price, "2.5 $/h", Zero::accepted, FieldKind::price});
}
DataType JsonObject::data_type(const FieldKey& key) {
  return read_data_type(key, Need::required, {});
}

Bytes JsonObject::bytes_or(const FieldKey& key, Bytes fallback) {
  return read_bytes(key, Need::optional, fallback);
}
Seconds JsonObject::seconds_or(const FieldKey& key, Seconds fallback) {
  return read_seconds(key, Need::optional, fallback);
}
Bandwidth JsonObject::bandwidth_or(const FieldKey& key, Bandwidth fallback) {
  return read_bandwidth(key, Need::optional, fallback);
}
DataType JsonObject::data_type_or(const FieldKey& key, DataType fallback) {
  return read_data_type(key, Need::optional, fallback);
}

}  // namespace quintet
