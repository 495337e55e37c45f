#include <array>
#include <cstddef>

#include "sim/parallelism/schedules/schedule.h"

namespace quintet {

namespace {

// In the order of the enumerators.
constexpr std::array rows{&schedules::gpipe,  &schedules::one_f_one_b, &schedules::interleaved,
                          &schedules::zb_h1,  &schedules::zb_h2,       &schedules::warm_up,
                          &schedules::adapted};

}  // namespace

const ScheduleRow& row_of(PipelineSchedule schedule) {
  return *rows.at(static_cast<std::size_t>(schedule));
}

std::string_view name_of(PipelineSchedule schedule) {
  return static_cast<std::size_t>(schedule) < rows.size() ? row_of(schedule).name : "";
}

}  // namespace quintet
