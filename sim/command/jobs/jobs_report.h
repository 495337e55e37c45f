// What comes of jobs side by side, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/command/jobs/jobs_inputs.h"
#include "sim/jobs/choose.h"

namespace quintet {

// A line of how jobs did, beside others.
struct NamedOutlook {
  std::string name;
  const JobDecisions& decisions;
  const Outlook& outlook;
};

// Of one way to run them.
std::string jobs_report_text(const JobsInputs& inputs, const NamedOutlook& shown);
// Of one way left as the file has it and decided by a policy, with what was published of either.
struct PolicyCompared {
  Policy policy = Policy::none;
  NamedOutlook without, with;  // equal where the policy is none
};
std::string published_text(const JobsInputs& inputs, const PolicyCompared& compared);
std::string policy_report_text(const JobsInputs& inputs, const PolicyCompared& compared);

// What is predicted of a published ratio; none where it is of another policy.
std::optional<double> predicted_ratio(const JobsInputs& inputs, const PublishedRatio& published,
                                      const PolicyCompared& compared);

// With the baselines, and what was decided.
std::string chosen_report_text(const JobsInputs& inputs, const Chosen& chosen,
                               const ChooseWish& wish);

// {"schema_version": 1, "jobs": [...], "worst_slowdown", "makespan_s", "gpus_computing", ...}; with
// "without" and "published"; of a choice "chosen", "baselines", "simulated".
std::string jobs_report_json(const JobsInputs& inputs, const PolicyCompared& compared);
std::string chosen_report_json(const JobsInputs& inputs, const Chosen& chosen,
                               const ChooseWish& wish);

// "0-3, 8, 10-11": hosts of these slots.
std::string hosts_of_slots(const std::vector<int>& slots, int slots_of_host);

}  // namespace quintet
