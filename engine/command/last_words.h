// The last line of a run: what ended it, where it was saved, how to go on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/train/training_options.h"

namespace quintet::engine {

// "CAUSE. Go on after step 40 with: quintet run ... --resume", by the newest whole checkpoint in
// the run's folder; else which option would have left one.
std::string last_words(const std::string& cause, const TrainingOptions& options,
                       const std::vector<std::string>& command_line);

// What a run that came to its end left to go on from: "Step 20 is saved in saved; ...". None: it
// was not asked to save.
std::optional<std::string> saved_words(const TrainingOptions& options);

// The words as a shell reads them.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace quintet::engine
