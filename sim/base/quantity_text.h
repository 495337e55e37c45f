// Quantities as people write them in files: a number, a space, a unit ("450 GB/s", "1.2 us", "80
// GiB"). Decimal prefixes are powers of 1000, binary ones (Ki, Mi, Gi) powers of 1024; "Gb/s" and
// "Gbps" are bits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet {

// Accept finite numbers only; signs are accepted here and judged by the reader. The error says
// which units would do.
Result<Bytes> parse_bytes(std::string_view text);
Result<Seconds> parse_seconds(std::string_view text);
Result<Bandwidth> parse_bandwidth(std::string_view text);
Result<FlopRate> parse_flop_rate(std::string_view text);    // "989.4 TFLOP/s"
Result<Watts> parse_watts(std::string_view text);           // "700 W", "10.2 kW"
Result<DollarsPerHour> parse_price(std::string_view text);  // "2.5 $/h"
Result<DataType> parse_data_type(std::string_view text);    // "bf16"
std::vector<std::string> data_type_words();                 // all that it accepts, as we write them

// Readable by the parsers above, to the same value (shortest exact form is not needed for round
// figures).
std::string text(Bytes size);
std::string text(Seconds time);
std::string text(Bandwidth rate);
std::string text(FlopRate rate);
std::string text(Watts power);
std::string text(DollarsPerHour price);
std::string_view name_of(DataType type);

// For people: at most four digits of it, "120 s", "49.87 ms".
std::string rounded_text(Seconds time);

// The shortest digits in the base unit that read back to the same number: "1.25e-05 s".
std::string exact_text(Bytes size);
std::string exact_text(Seconds time);
std::string exact_text(Bandwidth rate);

}  // namespace quintet
