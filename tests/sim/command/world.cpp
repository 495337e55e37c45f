#include "tests/sim/command/world.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace quintet::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view plan = R"({
  "name": "gpt2-tp4-dp2",
  "parallelism": {
    "tensor": 4,
    "data": 2,
    "schedule": "1f1b",
    "sequence_length": 1024,
    "micro_batch": 1,
    "micro_batches": 4,
    "compute_type": "bf16"
  },
  "ccl": {"bucket": "25 MB"}
}
)";

fs::path shipped(const std::string& path) {
  return fs::path(QUINTET_SOURCE_DIR) / path;
}

}  // namespace

World::World() {
  std::string pattern = (fs::temp_directory_path() / "quintet-test-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
  fs::create_directory(folder_ / "hosts");
  write("plan.json", plan);
  fs::copy(shipped("traces/models/gpt2/config.json"), folder_ / "model.json");
  fs::copy(shipped("topologies/dgx-a100-1.json"), folder_ / "machine.json");
  fs::copy(shipped("topologies/hosts/dgx-a100.json"), folder_ / "hosts/dgx-a100.json");
  fs::copy(shipped("traces/costs/a100-sxm-80gb.json"), folder_ / "costs.json");
  fs::copy(shipped("topologies/pipeline-4.json"), folder_ / "chain.json");
  fs::copy(shipped("topologies/hosts/ideal-1gpu.json"), folder_ / "hosts/ideal-1gpu.json");
  fs::copy(shipped("traces/plans/toy-pipeline-warm-up.json"), folder_ / "chain_plan.json");
  fs::copy(shipped("traces/models/toy-pipeline/config.json"), folder_ / "chain_model.json");
  fs::copy(shipped("traces/costs/toy-pipeline.json"), folder_ / "chain_costs.json");
}

World::~World() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void World::write(const std::string& file, std::string_view content) const {
  std::ofstream(folder_ / file, std::ios::binary) << content;
}

std::string World::read(const std::string& file) const {
  std::ostringstream text;
  text << std::ifstream(folder_ / file, std::ios::binary).rdbuf();
  return text.str();
}

void World::replace(const std::string& file, const std::string& old, const std::string& by) const {
  std::string text = read(file);
  const std::size_t place = text.find(old);
  ASSERT_NE(place, std::string::npos) << file << " has no " << old;
  write(file, text.replace(place, old.size(), by));
}

void World::keep_first(const std::string& file, std::uintmax_t bytes) const {
  fs::resize_file(folder_ / file, bytes);
}

void World::write_sparse(const std::string& file, std::string_view begin,
                         std::uintmax_t bytes) const {
  write(file, begin);
  fs::resize_file(folder_ / file, bytes);
}

}  // namespace quintet::test
