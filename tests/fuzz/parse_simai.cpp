#include "tests/fuzz/fuzz_input.h"
#include "traces/simai/simai.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  const bool is_one = is_simai(text);
  for (const int gpus : {0, 8}) {
    const Result<Workload> workload = parse_simai(text, "input", gpus);
    fuzz::require_place(workload);
    if (!workload) continue;
    fuzz::require(is_one, "what is read is recognised");
    for (const WorkloadRank& rank : workload->ranks) {
      fuzz::require(rank.after_begin.size() == rank.tasks.size() + 1,
                    "each task says what it is after");
      for (std::size_t i = 0; i < rank.tasks.size(); ++i)
        for (auto k = rank.after_begin[i]; k < rank.after_begin[i + 1]; ++k)
          fuzz::require(rank.after[static_cast<std::size_t>(k)] < static_cast<std::int32_t>(i),
                        "each task comes after what it is after");
      for (const TaskPeers& peers : rank.peers)
        fuzz::require(static_cast<std::size_t>(peers.group) < workload->groups.size(),
                      "collectives are of groups that are there");
    }
  }
  return 0;
}
