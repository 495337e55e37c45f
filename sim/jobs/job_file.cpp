#include "sim/jobs/job_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/json/field_list.h"

namespace quintet {

std::string_view name_of(Policy policy) {
  switch (policy) {
    case Policy::none:
      return "none";
    case Policy::crux:
      return "crux";
    case Policy::cassini:
      return "cassini";
  }
  return {};
}

namespace {

// The name that a job has in common with an earlier one; empty: none.
std::string taken_twice(const std::vector<JobEntry>& jobs) {
  std::set<std::string> seen;
  for (const JobEntry& job : jobs)
    if (!seen.insert(job.name).second) return job.name;
  return "";
}

bool has(const std::vector<JobEntry>& jobs, const std::string& name) {
  return std::any_of(jobs.begin(), jobs.end(),
                     [&](const JobEntry& job) { return job.name == name; });
}

}  // namespace

template <class File>
void fields(File& file, JobEntry& job) {
  constexpr int most = 1 << 20;
  file.required({"name", "of the job in tables"}, job.name);
  file.required({"model", "a config.json, its folder, or a shipped model"}, job.model);
  file.required({"plan",
                 "a plan file, beside this file or from the folder of work, or a shipped "
                 "plan: for hosts x gpus_per_host ranks"},
                job.plan);
  file.field({"hosts", "how many hosts it wants"}, job.hosts, Between{1, most});
  file.unusual({"gpus_per_host", "GPUs that it takes of each host; 0: all"}, job.gpus_per_host, 0,
               Between{0, 4096});
  file.field({"steps", "training steps that it makes"}, job.steps, Between{1, 1'000'000'000});
  file.unusual({"arrives", "when it is handed in, such as \"2 s\""}, job.arrives, Seconds{});
  file.unusual({"priority", "of its traffic: a higher one goes first wherever links are full"},
               job.priority, 0, Between{0, 7});
  file.unusual({"weight", "of its traffic among that of its priority"}, job.weight, 1.0,
               Between{1.0 / 64, 64.0});
  file.field({"routing", "in the place of the plan's network.routing"}, job.routing);
  file.field({"hash_seed", "in the place of the plan's network.hash_seed"}, job.hash_seed);
  file.unusual({"on_hosts",
                "the hosts that it runs on, counted from 0; empty: wherever the "
                "placement puts it"},
               job.on_hosts, {}, Between{0, most - 1});
  file.unusual({"first_gpu", "of each of on_hosts, counted from 0"}, job.first_gpu, 0,
               Between{0, 4095});
  file.unusual({"offset", "it waits so long after it could begin"}, job.offset, Seconds{});
  file.unusual({"pace", "its steps begin at least so far apart; 0 s: one follows the other"},
               job.pace, Seconds{});
  std::set<int> hosts(job.on_hosts.begin(), job.on_hosts.end());
  if (!job.on_hosts.empty() &&
      (hosts.size() != job.on_hosts.size() || hosts.size() != static_cast<std::size_t>(job.hosts)))
    file.refuse("on_hosts", fmt::format("names {} different hosts, expected {} (hosts)",
                                        hosts.size(), job.hosts));
  if (job.first_gpu > 0 && job.on_hosts.empty())
    file.refuse("first_gpu",
                "is of each of on_hosts, which is not there; name the hosts, or leave "
                "it out");
}

template <class File>
void fields(File& file, PublishedRatio& published) {
  file.required({"what", "in the words of the report"}, published.what);
  file.field({"job", "of its step; without it of the share of time in which GPUs compute"},
             published.job);
  file.field({"policy", "none: with the others over alone; otherwise jobs --policy over without"},
             published.policy);
  file.required({"ratio", "as it was published"}, published.ratio, Between{1e-3, 1e3});
  file.required({"source", "where it was published"}, published.source);
}

template <class File>
void fields(File& file, JobFile& jobs) {
  file.required({"name", "of the jobs in reports"}, jobs.name);
  file.field({"source", "where they come from: who ran or recorded them"}, jobs.source);
  file.required({"jobs", "one or more"}, jobs.jobs);
  file.unusual({"published", "what others measured of them, shown beside what is predicted"},
               jobs.published, {});
}

namespace {

JobFile read_all(JsonObject& root) {
  JobFile file;
  FieldReader reader(root);
  fields(reader, file);
  if (root.recording() || root.failed()) return file;
  if (file.jobs.empty()) reader.refuse("jobs", "is empty, expected one job or more");
  if (const std::string twice = taken_twice(file.jobs); !twice.empty())
    reader.refuse("jobs", fmt::format("has two jobs called {}; give one of them another name",
                                      in_quotes(twice)));
  for (std::size_t each = 0; each < file.published.size(); ++each)
    if (const std::string& job = file.published[each].job; !job.empty() && !has(file.jobs, job))
      reader.refuse(fmt::format("published[{}].job", each),
                    fmt::format("names {}, which is none of the jobs", in_quotes(job)));
  return file;
}

}  // namespace

Result<JobFile> parse_jobs(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  JobFile file = read_all(root);
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  return file;
}

Result<JobFile> read_jobs(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_jobs(*text, file.string());
}

std::string jobs_text(JobFile jobs) {
  FieldWriter writer(Digits::exact);
  fields(writer, jobs);
  return std::move(writer).json().dump(2) + "\n";
}

FieldDescription job_fields() {
  const FieldRecording recording = recorded([](FieldRecording& into) {
    JsonObject root(into);
    static_cast<void>(read_all(root));
  });
  return description_of(recording.root);
}

}  // namespace quintet
