#include "sim/command/jobs/jobs_inputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "sim/asked/sample_lengths.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/command/machines/machine_inputs.h"
#include "sim/model/model_file.h"
#include "sim/plan/asked_plan.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/shipped.h"

namespace quintet {

namespace {

namespace fs = std::filesystem;

// With its whole path where it lies beside the file, else as it was given.
std::string whole_name(const fs::path& folder, const std::string& given) {
  std::error_code unreadable;
  const fs::path beside = folder / given;
  if (given.empty() || !fs::exists(beside, unreadable)) return given;
  return fs::absolute(beside, unreadable).lexically_normal().string();
}

class Reading {
 public:
  Reading(JobsInputs& inputs) : inputs_(inputs), folder_(fs::path(inputs.path).parent_path()) {}

  std::optional<Error> jobs() {
    for (std::size_t job = 0; job < inputs_.file.jobs.size(); ++job) {
      const std::string where = fmt::format("{}: jobs[{}]", inputs_.path, job);
      if (auto error = add(inputs_.file.jobs[job], where)) return error;
    }
    return std::nullopt;
  }

 private:
  std::optional<Error> add(const JobEntry& entry, const std::string& where) {
    inputs_.models.push_back(whole_name(folder_, entry.model));
    inputs_.plans.push_back(whole_name(folder_, entry.plan));
    const Result<Model> model = model_named(inputs_.models.back());
    if (!model) return Error{where + ".model", model.error().text()};
    Result<Plan> plan = plan_named(inputs_.plans.back());
    if (!plan) return Error{where + ".plan", plan.error().text()};
    if (plan->name.empty()) plan->name = fs::path(entry.plan).stem().string();
    Result<Job> job = ready_job(entry, *model, *plan, inputs_.machine, {}, where);
    if (!job) return job.error();
    inputs_.machine.jobs.push_back(std::move(*job));
    return std::nullopt;
  }

  Result<Model> model_named(const std::string& given) {
    if (const auto known = models_.find(given); known != models_.end()) return known->second;
    const Result<fs::path> file = find_file(FileKind::model, given);
    if (!file) return file.error();
    Result<Model> model = read_model(*file);
    if (model) models_.emplace(given, *model);
    return model;
  }

  Result<Plan> plan_named(const std::string& given) const {
    const Result<fs::path> file = find_file(FileKind::plan, given);
    if (!file) return file.error();
    return with_lengths(read_asked_plan(*file, {}, 0), file->parent_path());
  }

  JobsInputs& inputs_;
  fs::path folder_;
  std::map<std::string, Model> models_;
};

}  // namespace

Result<JobsInputs> read_jobs_inputs(const JobsNames& names) {
  const Result<fs::path> path = find_file(FileKind::jobs, names.file);
  if (!path) return path.error();
  Result<JobFile> file = read_jobs(*path);
  if (!file) return file.error();
  const Result<fs::path> machine = find_file(FileKind::topology, names.topology);
  if (!machine) return machine.error();
  Result<Topology> topology = read_topology(*machine, {names.hosts, {}, names.topology_changes});
  if (!topology) return topology.error();
  Result<NamedCosts> costs = names.costs.empty() ? costs_of_machine(*topology, names.costs_changes)
                                                 : costs_named(names.costs, names.costs_changes);
  if (!costs) return costs.error();
  JobsInputs inputs{std::move(*file),
                    path->string(),
                    {{}, std::move(*topology), std::move(costs->costs)},
                    costs->file};
  if (auto error = Reading(inputs).jobs()) return *error;
  return inputs;
}

}  // namespace quintet
