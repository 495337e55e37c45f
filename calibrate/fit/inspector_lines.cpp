#include <fmt/format.h>

#include <map>
#include <sstream>
#include <tuple>

#include "calibrate/fit/measurement_files.h"
#include "calibrate/fit/swept_words.h"
#include "sim/json/json_fields.h"

namespace quintet::calibrate {
namespace {

// A call: its communicator and number there.
using CallKey = std::tuple<std::string, std::int64_t>;

double size_factor(Swept kind, int ranks) {
  switch (kind) {
    case Swept::reduce_scatter:
    case Swept::all_gather:
      return ranks;
    case Swept::all_reduce:
    case Swept::broadcast:
    case Swept::reduce:
    case Swept::all_to_all:
    case Swept::send_receive:
      break;
  }
  return 1;
}

struct Record {
  CallKey call;
  CollectiveSample sample;
};

Result<Record> record_of(const nlohmann::json& json, const std::string& place) {
  JsonObject fields(json, place);
  JsonObject header = fields.object("header"), done = fields.object("coll_perf");
  Record record;
  const std::string communicator = header.text("id");
  record.sample.ranks = header.integer("n_ranks", 1, 100'000'000);
  record.sample.hosts = header.integer_or("nnodes", 1, 1, 100'000'000);
  const std::string word = done.text("coll");
  const double number = done.number("coll_sn"), bytes = done.number("coll_msg_size_bytes"),
               time = done.number("coll_exec_time_us");
  for (const JsonObject* const each : {&fields, &header, &done})
    if (each->failed()) return *each->error();
  const auto kind = swept_named(word);
  if (!kind)
    return Error{done.place("coll"),
                 "expected one of " + swept_words() + ", found " +
                     nlohmann::json(word.substr(0, 40))
                         .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)};
  if (!(bytes >= 0) || bytes > 1e18)
    return Error{done.place("coll_msg_size_bytes"), "expected a size in bytes"};
  if (!(time > 0)) return Error{done.place("coll_exec_time_us"), "expected a time above 0"};
  if (!(number >= 0 && number < 9e15))
    return Error{done.place("coll_sn"), "expected a number of 0 or more"};
  record.call = {communicator, static_cast<std::int64_t>(number)};
  record.sample.kind = *kind;
  record.sample.size = {bytes * size_factor(*kind, record.sample.ranks)};
  record.sample.time = {time * 1e-6};
  return record;
}

}  // namespace

Result<Measurements> parse_inspector_lines(const std::string& text, const std::string& file) {
  std::map<CallKey, CollectiveSample> calls;
  std::istringstream stream(text);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string place = fmt::format("{}: line {}", file, number);
    const Result<nlohmann::json> json = parse_json(line, place);
    if (!json) return json.error();
    Result<Record> record = record_of(*json, place);
    if (!record) return record.error();
    record->sample.source = file;
    if (record->sample.ranks < 2 || record->sample.size.value <= 0) continue;
    const auto [known, is_new] = calls.emplace(record->call, record->sample);
    if (!is_new) known->second.time = std::min(known->second.time, record->sample.time);
  }
  Measurements measurements;
  for (const auto& [call, sample] : calls) measurements.collectives.push_back(sample);
  if (calls.empty())
    return Error{file, "has no collective of two ranks or more; expected lines of NCCL Inspector"};
  return measurements;
}

}  // namespace quintet::calibrate
