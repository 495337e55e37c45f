#include <array>

#include "tests/fuzz/fuzz_input.h"
#include "traces/chakra/chakra.h"

using namespace quintet;

namespace {

// What every consumer of a workload relies on.
void require_whole(const Workload& workload) {
  for (const WorkloadRank& rank : workload.ranks) {
    fuzz::require(rank.after_begin.size() == rank.tasks.size() + 1,
                  "each task says what it is after");
    for (std::size_t i = 0; i < rank.tasks.size(); ++i) {
      const WorkloadTask& task = rank.tasks[i];
      fuzz::require(static_cast<std::size_t>(task.info) < workload.infos.size(), "infos are there");
      fuzz::require(task.peers < static_cast<std::int32_t>(rank.peers.size()), "peers are there");
      for (auto k = rank.after_begin[i]; k < rank.after_begin[i + 1]; ++k)
        fuzz::require(rank.after[static_cast<std::size_t>(k)] < static_cast<std::int32_t>(i),
                      "each task comes after what it is after");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  is_chakra(text);
  const std::array files{ChakraBytes{"job.0.et", text}, ChakraBytes{"job.1.et", text}};
  const Result<Workload> one = parse_chakra(std::span(files).first(1));
  const Result<Workload> two = parse_chakra(files);
  fuzz::require_place(one);
  fuzz::require_place(two);
  if (one) require_whole(*one);
  if (two) require_whole(*two);
  return 0;
}
