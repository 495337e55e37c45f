#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/model/model_file.h"
#include "sim/plan/plan_file.h"
#include "sim/plan/problems/problems.h"
#include "sim/topology/file/topology_file.h"

namespace quintet {
namespace {

const std::string here = QUINTET_SOURCE_DIR "/";

struct Shipped {
  std::string plan, model, topology;
  std::optional<int> hosts;  // other than the topology's own
  int global_batch;
};

// arXiv 2205.05198 table 3: GPUs 8, 64, 280, 512 (8 a host) and batch sizes 4, 64, 280, 512.
const std::vector<Shipped> all_shipped{
    {"llama-3-70b-1024-h100-tp8-pp4", "llama-3-70b", "dgx-h100-1024", {}, 1024},
    {"llama-3-70b-1024-h100-zero3", "llama-3-70b", "dgx-h100-1024", {}, 1024},
    {"toy-pipeline-1f1b", "toy-pipeline", "pipeline-4", {}, 12},
    {"toy-pipeline-warm-up", "toy-pipeline", "pipeline-4", {}, 12},
    {"pipemorph-14b-1f1b", "pipemorph-14b", "h800-8", {}, 24},
    {"pipemorph-14b-zero-bubble", "pipemorph-14b", "h800-8", {}, 24},
    {"pipemorph-14b-delegated", "pipemorph-14b", "h800-8", {}, 24},
    {"pipemorph-14b-adapted", "pipemorph-14b", "h800-8", {}, 24},
    {"olmo-2-1b-full", "olmo-2-1b", "leonardo-a100", {}, 512},
    {"olmo-2-1b-demo", "olmo-2-1b", "leonardo-a100", {}, 512},
    {"olmo-2-1b-random", "olmo-2-1b", "leonardo-a100", {}, 512},
    {"t5-small-like-full", "t5-small-like", "leonardo-a100", 2, 256},
    {"t5-small-like-demo", "t5-small-like", "leonardo-a100", 2, 256},
    {"t5-small-like-random", "t5-small-like", "leonardo-a100", 2, 256},
    {"tiny-gpt-dp4-demo", "tiny-gpt", "box-4-100mbit", {}, 16},
    {"tiny-gpt-dp4-random", "tiny-gpt", "box-4-10mbit", {}, 16},
    {"tiny-gpt-dp4-striding", "tiny-gpt", "box-4-1gbit", {}, 16},
    {"tiny-gpt-dp4-diloco", "tiny-gpt", "box-4-1gbit", {}, 16},
    {"korthikanti-gpt-22b", "korthikanti-22b", "selene-a100", 1, 4},
    {"korthikanti-gpt-175b", "gpt-3-175b", "selene-a100", 8, 64},
    {"korthikanti-gpt-530b", "korthikanti-530b", "selene-a100", 35, 280},
    {"korthikanti-gpt-1t", "korthikanti-1t", "selene-a100", 64, 512},
};

TEST(ShippedPlans, FitTheirModelsAndMachines) {
  for (const Shipped& shipped : all_shipped) {
    const Result<Plan> plan = read_plan(here + "traces/plans/" + shipped.plan + ".json");
    ASSERT_TRUE(plan) << plan.error().text();
    const Result<Model> model =
        read_model(here + "traces/models/" + shipped.model + "/config.json");
    ASSERT_TRUE(model) << model.error().text();
    const Result<Topology> topology =
        read_topology(here + "topologies/" + shipped.topology + ".json", {.hosts = shipped.hosts});
    ASSERT_TRUE(topology) << topology.error().text();
    const std::vector<Problem> found = problems(*plan, *model, *topology);
    EXPECT_TRUE(found.empty()) << shipped.plan << ": " << found.front().field << " "
                               << found.front().reason;
    EXPECT_EQ(shipped.plan, plan->name);
    EXPECT_EQ(shipped.global_batch, global_batch(plan->parallelism));
  }
}

}  // namespace
}  // namespace quintet
