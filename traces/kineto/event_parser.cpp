#include "traces/kineto/event_parser.h"

#include <utility>

#include "traces/json_stream/ondemand_values.h"

namespace quintet::kineto {
namespace {

namespace ondemand = simdjson::ondemand;

simdjson::error_code put_args(EventFields& fields, ondemand::value value) {
  if (!json_stream::is_object(value)) return simdjson::SUCCESS;
  ondemand::object args;
  SIMDJSON_TRY(value.get_object().get(args));
  for (auto entry : args) {
    ondemand::field argument;
    SIMDJSON_TRY(std::move(entry).get(argument));
    const std::size_t field = field_of_key(KeyOf::args, json_stream::text_of(argument.key()));
    if (field < field_count)
      SIMDJSON_TRY(json_stream::put_value(fields, static_cast<Field>(field), argument.value()));
  }
  return simdjson::SUCCESS;
}

simdjson::error_code put_event(EventFields& fields, ondemand::object event) {
  for (auto entry : event) {
    ondemand::field part;
    SIMDJSON_TRY(std::move(entry).get(part));
    const std::size_t field = field_of_key(KeyOf::event, json_stream::text_of(part.key()));
    if (field < field_count)
      SIMDJSON_TRY(json_stream::put_value(fields, static_cast<Field>(field), part.value()));
    if (field == args_field) SIMDJSON_TRY(put_args(fields, part.value()));
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct EventParser::Inside {
  ondemand::parser parser;
  EventFields fields;
};

EventParser::EventParser(OnEvent on_event)
    : inside_(std::make_unique<Inside>()), on_event_(std::move(on_event)) {}
EventParser::~EventParser() = default;

std::optional<json_stream::ElementFault> EventParser::parse(char* array, std::size_t size) {
  EventFields& fields = inside_->fields;
  return json_stream::parse_objects(inside_->parser, array, size, replaced_,
                                    "an event {\"ph\": ...}",
                                    [&](ondemand::object event, std::optional<std::string>& wrong) {
                                      fields.clear();
                                      if (const auto error = put_event(fields, event)) return error;
                                      wrong = on_event_(fields);
                                      if (!wrong) ++events_;
                                      return simdjson::SUCCESS;
                                    });
}

}  // namespace quintet::kineto
