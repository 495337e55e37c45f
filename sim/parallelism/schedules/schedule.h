// Pipeline schedules: which pass every stage of a pipeline does when. The order is arithmetic on
// counts and knows no machine and no model, which is why plans can name their schedule by its row.
// To add one: its row in a file of its own beside this one, its name in both lists below, and the
// row in schedules.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "sim/base/units.h"

namespace quintet {

enum class PassKind {
  forward,          // F
  input_gradient,   // B: what the stage before waits for
  weight_gradient,  // W: what only the optimizer waits for
  backward,         // B and W in one
};

struct Pass {
  PassKind kind = PassKind::forward;
  int micro_batch = 0;
  // The virtual stage on this rank; the model's chunk number is chunk * stages + stage.
  int chunk = 0;
  bool operator==(const Pass&) const = default;
};

using PassOrder = std::vector<Pass>;

// What a micro-batch takes on a stage, and how much longer than usual a message takes between it
// and the next stage, either way: what an order was planned for.
struct StageTimes {
  Seconds forward, input_gradient, weight_gradient;
  Seconds delay;
  bool operator==(const StageTimes&) const = default;
};

// What a schedule is laid out over.
struct PipelineShape {
  int stages = 1;
  int micro_batches = 1;
  int chunks = 1;             // pieces of the model per stage
  std::vector<int> warm_ups;  // forwards before the first backward, per stage, where the plan says
  std::vector<StageTimes> times{};  // per stage, where the plan says
};

namespace schedules {

enum class Stages { any, several };  // several: with one stage it would be another schedule's order
enum class Chunks { one, several };
enum class MicroBatches { any, multiple_of_stages };
enum class WarmUps { by_rule, given, either };  // given: the plan counts them per stage
enum class Times { none, given };               // given: the plan says what each stage takes
enum class Backward { whole, split };           // split: the order has B and W apart

}  // namespace schedules

struct ScheduleRow {
  std::string_view name;  // the word of plan.json
  schedules::Stages stages = schedules::Stages::several;
  schedules::Chunks chunks = schedules::Chunks::one;
  schedules::MicroBatches micro_batches = schedules::MicroBatches::any;
  schedules::WarmUps warm_ups = schedules::WarmUps::by_rule;
  schedules::Backward backward = schedules::Backward::whole;
  schedules::Times times = schedules::Times::none;
  // The passes of one stage, from 0. Needs a shape that has what the row asks for.
  PassOrder (*order)(const PipelineShape& shape, int stage) = nullptr;
};

namespace schedules {
extern const ScheduleRow gpipe, one_f_one_b, interleaved, zb_h1, zb_h2, warm_up, adapted;
}

enum class PipelineSchedule { gpipe, one_f_one_b, interleaved, zb_h1, zb_h2, warm_up, adapted };

// `schedule` is one of them; the row lives as long as the program.
const ScheduleRow& row_of(PipelineSchedule schedule);

// Empty beyond the last schedule.
std::string_view name_of(PipelineSchedule schedule);

}  // namespace quintet
