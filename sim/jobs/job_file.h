// Jobs that run beside one another on one machine, as a file has them. Fields and what they mean:
// `quintet jobs --fields`, docs/formats/jobs.md.
//
//   {"name": "two of a kind", "source": "made up", "jobs": [
//     {"name": "a", "model": "gpt2", "plan": "a.json", "hosts": 4, "steps": 100},
//     {"name": "b", "model": "gpt2", "plan": "a.json", "hosts": 4, "steps": 100,
//      "arrives": "2 s", "priority": 1}]}
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/json/field_description.h"
#include "sim/plan/network.h"

namespace quintet {

// What published schedulers decide of jobs that have their places already (policy.h).
enum class Policy {
  none,
  // Routes job by job onto the least full links, the most GPU-intense first, and strict priorities
  // by GPU intensity (Cao et al., SIGCOMM 2024, sections 4.1 and 4.2; correction factors are taken
  // as 1).
  crux,
  // Begins turned against one another on a circle of all jobs' steps, and steps held to its pace
  // where that draws none out by more than 5 % (Rajasekaran et al., NSDI 2024, sections 3 to 5).
  cassini,
};
std::string_view name_of(Policy policy);

// One job as the file has it.
struct JobEntry {
  std::string name, model, plan;
  int hosts = 1;
  int gpus_per_host = 0;  // 0: all
  int steps = 1;
  Seconds arrives;
  // Of its traffic, against that of other jobs (TrafficClass, sim/network/fabric.h).
  int priority = 0;
  double weight = 1;
  // In the place of the plan's: which way its traffic goes.
  std::optional<Routing> routing;
  std::optional<std::uint64_t> hash_seed;
  std::vector<int> on_hosts;  // empty: wherever a placement puts it
  int first_gpu = 0;          // of each of on_hosts
  Seconds offset;             // waits so long after it could begin
  Seconds pace;               // its steps begin at least so far apart; 0: one after the other
  bool operator==(const JobEntry&) const = default;
};

// What somebody else measured of these jobs, to be shown beside what is predicted.
struct PublishedRatio {
  std::string what;  // in the words of the report
  std::string job;   // of its step; empty: of the share of time in which GPUs compute
  // none: with the others over alone; otherwise decided by this over left as the file has it.
  Policy policy = Policy::none;
  double ratio = 1;
  std::string source;
  bool operator==(const PublishedRatio&) const = default;
};

struct JobFile {
  std::string name, source;
  std::vector<JobEntry> jobs;
  std::vector<PublishedRatio> published = {};
  bool operator==(const JobFile&) const = default;
};

// The error names file, place, value and what is accepted: no job, two of one name, hosts named
// twice or not as many as wanted.
Result<JobFile> read_jobs(const std::filesystem::path& file);
Result<JobFile> parse_jobs(const std::string& text, const std::string& where);

// As it is read back.
std::string jobs_text(JobFile jobs);

FieldDescription job_fields();

}  // namespace quintet
