#include "sim/cost/file/measured_operators_file.h"

#include "sim/cost/file/operator_lists.h"

namespace quintet {

MeasuredOperator read_measured_operator(JsonObject& json) {
  MeasuredOperator measured;
  FieldReader reader(json);
  fields(reader, measured);
  return measured;
}

std::string json_text(MeasuredOperator measured) {
  return FieldWriter(Digits::exact).written(measured).dump();
}

}  // namespace quintet
