#include "calibrate/probes/probe_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/base/text_file.h"
#include "sim/cost/file/cost_fields.h"
#include "sim/cost/measured_operators.h"
#include "sim/json/json_fields.h"
#include "sim/json/json_value.h"

namespace quintet::calibrate {
namespace {

constexpr const char* title = "quintet calibrate";

std::string exact(Seconds time) {
  return JsonValue(time.value).dump() + " s";
}

std::string line_of(const ProbeRecord& record) {
  std::string operators;
  for (const MeasuredOperator& each : record.operators)
    operators += (operators.empty() ? "" : ",") + json_text(each);
  JsonValue staging = JsonValue::array();
  for (const StagingCosts& each : record.staging)
    staging.push_back({{"communication", each.communication},
                       {"rate", JsonValue(each.rate.value).dump() + " B/s"}});
  const std::string margins = record.margins
                                  ? ",\"gap\":\"" + exact(record.margins->gap) +
                                        "\",\"around\":\"" + exact(record.margins->around) + "\""
                                  : "";
  return "{\"probe\":" + JsonValue(record.probe).dump() + ",\"operators\":[" + operators +
         "],\"staging\":" + staging.dump() + ",\"step\":\"" + exact(record.step) + "\"" + margins +
         "}\n";
}

std::string line_of(const TimingRecord& record) {
  const JsonValue json{{"timing", record.what}, {"at", record.at}, {"seconds", record.seconds}};
  return json.dump() + "\n";
}

ProbeRecord read_probe(JsonObject& root) {
  ProbeRecord record;
  record.probe = root.text("probe");
  for (JsonObject& fields : root.objects_or_empty("operators")) {
    record.operators.push_back(read_measured_operator(fields));
    finish(fields, root);
  }
  for (JsonObject& fields : root.objects_or_empty("staging")) {
    record.staging.push_back({fields.text("communication"), fields.bandwidth("rate")});
    finish(fields, root);
  }
  record.step = root.seconds("step");
  if (root.has("gap")) record.margins = StepMargins{root.seconds("gap"), root.seconds("around")};
  return record;
}

TimingRecord read_timing(JsonObject& root) {
  TimingRecord record{root.text("timing"), root.text("at"), {}};
  const nlohmann::json* const seconds = root.raw("seconds");
  const bool numbers = seconds != nullptr && seconds->is_array() &&
                       std::all_of(seconds->begin(), seconds->end(),
                                   [](const nlohmann::json& each) { return each.is_number(); });
  if (numbers)
    record.seconds = seconds->get<std::vector<double>>();
  else
    root.fail("seconds", "expected an array of numbers");
  return record;
}

std::optional<Error> check_title(const std::string& line, const std::string& where,
                                 const std::string& conditions) {
  const Result<nlohmann::json> json = parse_json(line, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  const std::string journal = root.text("journal"), found = root.text("conditions");
  if (!root.failed() && journal != title)
    root.fail("journal", "found \"" + journal + "\", expected \"" + title + "\"");
  if (!root.failed() && found != conditions)
    root.fail("conditions", "found \"" + found + "\", this calibration's are \"" + conditions +
                                "\"; name another journal, or remove this one");
  if (!root.failed()) root.refuse_unknown_keys();
  return root.error();
}

Error of_system(const std::filesystem::path& file) {
  return {file.string(), std::strerror(errno)};
}

// All of it, or none of it.
std::optional<Error> write_whole(int descriptor, const std::string& text,
                                 const std::filesystem::path& file) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count < 0) return of_system(file);
    done += static_cast<std::size_t>(count);
  }
  return fsync(descriptor) == 0 ? std::nullopt : std::optional<Error>(of_system(file));
}

}  // namespace

std::optional<Error> ProbeJournal::append(const std::string& line) const {
  const int descriptor = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return of_system(file_);
  const auto wrong = write_whole(descriptor, line, file_);
  close(descriptor);
  return wrong;
}

Result<ProbeJournal> ProbeJournal::open(const std::filesystem::path& file,
                                        const std::string& conditions) {
  ProbeJournal journal(file);
  std::error_code error;
  std::string text;
  if (std::filesystem::exists(file, error)) {
    Result<std::string> read = read_text_file(file);
    if (!read) return read.error();
    text = std::move(*read);
  }
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole == 0 && !text.empty() && !text.starts_with("{\"journal\""))
    return Error{file.string() + ":1", "is no journal of quintet calibrate"};
  if (whole < text.size()) {
    std::filesystem::resize_file(file, whole, error);
    if (error) return Error{file.string(), error.message()};
  }
  int number = 0;
  for (std::size_t at = 0; at < whole;) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    const std::string where = file.string() + ":" + std::to_string(++number);
    at = end + 1;
    if (number == 1) {
      if (auto wrong = check_title(line, where, conditions)) return *wrong;
      continue;
    }
    if (auto wrong = journal.take(line, where)) return *wrong;
  }
  if (number == 0) {
    const JsonValue first{{"journal", title}, {"conditions", conditions}};
    if (auto wrong = journal.append(first.dump() + "\n")) return *wrong;
  }
  return journal;
}

std::optional<Error> ProbeJournal::take(const std::string& line, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(line, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  if (root.has("timing"))
    timings_.push_back(read_timing(root));
  else
    records_.push_back(read_probe(root));
  if (!root.failed()) root.refuse_unknown_keys();
  return root.error();
}

std::optional<Error> ProbeJournal::add(TimingRecord record) {
  if (auto wrong = append(line_of(record))) return wrong;
  timings_.push_back(std::move(record));
  return std::nullopt;
}

std::optional<Error> ProbeJournal::add(ProbeRecord record) {
  if (auto wrong = append(line_of(record))) return wrong;
  records_.push_back(std::move(record));
  return std::nullopt;
}

}  // namespace quintet::calibrate
