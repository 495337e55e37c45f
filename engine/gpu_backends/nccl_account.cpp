#include "engine/gpu_backends/nccl_account.h"

#include <map>
#include <set>

#include "engine/nccl/nccl_plan.h"
#include "engine/nccl/plugins/profile_log.h"

namespace quintet::engine {

Result<std::vector<std::string>> nccl_account(const std::filesystem::path& profile,
                                              const Program& program, const Ccl& ccl) {
  const Result<std::vector<ProfiledOperation>> operations = read_profile(profile);
  if (!operations) return operations.error();
  std::map<std::string, TunerRules> rules;
  for (std::size_t index = 0; index < program.communicators.size(); ++index)
    rules[program.communicators[index].name] =
        tuner_rules(program, ccl, id_at<CommunicatorId>(index));
  std::set<std::string> departures;
  for (const ProfiledOperation& operation : *operations) {
    const auto found = rules.find(operation.communicator);
    if (found == rules.end()) continue;
    if (auto other = departure(found->second, operation)) departures.insert(std::move(*other));
  }
  std::vector<std::string> lines{
      "What NCCL chose, and its times per channel, operation by "
      "operation: " +
      profile.string()};
  for (const std::string& departure : departures)
    lines.push_back("Not as planned: " + departure + ".");
  return lines;
}

}  // namespace quintet::engine
