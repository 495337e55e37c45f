#include "traces/perfetto/tracks.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "traces/perfetto/perfetto_trace.pb.h"

namespace quintet::perfetto_trace {
namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& each : made) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return made;
}

bool says_stream(const EventTrack& track) {
  for (const std::string& name : {lower(track.name), lower(track.thread_name)})
    if (number_behind(name, "stream ") || name.starts_with("gpu ") || name == "gpu" ||
        name.find(" stream ") != std::string::npos)
      return true;
  return track.description.starts_with("GPU stream");
}

}  // namespace

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} ? std::optional(number) : std::nullopt;
}

std::int32_t Tracks::of(std::uint64_t uuid) {
  const auto [at, is_new] = numbers_.try_emplace(uuid, static_cast<std::int32_t>(all_.size()));
  if (is_new) all_.push_back({.uuid = uuid});
  return at->second;
}

void Tracks::take(const perfetto::protos::TrackDescriptor& descriptor) {
  EventTrack& track = all_[static_cast<std::size_t>(of(descriptor.uuid()))];
  if (descriptor.has_name()) track.name = descriptor.name();
  if (descriptor.has_static_name()) track.name = descriptor.static_name();
  if (descriptor.has_description()) track.description = descriptor.description();
  track.parent = descriptor.parent_uuid();
  track.counter = descriptor.has_counter();
  if (descriptor.has_process()) {
    track.process = descriptor.process().pid();
    track.process_name = descriptor.process().process_name();
  }
  if (descriptor.has_thread()) {
    track.process = descriptor.thread().pid();
    track.thread = descriptor.thread().tid();
    track.thread_name = descriptor.thread().thread_name();
  }
}

std::vector<std::int32_t> Tracks::line_of(std::int32_t track) const {
  std::vector<std::int32_t> line{track};
  while (line.size() < 16) {
    const std::uint64_t parent = at(line.back()).parent;
    const auto found = numbers_.find(parent);
    if (parent == 0 || found == numbers_.end()) break;
    line.push_back(found->second);
  }
  return line;
}

std::optional<std::int64_t> Tracks::process_of(std::int32_t track) const {
  for (const std::int32_t each : line_of(track))
    if (at(each).process) return at(each).process;
  return std::nullopt;
}

bool Tracks::is_stream(std::int32_t track) const {
  const std::vector<std::int32_t> line = line_of(track);
  if (says_stream(at(track))) return true;
  for (std::size_t i = 1; i < line.size(); ++i)
    if (!at(line[i]).process && lower(at(line[i]).name).starts_with("gpu")) return true;
  return false;
}

std::string Tracks::process_name(std::int64_t process) const {
  for (const EventTrack& track : all_)
    if (track.process == process && !track.thread) return track.process_name;
  return {};
}

RecordedRow Tracks::row_of(std::int32_t track) const {
  const EventTrack& own = at(track);
  std::string name = own.thread_name.empty() ? own.name : own.thread_name;
  RecordedRow row{.id = own.thread.value_or(static_cast<std::int64_t>(own.uuid))};
  if (!is_stream(track)) {
    row.name = name.empty() ? fmt::format("{} {}", own.thread ? "thread" : "track", row.id) : name;
    return row;
  }
  row.kind = RecordedRow::Kind::stream;
  row.device = 0;
  for (const std::int32_t each : line_of(track))
    for (const std::string& text : {at(each).name, at(each).thread_name})
      if (const auto device = number_behind(lower(text), "gpu "); device && *device >= 0)
        row.device = static_cast<int>(*device & 0xFFFF);
  const std::size_t stream = lower(name).find("stream ");
  if (stream != std::string::npos)
    row.id = number_behind(lower(name).substr(stream), "stream ").value_or(row.id);
  row.name = name.empty() ? fmt::format("stream {}", row.id) : name;
  return row;
}

}  // namespace quintet::perfetto_trace
