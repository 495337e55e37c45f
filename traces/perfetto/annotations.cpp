#include "traces/perfetto/annotations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "traces/nccl/nccl_words.h"
#include "traces/perfetto/perfetto_trace.pb.h"
#include "traces/trace/waiting_calls.h"

namespace quintet::perfetto_trace {
namespace {

namespace protos = perfetto::protos;

std::optional<std::int64_t> whole(double value) {
  const bool is_one = std::abs(value) < 0x1p62 && value == std::floor(value);
  return is_one ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                 : std::nullopt;
}

std::optional<std::int64_t> integer_of(const protos::DebugAnnotation& note) {
  if (note.has_int_value()) return note.int_value();
  if (note.has_uint_value() && note.uint_value() < 1ull << 63)
    return static_cast<std::int64_t>(note.uint_value());
  if (note.has_double_value()) return whole(note.double_value());
  if (note.has_string_value()) return number(note.string_value());
  return std::nullopt;
}

// By Kineto's categories, of old versions too.
std::optional<EventKind> kind_of_category(std::string_view category) {
  using enum EventKind;
  constexpr std::array<std::pair<std::string_view, EventKind>, 14> kinds{
      {{"kernel", kernel},
       {"Kernel", kernel},
       {"gpu_memcpy", copy},
       {"gpu_memset", fill},
       {"cpu_op", operation},
       {"user_annotation", annotation},
       {"gpu_user_annotation", annotation},
       {"cuda_runtime", call},
       {"cuda_driver", call},
       {"Runtime", call},
       {"hip_runtime", call},
       {"overhead", other},
       {"python_function", other},
       {"cuda_sync", other}}};
  for (const auto& [name, kind] : kinds)
    if (name == category) return kind;
  return std::nullopt;
}

EventKind kind_of(const SliceKind& slice) {
  if (const auto kind = kind_of_category(slice.category)) return *kind;
  if (slice.on_stream) {
    if (slice.name.starts_with("Memcpy") || slice.name.starts_with("memcpy"))
      return EventKind::copy;
    return slice.name.starts_with("Memset") ? EventKind::fill : EventKind::kernel;
  }
  if (slice.name.starts_with("aten::")) return EventKind::operation;
  if (slice.name.starts_with("ProfilerStep#")) return EventKind::annotation;
  if (wait_named(slice.name)) return EventKind::call;
  for (const char* const word : {"cuda", "cu", "hip"})
    if (slice.name.starts_with(word) && slice.name.find("Launch") != std::string_view::npos)
      return EventKind::call;
  return EventKind::other;
}

CopyDirection direction_of(std::string_view name) {
  if (name.find("HtoD") != std::string_view::npos) return CopyDirection::host_to_device;
  if (name.find("DtoH") != std::string_view::npos) return CopyDirection::device_to_host;
  return CopyDirection::device_to_device;
}

// "[0, 1, 2]"; cut off where it is too long ("[0, 1, ..."): nothing.
std::vector<int> ranks_in(std::string_view text) {
  std::vector<int> ranks;
  if (!text.starts_with('[') || !text.ends_with(']')) return ranks;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    const auto rank = number(word);
    if (!rank || *rank < 0 || *rank > std::numeric_limits<int>::max()) return {};
    ranks.push_back(static_cast<int>(*rank));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return ranks;
}

std::int32_t group_of(const Annotations& notes, TraceDraft& draft) {
  const std::string_view name = notes.text("Process Group Name");
  if (name.empty()) return -1;
  const std::int32_t group = draft.group(name);
  ProcessGroup& made = draft.trace().groups[static_cast<std::size_t>(group)];
  if (made.description.empty()) made.description = notes.text("Process Group Description");
  if (made.ranks.empty()) made.ranks = ranks_in(notes.text("Process Group Ranks"));
  const std::int64_t size = notes.integer("Group size").value_or(0);
  if (size > 0 && size < 1 << 30) made.size = static_cast<int>(size);
  return group;
}

// The full buffer: what is gathered, what is scattered.
Bytes size_of_elements(const RecordedCommunication& facts, int bytes) {
  std::int64_t elements = std::max(facts.elements_in, facts.elements_out);
  if (facts.kind == CommunicationKind::all_gather) elements = facts.elements_out;
  if (facts.kind == CommunicationKind::reduce_scatter) elements = facts.elements_in;
  return elements < 0 ? Bytes{-1} : Bytes{static_cast<double>(elements) * bytes};
}

RecordedCommunication communication_of(std::string_view name, const Annotations& notes,
                                       TraceDraft& draft) {
  RecordedCommunication facts = communication_of_kernel(name).value_or(RecordedCommunication{});
  const CommunicationKind kind = communication_named(notes.text("Collective name"));
  if (kind != CommunicationKind::unknown) facts.kind = kind;
  const auto type = nccl_type(notes.text("dtype"));
  if (type && type->type) facts.type = *type->type, facts.type_known = true;
  facts.elements_in = notes.integer("In msg nelems").value_or(-1);
  facts.elements_out = notes.integer("Out msg nelems").value_or(-1);
  if (type) facts.size = size_of_elements(facts, type->bytes);
  if (const auto bytes = notes.integer("bytes"); bytes && *bytes >= 0)
    facts.size = Bytes{static_cast<double>(*bytes)};
  facts.group = group_of(notes, draft);
  facts.sequence = notes.integer("Seq").value_or(-1);
  const bool sends = facts.kind == CommunicationKind::send;
  if (sends || facts.kind == CommunicationKind::receive) {
    const std::int64_t peer = notes.integer(sends ? "Dst Rank" : "Src Rank").value_or(-1);
    if (peer >= 0 && peer < 1 << 30) facts.peer = static_cast<int>(peer);
  }
  if (facts.detail.empty()) facts.detail = notes.text("detail");
  return facts;
}

std::int32_t operation_facts(const Annotations& notes, TraceDraft& draft) {
  RecordedOperation facts;
  facts.sequence = notes.integer("Sequence number").value_or(-1);
  if (const std::int64_t thread = notes.integer("Fwd thread id").value_or(0); thread != 0)
    facts.forward_thread = thread;
  if (notes.has("Input Dims")) facts.shapes = draft.name(notes.text("Input Dims"));
  if (notes.has("Input type")) facts.types = draft.name(notes.text("Input type"));
  return facts == RecordedOperation{} ? -1 : draft.facts(facts);
}

}  // namespace

Annotations::Annotations(const protos::TrackEvent& event, const Sequence& sequence) {
  for (const protos::DebugAnnotation& each : event.debug_annotations()) {
    const std::string name(each.has_name() ? std::string_view(each.name())
                                           : text_of(sequence.annotation_names, each.name_iid()));
    if (name.empty()) continue;
    Note& note = notes_[name];
    note.integer = integer_of(each);
    note.text = each.has_string_value_iid()
                    ? std::string(text_of(sequence.annotation_texts, each.string_value_iid()))
                    : each.string_value();
    if (!note.integer && !note.text.empty()) note.integer = number(note.text);
  }
}

std::optional<std::int64_t> Annotations::integer(std::string_view name) const {
  const auto found = notes_.find(name);
  return found == notes_.end() ? std::nullopt : found->second.integer;
}

std::string_view Annotations::text(std::string_view name) const {
  const auto found = notes_.find(name);
  return found == notes_.end() ? std::string_view() : found->second.text;
}

void describe(const SliceKind& slice, const Annotations& notes, TraceDraft& draft,
              TraceEvent& event) {
  event.kind = kind_of(slice);
  event.name = draft.name(slice.name);
  event.correlation = notes.integer("correlation").value_or(-1);
  event.external = notes.integer("External id").value_or(-1);
  const bool names_one = notes.has("Collective name");
  switch (event.kind) {
    case EventKind::kernel:
      if (names_one || communication_of_kernel(slice.name))
        event.facts = draft.facts(communication_of(slice.name, notes, draft));
      return;
    case EventKind::copy:
    case EventKind::fill:
      event.facts = draft.facts(
          RecordedCopy{direction_of(slice.name), Bytes{static_cast<double>(std::max<std::int64_t>(
                                                     notes.integer("bytes").value_or(-1), -1))}});
      return;
    case EventKind::operation:
      event.facts = slice.name == "record_param_comms"
                        ? draft.facts(communication_of(slice.name, notes, draft))
                        : operation_facts(notes, draft);
      return;
    case EventKind::call:
      if (const auto wait = wait_named(without_version(slice.name))) {
        if (*wait != RecordedWait::Kind::stream_waits_event) event.kind = EventKind::block;
        event.facts = draft.facts(RecordedWait{.kind = *wait});
      }
      return;
    case EventKind::launch:
    case EventKind::block:
    case EventKind::annotation:
    case EventKind::other:
      return;
  }
}

}  // namespace quintet::perfetto_trace
