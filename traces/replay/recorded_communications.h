// What a recorded program communicates, each collective and message by its own price.
#pragma once

#include "sim/price/communications.h"
#include "traces/replay/meeting_prices.h"
#include "traces/replay/recorded_program.h"
#include "traces/replay/recorded_times.h"

namespace quintet {

Communications recorded_communications(const RecordedProgram& recorded, const RecordedTimes& times,
                                       const MeetingPrices& priced);

}  // namespace quintet
