#include "sim/base/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "sim/base/shown_text.h"
#include "sim/base/usual_words.h"

namespace quintet {
namespace {

struct Unit {
  std::string_view name;
  double scale;  // base units in one of these
};

// What a kind of quantity is called, how it looks, and its units. Printing tries the printed units
// only; they ascend.
struct Kind {
  std::string_view name;
  std::string_view example;
  std::span<const Unit> printed;
  std::span<const Unit> also_read;
  std::span<const Unit> tolerated = {};
};

constexpr double kibi = 1024.0, mebi = kibi * kibi, gibi = mebi * kibi, tebi = gibi * kibi;

constexpr std::array size_units{Unit{"B", 1.0},  Unit{"KB", 1e3},  Unit{"MB", 1e6},
                                Unit{"GB", 1e9}, Unit{"TB", 1e12}, Unit{"PB", 1e15}};
constexpr std::array binary_size_units{Unit{"KiB", kibi},       Unit{"MiB", mebi},
                                       Unit{"GiB", gibi},       Unit{"TiB", tebi},
                                       Unit{"PiB", tebi* kibi}, Unit{"kB", 1e3}};
constexpr std::array time_units{Unit{"ps", 1e-12}, Unit{"ns", 1e-9}, Unit{"us", 1e-6},
                                Unit{"ms", 1e-3}, Unit{"s", 1.0}};
constexpr std::array more_time_units{Unit{"µs", 1e-6}, Unit{"min", 60.0}, Unit{"h", 3600.0}};
constexpr std::array rate_units{Unit{"B/s", 1.0},  Unit{"KB/s", 1e3},  Unit{"MB/s", 1e6},
                                Unit{"GB/s", 1e9}, Unit{"TB/s", 1e12}, Unit{"PB/s", 1e15}};
constexpr std::array more_rate_units{
    Unit{"kB/s", 1e3},    Unit{"KiB/s", kibi},  Unit{"MiB/s", mebi},  Unit{"GiB/s", gibi},
    Unit{"TiB/s", tebi},  Unit{"b/s", 0.125},   Unit{"bps", 0.125},   Unit{"Kb/s", 125.0},
    Unit{"Kbps", 125.0},  Unit{"kb/s", 125.0},  Unit{"kbps", 125.0},  Unit{"Mb/s", 1.25e5},
    Unit{"Mbps", 1.25e5}, Unit{"Gb/s", 1.25e8}, Unit{"Gbps", 1.25e8}, Unit{"Tb/s", 1.25e11},
    Unit{"Tbps", 1.25e11}};
// Read, and not told of: what people write beside the above. "gbps" is bits as everywhere.
constexpr std::array tolerated_rate_units{
    Unit{"kbps", 125.0}, Unit{"mbps", 1.25e5},   Unit{"gbps", 1.25e8},    Unit{"tbps", 1.25e11},
    Unit{"KBps", 1e3},   Unit{"MBps", 1e6},      Unit{"GBps", 1e9},       Unit{"TBps", 1e12},
    Unit{"GiBps", gibi}, Unit{"Gbit/s", 1.25e8}, Unit{"Gbits/s", 1.25e8}, Unit{"Tbit/s", 1.25e11}};
constexpr std::array tolerated_flop_units{Unit{"GFLOPS", 1e9}, Unit{"TFLOPS", 1e12},
                                          Unit{"PFLOPS", 1e15}, Unit{"TFLOPs", 1e12},
                                          Unit{"PFLOPs", 1e15}};
constexpr std::array flop_units{Unit{"FLOP/s", 1.0},  Unit{"KFLOP/s", 1e3},  Unit{"MFLOP/s", 1e6},
                                Unit{"GFLOP/s", 1e9}, Unit{"TFLOP/s", 1e12}, Unit{"PFLOP/s", 1e15},
                                Unit{"EFLOP/s", 1e18}};
constexpr std::array power_units{Unit{"mW", 1e-3}, Unit{"W", 1.0}, Unit{"kW", 1e3},
                                 Unit{"MW", 1e6}};
constexpr std::array price_units{Unit{"$/h", 1.0}};
constexpr std::array more_price_units{Unit{"USD/h", 1.0}};

constexpr Kind size_kind{"a size", "80 GiB", size_units, binary_size_units};
constexpr Kind time_kind{"a time", "1.2 us", time_units, more_time_units};
constexpr Kind rate_kind{"a bandwidth", "450 GB/s", rate_units, more_rate_units,
                         tolerated_rate_units};
constexpr Kind flop_kind{
    "a rate of operations", "989.4 TFLOP/s", flop_units, {}, tolerated_flop_units};
constexpr Kind power_kind{"a power", "700 W", power_units, {}};
constexpr Kind price_kind{"a price", "2.5 $/h", price_units, more_price_units};

constexpr std::array<DataType, 7> data_types{DataType::fp32, DataType::tf32, DataType::fp16,
                                             DataType::bf16, DataType::fp8,  DataType::int32,
                                             DataType::int8};

bool same_letters(std::string_view left, std::string_view right) {
  return plain_word(left) == plain_word(right);
}

// Units that begin like this one, one of each size: "400G" may be bytes or bits.
std::string units_like(const Kind& kind, double number, std::string_view begin) {
  constexpr std::size_t most = 3;
  std::vector<double> seen;
  std::string likely;
  for (const std::span<const Unit> units : {kind.printed, kind.also_read})
    for (const Unit& unit : units) {
      const bool known = std::find(seen.begin(), seen.end(), unit.scale) != seen.end();
      if (known || seen.size() == most || begin.empty() || begin.size() > unit.name.size() ||
          !same_letters(unit.name.substr(0, begin.size()), begin))
        continue;
      seen.push_back(unit.scale);
      likely += fmt::format("{}\"{} {}\"", likely.empty() ? "" : " or ", number, unit.name);
    }
  return likely.empty() ? "" : "; did you mean " + likely + "?";
}

// A number without a unit, or with one that is none.
struct Split {
  double number = 0.0;
  std::string_view unit;
};

std::optional<Split> split(std::string_view text) {
  Split parts;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, parts.number);
  if (status != std::errc{}) return std::nullopt;
  parts.unit = {stop, static_cast<std::size_t>(end - stop)};
  while (parts.unit.starts_with(' ')) parts.unit.remove_prefix(1);
  return parts;
}

Error refusal(const Kind& kind, std::string_view text) {
  const std::optional<Split> parts = split(text);
  std::string names;
  for (const std::span<const Unit> units : {kind.printed, kind.also_read})
    for (const Unit& unit : units) names += (names.empty() ? "" : ", ") + std::string(unit.name);
  return {"",
          "expected " + std::string(kind.name) + " such as " + in_quotes(kind.example) +
              " (units: " + names + "), found " + in_quotes(text) +
              (parts && std::isfinite(parts->number) ? units_like(kind, parts->number, parts->unit)
                                                     : "")};
}

// By its name; else by its letters whatever their case, where all units with these are one size.
std::optional<double> scale_of(const Kind& kind, std::string_view name) {
  std::optional<double> alike;
  bool several = false;
  for (const std::span<const Unit> units : {kind.printed, kind.also_read, kind.tolerated})
    for (const Unit& unit : units) {
      if (unit.name == name) return unit.scale;
      if (!same_letters(unit.name, name)) continue;
      several = several || (alike && *alike != unit.scale);
      alike = unit.scale;
    }
  return several ? std::nullopt : alike;
}

Result<double> parse(const Kind& kind, std::string_view text) {
  const std::optional<Split> parts = split(text);
  if (!parts) return refusal(kind, text);
  const std::optional<double> scale = scale_of(kind, parts->unit);
  // from_chars reads "inf" and "nan", and 1e300 TB overflows only here.
  if (!scale || !std::isfinite(parts->number * *scale)) return refusal(kind, text);
  return parts->number * *scale;
}

template <class Quantity>
Result<Quantity> parse_as(const Kind& kind, std::string_view text) {
  const Result<double> value = parse(kind, text);
  if (!value) return value.error();
  return Quantity{*value};
}

double parsed(std::string_view digits) {
  double number = 0.0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// The fewest decimals of value / scale that `parse` turns into the same value again; none if the
// product never rounds to it.
std::optional<std::string> digits_in(double value, double scale) {
  if (std::abs(value / scale) >= 1e12) return std::nullopt;
  std::array<char, 40> buffer;
  for (int decimals = 0; decimals <= 17; ++decimals) {
    const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                             value / scale, std::chars_format::fixed, decimals);
    const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    if (status == std::errc{} && parsed(digits) * scale == value) return std::string(digits);
  }
  return std::nullopt;
}

// Seventeen digits of the base unit give back any double.
std::string in_base_unit(double value, const Kind& kind) {
  std::array<char, 40> buffer;
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string shown(buffer.data(), end);
  for (const Unit& unit : kind.printed)
    if (unit.scale == 1.0) return shown + " " + std::string(unit.name);
  return shown;
}

// The largest unit of which there is at least one, else the smallest.
const Unit& natural_unit(double value, std::span<const Unit> units) {
  const Unit* best = &units.front();
  for (const Unit& unit : units)
    if (std::abs(value) >= unit.scale) best = &unit;
  return *best;
}

std::string print(double value, const Kind& kind) {
  if (value == 0.0) return in_base_unit(0.0, kind);
  const Unit& unit = natural_unit(value, kind.printed);
  const std::optional<std::string> digits = digits_in(value, unit.scale);
  return digits ? *digits + " " + std::string(unit.name) : in_base_unit(value, kind);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) {
  return parse_as<Bytes>(size_kind, text);
}
Result<Seconds> parse_seconds(std::string_view text) {
  return parse_as<Seconds>(time_kind, text);
}
Result<Bandwidth> parse_bandwidth(std::string_view text) {
  return parse_as<Bandwidth>(rate_kind, text);
}
Result<FlopRate> parse_flop_rate(std::string_view text) {
  return parse_as<FlopRate>(flop_kind, text);
}
Result<Watts> parse_watts(std::string_view text) {
  return parse_as<Watts>(power_kind, text);
}
Result<DollarsPerHour> parse_price(std::string_view text) {
  return parse_as<DollarsPerHour>(price_kind, text);
}

std::vector<std::string> data_type_words() {
  std::vector<std::string> words;
  for (const DataType type : data_types) words.emplace_back(name_of(type));
  return words;
}

Result<DataType> parse_data_type(std::string_view text) {
  std::string names;
  std::vector<std::string_view> words;
  for (const DataType type : data_types) {
    words.push_back(name_of(type));
    names += (names.empty() ? "" : ", ") + std::string(name_of(type));
  }
  if (const auto meant = word_meant(text, words)) return data_types.at(*meant);
  return Error{"", "expected one of " + names + ", found " + in_quotes(text)};
}

std::string text(Bytes size) {
  const std::string decimal = print(size.value, size_kind);
  const std::span<const Unit> binary = std::span(binary_size_units).first(5);
  const Unit& unit = natural_unit(size.value, binary);
  const double count = size.value / unit.scale;
  if (size.value == 0.0 || count != std::trunc(count)) return decimal;
  const std::optional<std::string> digits = digits_in(size.value, unit.scale);
  if (!digits || digits->size() > decimal.find(' ')) return decimal;
  return *digits + " " + std::string(unit.name);
}
std::string text(Seconds time) {
  return print(time.value, time_kind);
}
std::string rounded_text(Seconds time) {
  // The unit is that of the rounded value: 0.99999 ms are 1 ms.
  const double value = std::strtod(fmt::format("{:.4g}", time.value).c_str(), nullptr);
  const Unit& unit = natural_unit(value * (1 + 1e-12), time_units);
  return fmt::format("{:.4g} {}", value / unit.scale, unit.name);
}
std::string text(Bandwidth rate) {
  return print(rate.value, rate_kind);
}
std::string text(FlopRate rate) {
  return print(rate.value, flop_kind);
}
std::string text(Watts power) {
  return print(power.value, power_kind);
}
std::string text(DollarsPerHour price) {
  return print(price.value, price_kind);
}

std::string_view name_of(DataType type) {
  switch (type) {
    case DataType::fp32:
      return "fp32";
    case DataType::tf32:
      return "tf32";
    case DataType::fp16:
      return "fp16";
    case DataType::bf16:
      return "bf16";
    case DataType::fp8:
      return "fp8";
    case DataType::int32:
      return "int32";
    case DataType::int8:
      return "int8";
  }
  return {};
}

}  // namespace quintet
