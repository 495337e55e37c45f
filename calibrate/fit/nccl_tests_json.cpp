#include <fmt/format.h>

#include <set>

#include "calibrate/fit/measurement_files.h"
#include "calibrate/fit/swept_words.h"
#include "sim/base/shown_text.h"
#include "sim/json/json_fields.h"

namespace quintet::calibrate {
namespace {

using Json = nlohmann::json;

const Json* member(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() ? &*found : nullptr;
}

// The collective that the program's own name says.
std::optional<Swept> kind_of(const Json& json, const std::string& file) {
  if (const Json* const arguments = member(json, "args"); arguments && arguments->is_array())
    for (const Json& each : *arguments)
      if (each.is_string())
        if (const auto kind = swept_in(each.get_ref<const std::string&>())) return kind;
  return swept_in(file);
}

struct Job {
  int ranks = 0;
  std::set<std::string> hosts;
  std::string gpu;
};

Job job_of(const Json& json) {
  Job job;
  const Json* const config = member(json, "config");
  const Json* const devices = config ? member(*config, "devices") : nullptr;
  if (!devices || !devices->is_array()) return job;
  for (const Json& device : *devices) {
    ++job.ranks;
    if (const Json* const host = member(device, "hostname"); host && host->is_string())
      job.hosts.insert(host->get<std::string>());
    if (const Json* const gpu = member(device, "device_info"); gpu && gpu->is_string())
      job.gpu = shown(gpu->get_ref<const std::string&>(), 60);
  }
  return job;
}

class ResultReader {
 public:
  explicit ResultReader(std::string place) : place_(std::move(place)) {}

  Result<CollectiveSample> sample(const Json& row) const {
    const Json* const size = member(row, "size");
    if (!size || !size->is_number_unsigned())
      return Error{place_ + ".size", "expected a size in bytes"};
    const Json* body = member(row, "out_of_place");
    const char* const which = body && body->is_object() ? ".out_of_place" : ".in_place";
    if (!body || !body->is_object()) body = member(row, "in_place");
    if (!body || !body->is_object())
      return Error{place_, "expected an object \"out_of_place\" or \"in_place\""};
    if (member(*body, "cpu_time"))
      return Error{place_ + which + ".cpu_time",
                   "times by the CPU's clock are not the collective's; run nccl-tests without -C"};
    const Json* const time = member(*body, "time");
    if (!time || !time->is_number() || !(time->get<double>() > 0))
      return Error{place_ + which + ".time", "expected a time above 0 in microseconds"};
    return CollectiveSample{.size = {size->get<double>()}, .time = {time->get<double>() * 1e-6}};
  }

 private:
  std::string place_;
};

}  // namespace

Result<Measurements> parse_nccl_tests_json(const std::string& text, const std::string& file) {
  const Result<Json> json = parse_json(text, file);
  if (!json) return json.error();
  const Json* const results = member(*json, "results");
  if (!results || !results->is_array())
    return Error{file + ": results", "expected the list that nccl-tests writes with -J"};
  const auto kind = kind_of(*json, file);
  if (!kind)
    return Error{file + ": args",
                 "does not say which collective it measured; expected a word like "
                 "\"all_reduce_perf\" (" +
                     swept_words() + ")"};
  const Job job = job_of(*json);
  if (job.ranks < 2)
    return Error{file + ": config.devices",
                 fmt::format("expected two devices or more, found {}", job.ranks)};
  Measurements measurements;
  for (std::size_t i = 0; i < results->size(); ++i) {
    const ResultReader reader(fmt::format("{}: results[{}]", file, i));
    Result<CollectiveSample> sample = reader.sample((*results)[i]);
    if (!sample) return sample.error();
    if (sample->size.value <= 0) continue;
    sample->kind = *kind;
    sample->ranks = job.ranks;
    sample->hosts = std::max<int>(1, static_cast<int>(job.hosts.size()));
    sample->gpu = job.gpu;
    sample->source = file;
    measurements.collectives.push_back(*sample);
  }
  if (measurements.collectives.empty()) return Error{file + ": results", "has no sizes above 0"};
  return measurements;
}

}  // namespace quintet::calibrate
