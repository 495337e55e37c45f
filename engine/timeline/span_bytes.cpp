#include "engine/timeline/span_bytes.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string>
#include <utility>

namespace quintet::engine {

namespace {

static_assert(std::endian::native == std::endian::little);

struct PackedStep {
  std::int64_t step, begin, end;
};

struct PackedSpan {
  std::int64_t start, moving, end, cpu;  // cpu -1: not known
  std::int32_t info, layer, micro_batch;
  std::int16_t chunk, bucket;
};
static_assert(sizeof(PackedStep) == 24 && sizeof(PackedSpan) == 48);  // no holes

template <class Packed>
std::vector<std::byte> bytes_of_all(const std::vector<Packed>& all) {
  std::vector<std::byte> bytes(all.size() * sizeof(Packed));
  if (!all.empty()) std::memcpy(bytes.data(), all.data(), bytes.size());
  return bytes;
}

Error odd(Rank from, std::size_t size, const char* what) {
  return {fmt::format("rank {}", from.value),
          fmt::format("sent {} bytes that are no list of {}", size, what)};
}

template <class Packed>
Result<std::vector<Packed>> all_of(std::span<const std::byte> bytes, Rank from, const char* what) {
  if (bytes.size() % sizeof(Packed) != 0) return odd(from, bytes.size(), what);
  std::vector<Packed> all(bytes.size() / sizeof(Packed));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

std::int64_t count(Clock::time_point time) {
  return std::chrono::duration_cast<Nanoseconds>(time.time_since_epoch()).count();
}

PackedSpan packed(const Span& span, Duration cpu) {
  return {span.start.picoseconds,
          span.moving.picoseconds,
          span.end.picoseconds,
          cpu.picoseconds,
          span.info,
          span.layer,
          span.micro_batch,
          span.chunk,
          span.bucket};
}

Span unpacked(const PackedSpan& span) {
  Span made;
  made.info = span.info;
  made.start = {span.start};
  made.moving = {span.moving};
  made.end = {span.end};
  made.layer = span.layer;
  made.micro_batch = span.micro_batch;
  made.chunk = span.chunk;
  made.bucket = span.bucket;
  return made;
}

}  // namespace

std::vector<std::byte> bytes_of(std::span<const StepBounds> steps) {
  std::vector<PackedStep> all;
  for (const StepBounds& each : steps)
    all.push_back({each.step, count(each.begin), count(each.end)});
  return bytes_of_all(all);
}

Result<std::vector<StepBounds>> step_bounds(std::span<const std::byte> bytes, Rank from) {
  const auto all = all_of<PackedStep>(bytes, from, "steps");
  if (!all) return all.error();
  std::vector<StepBounds> steps;
  for (const PackedStep& each : *all)
    steps.push_back({each.step, Clock::time_point(Nanoseconds(each.begin)),
                     Clock::time_point(Nanoseconds(each.end))});
  return steps;
}

std::vector<std::byte> bytes_of(const RankSpans& spans) {
  std::vector<PackedSpan> all;
  for (std::size_t i = 0; i < spans.spans.size(); ++i)
    all.push_back(packed(spans.spans[i], spans.cpu.empty() ? Duration{-1} : spans.cpu[i]));
  return bytes_of_all(all);
}

Result<RankSpans> rank_spans(std::span<const std::byte> bytes, Rank from, std::size_t infos) {
  const auto all = all_of<PackedSpan>(bytes, from, "spans");
  if (!all) return all.error();
  RankSpans spans{from, {}, {}};
  for (const PackedSpan& each : *all) {
    if (static_cast<std::size_t>(each.info) >= infos)
      return Error{
          fmt::format("rank {}", from.value),
          fmt::format("sent a span of instruction {}; the program has {}", each.info, infos)};
    spans.spans.push_back(unpacked(each));
    if (each.cpu >= 0) spans.cpu.push_back({each.cpu});
  }
  if (spans.cpu.size() != spans.spans.size()) spans.cpu.clear();
  return spans;
}

// Each ends with a 0, which no note has in it.
std::vector<std::byte> note_bytes(const RankSpans& spans) {
  std::vector<std::byte> bytes;
  for (const std::string& note : spans.notes)
    for (const char letter : note + '\0') bytes.push_back(static_cast<std::byte>(letter));
  return bytes;
}

std::optional<Error> take_notes(std::span<const std::byte> bytes, RankSpans& into) {
  std::string note;
  for (const std::byte each : bytes) {
    const char letter = static_cast<char>(each);
    if (letter == '\0')
      into.notes.push_back(std::exchange(note, {}));
    else
      note += letter;
  }
  const bool whole = note.empty() && (bytes.empty() || into.notes.size() == into.spans.size());
  if (whole) return std::nullopt;
  return Error{fmt::format("rank {}", into.rank.value),
               fmt::format("sent {} notes on {} spans", into.notes.size(), into.spans.size())};
}

}  // namespace quintet::engine
