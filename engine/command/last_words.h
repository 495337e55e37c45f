// The last line of a run that did not come to its end: what ended it, and how to go on.
#pragma once

#include <string>
#include <vector>

#include "engine/train/training_options.h"

namespace quintet::engine {

// "CAUSE. Go on after step 40 with: quintet run ... --resume", by the newest whole checkpoint in
// the run's folder; else which option would have left one.
std::string last_words(const std::string& cause, const TrainingOptions& options,
                       const std::vector<std::string>& command_line);

// The words as a shell reads them.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace quintet::engine
