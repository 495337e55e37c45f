// What `quintet jobs` is given, read and checked against each other.
#pragma once

#include <optional>
#include <string>

#include "sim/base/result.h"
#include "sim/jobs/job.h"
#include "sim/json/field_change.h"

namespace quintet {

struct JobsNames {
  std::string file, topology,
      costs;  // files or shipped names; costs empty: the GPU's shipped table
  std::optional<int> hosts;
  FieldChanges topology_changes, costs_changes;
};

struct JobsInputs {
  JobFile file;
  std::string path;  // of it
  JobsOnMachine machine;
  std::string costs_file;
  // Per job what its file names, with its whole path where it lies beside that file.
  std::vector<std::string> models{}, plans{};
};

// A job's plan is looked for beside the file, then from the folder of work on, then among the
// shipped ones; so is its model. The error names file, place, value and what is accepted.
Result<JobsInputs> read_jobs_inputs(const JobsNames& names);

}  // namespace quintet
