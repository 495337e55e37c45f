// What is particular to each kind of event.
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/shown_text.h"
#include "traces/kineto/field_numbers.h"
#include "traces/kineto/take_event.h"

namespace quintet::kineto {
namespace {

constexpr std::string_view communication_operation = "record_param_comms";

template <class Known, class Find>
Known& remembered(std::vector<std::optional<Known>>& known, std::int32_t name, const Find& find) {
  const auto at = static_cast<std::size_t>(name);
  if (at >= known.size()) known.resize(std::max(at + 1, 2 * known.size()));
  if (!known[at]) known[at] = find();
  return *known[at];
}

int rank_in(const EventFields& fields, Field field) {
  const std::int64_t rank = number(fields, field);
  return rank <= 0x7FFF'FFFF ? static_cast<int>(rank) : -1;
}

}  // namespace

const CallMeaning& EventTaker::call_named(std::int32_t name) {
  return remembered(calls_, name, [&] { return meaning_of_call(parts_.names[name]); });
}

const std::optional<pytorch::KernelCommunication>& EventTaker::kernel_named(std::int32_t name) {
  return remembered(kernels_, name,
                    [&] { return pytorch::communication_of_kernel(parts_.names[name]); });
}

void EventTaker::kernel(TraceEvent& event, const EventFields& fields) {
  const auto& named = kernel_named(event.name);
  // PyTorch's own kernels that pack what a collective sends are asked for by the collective too.
  if (!named && (!fields.has(Field::collective) ||
                 parts_.names[event.name].find("at::") != std::string::npos))
    return;
  const bool told = communication(event, fields);
  if (!named) return;
  if (!told) {
    event.facts = put(parts_.trace.communications, RecordedCommunication{.kind = named->kind});
    parts_.silent_kernels.push_back(static_cast<std::int32_t>(parts_.trace.events.size()));
  }
  auto& facts = parts_.trace.communications[static_cast<std::size_t>(event.facts)];
  if (facts.kind == CommunicationKind::unknown) facts.kind = named->kind;
  if (!facts.type_known && named->type && named->type->type && facts.size.value < 0) {
    facts.type = *named->type->type;
    facts.type_known = true;
  }
  const std::string_view grid = fields[Field::grid];
  const auto channels = json_stream::integer_of(grid.substr(
      std::min<std::size_t>(1, grid.size()),
      grid.find(',') == std::string_view::npos ? std::string_view::npos : grid.find(',') - 1));
  std::string detail = named->detail;
  if (channels) detail += fmt::format("{}{} channels", detail.empty() ? "" : ", ", *channels);
  if (!facts.detail.empty())
    detail += fmt::format("{}{}", detail.empty() ? "" : ", ", facts.detail);
  facts.detail = detail;
}

bool EventTaker::communication(TraceEvent& event, const EventFields& fields) {
  if (!fields.has(Field::collective)) return false;
  const auto kind = pytorch::communication_named(fields[Field::collective]);
  if (!kind) return false;
  RecordedCommunication facts{.kind = *kind};
  facts.elements_in = number(fields, Field::elements_in);
  facts.elements_out = number(fields, Field::elements_out);
  facts.sequence = number(fields, Field::group_sequence);
  facts.peer =
      rank_in(fields, *kind == CommunicationKind::send ? Field::target_rank : Field::source_rank);
  const int ranks = rank_in(fields, Field::group_size);
  const std::string_view list = fields[Field::group_ranks];
  const std::string_view name = fields.has(Field::group_name) ? fields[Field::group_name] : list;
  facts.group = parts_.groups.known(name);
  if (facts.group < 0)
    facts.group = parts_.groups.tell({.name = std::string(name),
                                      .description = std::string(fields[Field::group_description]),
                                      .ranks = pytorch::ranks_in_list(list),
                                      .size = std::max(0, ranks)});
  if (const auto type = pytorch::element_type_named(fields[Field::data_type])) {
    facts.type_known = type->type.has_value();
    facts.type = type->type.value_or(facts.type);
    if (!type->type) facts.detail = "of " + std::string(fields[Field::data_type].substr(0, 40));
    const std::int64_t elements =
        pytorch::full_buffer(*kind, facts.elements_in, facts.elements_out, ranks);
    if (elements >= 0) facts.size = Bytes{static_cast<double>(elements) * type->bytes};
  }
  event.facts = put(parts_.trace.communications, std::move(facts));
  return true;
}

void EventTaker::copy(TraceEvent& event, const EventFields& fields) {
  RecordedCopy facts{.direction =
                         direction_of_copy(parts_.names[event.name], fields[Field::copy_kind])};
  if (const std::int64_t bytes = number(fields, Field::bytes); bytes >= 0)
    facts.size = Bytes{static_cast<double>(bytes)};
  event.facts = put(parts_.trace.copies, facts);
}

void EventTaker::call(TraceEvent& event) {
  const CallMeaning& meaning = call_named(event.name);
  event.kind = meaning.kind;
  if (meaning.wait) event.facts = put(parts_.trace.waits, RecordedWait{.kind = *meaning.wait});
}

void EventTaker::operation(TraceEvent& event, const EventFields& fields) {
  if (event.external >= 0) {
    const std::int64_t record = identifier(fields, Field::record);
    if (record < 0) parts_.has_records = false;
    if (parts_.has_records) put(parts_.operation_ids, {event.external, record});
  }
  if (fields[Field::name] == communication_operation) {
    const bool told = communication(event, fields);
    if (!told && !fields.has(Field::collective))
      parts_.silent_operations.push_back(static_cast<std::int32_t>(parts_.trace.events.size()));
    return;
  }
  RecordedOperation facts;
  facts.sequence = number(fields, Field::sequence);
  facts.forward_thread = identifier(fields, Field::forward_thread);
  if (fields.has(Field::shapes)) facts.shapes = parts_.names.index_of(fields[Field::shapes]);
  if (fields.has(Field::types)) {
    types_ = fields[Field::types];  // ["float", "float"]
    std::erase(types_, '"');
    facts.types = parts_.names.index_of(types_);
  }
  if (facts != RecordedOperation{}) event.facts = put(parts_.trace.operations, facts);
}

void EventTaker::annotation(const TraceEvent& event, const EventFields& fields) {
  const std::string_view name = fields[Field::name];
  if (event.external >= 0) {
    const std::int64_t record = identifier(fields, Field::record);
    if (record >= 0 && parts_.has_records) put(parts_.operation_ids, {event.external, record});
  }
  if (!name.starts_with("nccl:")) return;
  const auto kind = pytorch::communication_named(name);
  if (!kind) return;
  NamedRange range{event.row, event.start, event.end(), {.kind = *kind}, 0};
  range.facts.elements_in = pytorch::elements_of_shapes(fields[Field::shapes]).value_or(-1);
  const std::string_view types = fields[Field::types];
  const std::size_t first = types.find('"');
  const std::string_view type =
      first == std::string_view::npos
          ? std::string_view{}
          : types.substr(first + 1, types.find('"', first + 1) - first - 1);
  if (const auto element = pytorch::element_type_named(type)) {
    range.element_bytes = element->bytes;
    range.facts.type_known = element->type.has_value();
    range.facts.type = element->type.value_or(range.facts.type);
    if (!element->type) range.facts.detail = "of " + std::string(type);
  }
  parts_.ranges.push_back(std::move(range));
}

void EventTaker::synchronisation(TraceEvent event, const EventFields& fields) {
  const std::string_view named =
      fields.has(Field::sync_kind) ? fields[Field::sync_kind] : fields[Field::name];
  const auto kind = wait_named(named);
  if (!kind) return leave_out("synchronisations of kind " + in_quotes(named));
  SyncRecord record{event, {.kind = *kind}};
  record.wait.recorded_by = identifier(fields, Field::waited_record);
  record.wait.recorded_on = stream_number(fields, Field::waited_stream);
  if (*kind == RecordedWait::Kind::stream || *kind == RecordedWait::Kind::stream_waits_event)
    record.wait.stream = stream_number(fields, Field::stream);
  // Its row is made when its call is known to be missing.
  const std::int64_t device = number(fields, Field::device);
  record.event.row = static_cast<std::int32_t>(std::min<std::int64_t>(device, 0xFFFF));
  parts_.syncs.push_back(record);
}

}  // namespace quintet::kineto
