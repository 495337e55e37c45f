#include "sim/money/prices_file.h"

#include <algorithm>

#include "sim/base/text_file.h"
#include "sim/json/field_list.h"

namespace quintet {

std::string_view name_of(PriceBasis basis) {
  switch (basis) {
    case PriceBasis::list:
      return "list";
    case PriceBasis::estimate:
      return "estimate";
  }
  return {};
}

namespace {

constexpr const char* money_without_unit =
    "expected an amount of money such as \"25000 $\", found a number without a unit";

template <class File>
void amount(File& file, const FieldKey& key, Dollars& value) {
  // What is read first is the text; where that fails, the first complaint stands.
  std::string written = std::is_same_v<File, FieldReader> ? "" : text(value);
  if constexpr (std::is_same_v<File, FieldReader>)
    if (file.is_number(key)) return file.refuse(key, money_without_unit);
  file.required(key, written);
  const Result<Dollars> read = parse_dollars(written);
  if (!read) return file.refuse(key, read.error().what);
  value = *read;
}

template <class Range>
bool ascends(const Range& range) {
  return range.low <= range.usual && range.usual <= range.high;
}

constexpr const char* no_range = "must lie from low to high; give those other values too";

template <class File>
void origin(File& file, PriceOrigin& origin) {
  file.field({"basis", "a public price list, or somebody's estimate"}, origin.basis);
  file.required({"year", "of the price"}, origin.year, Between{1990, 2100});
  file.required({"source", "who says so"}, origin.source);
}

template <class File>
void amounts(File& file, Amounts& amounts) {
  amount(file, {"low", "the least that was heard of, such as \"20000 $\""}, amounts.low);
  amount(file, {"usual", "what is counted with"}, amounts.usual);
  amount(file, {"high", "the most"}, amounts.high);
  if (!ascends(amounts)) file.refuse("usual", no_range);
}

template <class Entry>
bool ascend(const std::vector<Entry>& entries) {
  return std::is_sorted(entries.begin(), entries.end(), [](const Entry& one, const Entry& other) {
    if constexpr (requires { one.up_to; })
      return one.up_to < other.up_to;
    else
      return one.up_to_gpus < other.up_to_gpus;
  });
}

template <class File, class Entry>
void ascending(File& file, const FieldKey& key, std::vector<Entry>& entries) {
  file.required(key, entries);
  if (!ascend(entries)) file.refuse(key, "must be in ascending order of what they are up to");
}

}  // namespace

template <class File>
void fields(File& file, Price& price) {
  amounts(file, price.amount);
  origin(file, price.origin);
}

template <class File>
void fields(File& file, PriceFactor& factor) {
  constexpr Between<double> any{0.0, 1000.0};
  file.required({"low", "of the range"}, factor.low, any);
  file.required({"usual", "what is counted with"}, factor.usual, any);
  file.required({"high", "of the range"}, factor.high, any);
  if (!ascends(factor)) file.refuse("usual", no_range);
  origin(file, factor.origin);
}

template <class File>
void fields(File& file, Drawn& drawn) {
  constexpr Between<double> share{0.0, 1.0};
  file.required({"low", "share of the rated power"}, drawn.low, share);
  file.field({"usual", "what is counted with; left out: as the step's power model says"},
             drawn.usual, share);
  file.required({"high", "share of the rated power"}, drawn.high, share);
  if (drawn.high < drawn.low) file.refuse("high", "is below low");
  origin(file, drawn.origin);
}

template <class File>
void fields(File& file, GpuPrice& gpu) {
  file.required({"gpu", "its name in machines"}, gpu.gpu);
  file.required({"bought", "one GPU"}, gpu.bought);
  file.required({"rented_by_hour",
                 "one GPU, host and network included; a machine's own price, "
                 "where it has one, is the usual"},
                gpu.rented_by_hour);
}

template <class File>
void fields(File& file, HostPrice& host) {
  file.required({"up_to_gpus", "hosts of so many GPUs or fewer; 0: without"}, host.up_to_gpus,
                Between{0, 1 << 20});
  file.required({"bought", "one host, all but its GPUs and NICs"}, host.bought);
}

template <class File>
void fields(File& file, RatePrice& part) {
  file.required({"up_to", "such a rate per direction or less"}, part.up_to);
  file.required({"bought", "one of them"}, part.bought);
}

template <class File>
void fields(File& file, SwitchPrice& box) {
  file.required({"up_to", "ports of such a rate or less"}, box.up_to);
  file.required({"ports", "of one box"}, box.ports, Between{1, 1 << 20});
  file.required({"bought", "one box, without transceivers"}, box.bought);
}

template <class File>
void fields(File& file, Prices& prices) {
  file.required({"name", "of the prices in reports"}, prices.name);
  file.required({"gpus", "by kind"}, prices.gpus);
  ascending(file, {"hosts", "by how many GPUs they have"}, prices.hosts);
  ascending(file, {"nics", "by rate"}, prices.nics);
  ascending(file, {"switches", "by the rate of a port"}, prices.switches);
  ascending(file, {"cables", "by rate, without transceivers"}, prices.cables);
  ascending(file, {"optics", "transceivers, by rate"}, prices.optics);
  constexpr Between<int> ends{0, 2};
  file.field({"optics_per_host_cable", "transceivers of a cable from NIC to switch; 0: copper"},
             prices.optics_per_host_cable, ends);
  file.field({"optics_per_trunk", "transceivers of a cable between switches"},
             prices.optics_per_trunk, ends);
  file.required({"electricity", "a kWh"}, prices.electricity);
  file.required({"pue", "energy of the building / of the machines in it"}, prices.pue);
  file.required({"drawn", "share of the rated power of GPUs, hosts and network that they draw"},
                prices.drawn);
  file.required({"years", "over which what was bought is written off"}, prices.years);
  file.required({"upkeep", "per year, as a share of what was bought"}, prices.upkeep);
  if (prices.pue.low < 1 && !prices.pue.origin.source.empty())
    file.refuse("pue", "is below 1: a building takes no less than the machines in it");
  if (prices.years.low <= 0 && !prices.years.origin.source.empty())
    file.refuse("years", "must be more than 0");
}

namespace {

Prices read_all(JsonObject& root) {
  Prices prices;
  FieldReader reader(root);
  fields(reader, prices);
  return prices;
}

}  // namespace

Result<Prices> parse_prices(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  Prices prices = read_all(root);
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  return prices;
}

Result<Prices> read_prices(const std::filesystem::path& file, const FieldChanges& changes) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  const Result<std::string> changed = changed_text(*text, file.string(), changes);
  if (!changed) return changed.error();
  Result<Prices> prices = parse_prices(*changed, file.string());
  if (!prices) return blamed(prices.error(), changes);
  return prices;
}

FieldDescription price_fields() {
  const FieldRecording recording = recorded([](FieldRecording& into) {
    JsonObject root(into);
    static_cast<void>(read_all(root));
  });
  return description_of(recording.root);
}

}  // namespace quintet
