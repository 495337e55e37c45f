// libquintet_nccl_tuner.so: makes NCCL take the algorithm, protocol and channels that the plan
// asks for, and writes down what NCCL's own table of times said. NCCL loads it where
// NCCL_TUNER_PLUGIN names it, once per process; one context per communicator.
//
//   QUINTET_NCCL_RULES  the rules (tuner_rules.h) of the communicator that is made next
//   QUINTET_NCCL_TABLE  JSON lines are added here: the constants, and the table of each size asked
#include <exception>
#include <memory>
#include <optional>

#include "engine/nccl/plugins/tuner_context.h"

namespace quintet::nccl_plugin {

namespace {

std::optional<CollectiveKind> kind_of(Function function) {
  switch (function) {
    case function_broadcast:
      return CollectiveKind::broadcast;
    case function_reduce:
      return CollectiveKind::reduce;
    case function_all_gather:
      return CollectiveKind::all_gather;
    case function_reduce_scatter:
      return CollectiveKind::reduce_scatter;
    case function_all_reduce:
      return CollectiveKind::all_reduce;
  }
  return std::nullopt;  // messages: NCCL has nothing to choose
}

// No exception may reach NCCL, and no failure of ours may end its job.
Answer init(void** context, std::uint64_t id, std::size_t ranks, std::size_t nodes, Logger log,
            NvlinkDomains*, TunerConstants* constants) {
  *context = nullptr;
  try {
    auto made = std::make_unique<TunerContext>(id, ranks, nodes, log);
    if (constants != nullptr) made->note_constants(*constants);
    *context = made.release();
  } catch (const std::exception& failure) {
    warn(tuner_name, log, failure.what());
  }
  return answer_success;
}

Answer choose(void* context, Function function, std::size_t bytes, int operations, float** times,
              int algorithm_count, int protocol_count, int registered, int* channels) {
  const std::optional<CollectiveKind> kind = kind_of(function);
  if (context == nullptr || !kind) return answer_success;
  try {
    static_cast<TunerContext*>(context)->choose({*kind, bytes, operations, registered},
                                                Times(times, algorithm_count, protocol_count),
                                                *channels);
  } catch (const std::exception& failure) {
    warn(tuner_name, nullptr, failure.what());
  }
  return answer_success;
}

Answer finalize(void* context) {
  const std::unique_ptr<TunerContext> ended(static_cast<TunerContext*>(context));
  return answer_success;
}

}  // namespace

}  // namespace quintet::nccl_plugin

extern "C" __attribute__((visibility("default")))
const quintet::nccl_plugin::Tuner ncclTunerPlugin_v5;
const quintet::nccl_plugin::Tuner ncclTunerPlugin_v5 = {"Quintet", quintet::nccl_plugin::init,
                                                        quintet::nccl_plugin::choose,
                                                        quintet::nccl_plugin::finalize};
