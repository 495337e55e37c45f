// Data flows one way: no room includes a room above it, and libraries of others stay in the files
// that own them (reference: style.md 5 and rule 12).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace quintet {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

// Room -> rooms below it. Every room may include itself and the headers right in sim/.
const std::map<std::string, std::set<std::string>>& rooms_below() {
  static const std::map<std::string, std::set<std::string>> rooms{
      {"model", {}},
      {"topology", {}},
      {"plan", {}},
      {"program", {"model", "plan"}},
      {"timeline", {"model", "plan", "program"}},
      {"cost", {"model", "plan"}},
      {"parallelism", {"model", "topology", "plan", "program"}},
      {"ccl", {"plan", "program"}},
      {"intra_inter", {"plan", "program", "topology"}},
      {"host_net", {"plan", "topology", "cost"}},
      {"network", {"plan", "topology"}},
      {"job", {"model", "topology", "plan", "program", "parallelism", "intra_inter"}},
      {"simulate",
       {"model", "topology", "plan", "program", "timeline", "cost", "parallelism", "ccl",
        "intra_inter", "host_net", "network", "job"}},
      {"validate",
       {"model", "topology", "plan", "program", "timeline", "cost", "parallelism", "ccl",
        "intra_inter", "host_net", "network", "job", "simulate"}},
      {"usage", {}},
      {"command",
       {"model", "topology", "plan", "program", "timeline", "cost", "parallelism", "ccl",
        "intra_inter", "host_net", "network", "job", "simulate", "validate", "usage"}},
  };
  return rooms;
}

// Rooms of sim that only guess how long a step takes: the engine obeys plans and measures
// (style.md 5).
const std::set<std::string>& rooms_that_guess() {
  static const std::set<std::string> rooms{"cost",     "host_net", "network",
                                           "simulate", "validate", "command"};
  return rooms;
}

// Rooms of the engine that know files and nothing of ranks, or ranks and nothing of training.
const std::map<std::string, std::set<std::string>>& engine_rooms_below() {
  static const std::map<std::string, std::set<std::string>> rooms{
      {"storage", {}},
      {"data", {"storage"}},
      {"weights", {"storage"}},
      {"checkpoint", {"storage"}},
      // What moves bytes knows groups of ranks and nothing of training; `executor` is the interface
      // that it is used through.
      {"transport", {"launch"}},
      {"collectives", {"transport"}},
      {"communicator", {"transport", "collectives", "executor"}},
      {"device", {}},
      {"capture", {}},
      {"virtual_ranks", {"device", "executor"}},
      {"delegate", {"device", "executor"}},
      {"peers", {"transport", "state"}},
      {"nccl", {"launch", "transport", "executor", "state", "peers"}},
  };
  return rooms;
}

// What `problems` judges a plan against (style.md 5, line "validate.cpp also: model, topology").
const std::set<std::string>& rooms_below_problems() {
  static const std::set<std::string> rooms{"model", "topology"};
  return rooms;
}

// "sim/ccl/ring.h" -> "ccl"; "sim/base/units.h" -> ""; elsewhere: nothing of sim.
std::string room_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return folder == "sim" ? "" : folder.lexically_relative("sim").begin()->string();
}

bool may_include(const fs::path& file, const std::string& included) {
  const std::string room = room_of(file);
  if (included.empty() || included == room || file == "sim/main.cpp") return true;
  if (room == "plan" && file.filename().string().starts_with("problems"))
    return rooms_below_problems().contains(included);
  const auto below = rooms_below().find(room);
  return below != rooms_below().end() && below->second.contains(included);
}

bool engine_may_include(const fs::path& file, const fs::path& include) {
  const std::string room = file.parent_path().filename().string();
  // The box builds the network that the simulator knows: messages must take the same links.
  if (room == "box" && include == "sim/network/route/route.h") return true;
  if (*include.begin() == "sim") return !rooms_that_guess().contains(room_of(include));
  const std::string included = include.parent_path().filename().string();
  const auto below = engine_rooms_below().find(room);
  if (*include.begin() != "engine" || below == engine_rooms_below().end()) return true;
  return included == room || included == "engine" || below->second.contains(included);
}

// Calibration measures with the engine what the simulator takes: it looks into no prediction, and
// nobody looks into it.
bool calibration_is_apart(const fs::path& file, const fs::path& include) {
  const bool from_calibration = *file.begin() == "calibrate";
  if (*include.begin() == "calibrate") return from_calibration || *file.begin() == "tests";
  const std::string room = *include.begin() == "sim" ? room_of(include) : "";
  return !from_calibration || (room != "simulate" && room != "command");
}

bool is_in(const fs::path& file, const std::string& folder, const std::string& extension) {
  return file.parent_path() == folder && file.extension() == extension;
}

// Libraries of others, by how their includes begin, and where they may be.
bool may_use_library(const fs::path& file, const std::string& include) {
  if (include.starts_with("nlohmann/"))
    return file.extension() == ".cpp" || file == "sim/base/json_fields.h";
  if (include.starts_with("ucp/") || include.starts_with("ucs/"))
    return is_in(file, "engine/transport", ".cpp");
  if (include == "nccl.h") return file.parent_path() == "engine/nccl";
  if (include.starts_with("openssl/")) return is_in(file, "engine/launch", ".cpp");
  if (include == "sim/base/json_fields.h")
    return file.extension() == ".cpp";  // it brings nlohmann in
  if (include.starts_with("boost/")) return is_in(file, "sim/topology", ".cpp");
  if (include.starts_with("CLI/"))
    return is_in(file, "sim/usage", ".h") || room_of(file) == "command" ||
           file.parent_path() == "engine/command" || file == "sim/main.cpp";
  return true;
}

Lines includes_in(const std::string& text) {
  static const std::regex pattern(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"])re");
  Lines found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

// Everything wrong with one file; `file` is relative to the repository.
Lines complaints(const fs::path& file, const std::string& text) {
  Lines found;
  const std::string name = file.string();
  if (file.extension() == ".h" && text.find("#pragma once\n") == std::string::npos)
    found.push_back(name + " has no #pragma once");
  for (const std::string& include : includes_in(text)) {
    const bool ours = include.starts_with("sim/");
    const bool in_sim = name.starts_with("sim/");
    if (ours && file.extension() == ".cu")
      found.push_back(name + " (CUDA) may not include " + include);
    if (ours && in_sim && !may_include(file, room_of(include)))
      found.push_back(name + " may not include sim/" + room_of(include));
    if (name.starts_with("engine/") && !engine_may_include(file, include))
      found.push_back(name + " may not include " + include);
    if (!calibration_is_apart(file, include)) found.push_back(name + " may not include " + include);
    if ((in_sim || name.starts_with("engine/")) && !may_use_library(file, include))
      found.push_back(name + " may not include " + include);
  }
  return found;
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> sources_in(const fs::path& root, const std::string& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(root / folder)) return files;
  const std::set<std::string> kinds{".h", ".cpp", ".cu", ".cuh"};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder))
    if (entry.is_regular_file() && kinds.contains(entry.path().extension().string()))
      files.push_back(entry.path().lexically_relative(root));
  std::sort(files.begin(), files.end());
  return files;
}

TEST(IncludeOrder, TheRepositoryKeepsIt) {
  const fs::path root = QUINTET_SOURCE_DIR;
  ASSERT_GT(sources_in(root, "sim").size(), 10u);  // else nothing was looked at
  for (const char* folder : {"sim", "kernels", "engine", "calibrate"})
    for (const fs::path& file : sources_in(root, folder))
      for (const std::string& complaint : complaints(file, content_of(root / file)))
        ADD_FAILURE() << complaint;
}

TEST(IncludeOrder, EveryRoomIsInTheTable) {
  for (const fs::path& file : sources_in(QUINTET_SOURCE_DIR, "sim"))
    EXPECT_TRUE(room_of(file).empty() || rooms_below().contains(room_of(file))) << file;
}

TEST(IncludeOrder, TheTableItselfHasNoCircle) {
  // Taking away rooms whose rooms below are all taken away must empty the table.
  std::set<std::string> taken;
  for (std::size_t round = 0; round < rooms_below().size(); ++round)
    for (const auto& [room, below] : rooms_below())
      if (std::includes(taken.begin(), taken.end(), below.begin(), below.end())) taken.insert(room);
  EXPECT_EQ(taken.size(), rooms_below().size());
}

// From here on: the checks can fail.

TEST(IncludeOrder, ARoomAboveIsNamed) {
  EXPECT_EQ(complaints("sim/ccl/ring.h", "#pragma once\n#include \"sim/simulate/simulate.h\"\n"),
            Lines{"sim/ccl/ring.h may not include sim/simulate"});
  EXPECT_EQ(complaints("sim/ccl/algorithms/ring.cpp",
                       "#include <vector>\n#include \"sim/network/route/route.h\"\n"),
            Lines{"sim/ccl/algorithms/ring.cpp may not include sim/network"});
  EXPECT_EQ(complaints("sim/base/units.h", "#pragma once\n  #  include \"sim/model/model.h\"\n"),
            Lines{"sim/base/units.h may not include sim/model"});
  EXPECT_EQ(complaints("sim/nowhere/a.cpp", "#include \"sim/model/model.h\"\n"),
            Lines{"sim/nowhere/a.cpp may not include sim/model"});
}

TEST(IncludeOrder, RoomsBelowAndTheRootAreFine) {
  const std::string text =
      "#pragma once\n#include \"sim/ccl/tree.h\"\n#include \"sim/plan/ccl.h\"\n"
      "#include \"sim/base/units.h\"\n";
  EXPECT_EQ(complaints("sim/ccl/ring.h", text), Lines{});
}

TEST(IncludeOrder, OnlyProblemsMayLookBeyondThePlan) {
  const std::string text = "#include \"sim/topology/topology.h\"\n";
  EXPECT_EQ(complaints("sim/plan/problems/problems.cpp", text), Lines{});
  EXPECT_EQ(complaints("sim/plan/plan_file.cpp", text),
            Lines{"sim/plan/plan_file.cpp may not include sim/topology"});
}

TEST(IncludeOrder, AHeaderHasPragmaOnce) {
  EXPECT_EQ(complaints("sim/ccl/ring.h", "// nothing\n"),
            Lines{"sim/ccl/ring.h has no #pragma once"});
}

TEST(IncludeOrder, CalibrationIsApart) {
  EXPECT_EQ(complaints("calibrate/a.cpp",
                       "#include \"calibrate/b.h\"\n"
                       "#include \"sim/cost/cost_table.h\"\n"
                       "#include \"engine/emulated_cluster/emulated_cluster.h\"\n"),
            Lines{});
  EXPECT_EQ(complaints("calibrate/a.cpp", "#include \"sim/simulate/predict.h\"\n"),
            Lines{"calibrate/a.cpp may not include sim/simulate/predict.h"});
  EXPECT_EQ(complaints("engine/train/a.cpp", "#include \"calibrate/b.h\"\n"),
            Lines{"engine/train/a.cpp may not include calibrate/b.h"});
}

TEST(IncludeOrder, TheEngineDoesNotSeeWhatGuessesTimes) {
  EXPECT_EQ(complaints("engine/executor/run.cpp",
                       "#include \"sim/program/program.h\"\n#include \"sim/cost/gemm_time.h\"\n"),
            Lines{"engine/executor/run.cpp may not include sim/cost/gemm_time.h"});
}

TEST(IncludeOrder, TheBoxSeesRoutesAndNoRates) {
  EXPECT_EQ(
      complaints(
          "engine/emulated_cluster/layout.cpp",
          "#include \"sim/network/route/route.h\"\n#include \"sim/network/fluid/fabric.h\"\n"),
      Lines{"engine/emulated_cluster/layout.cpp may not include sim/network/fluid/fabric.h"});
}

TEST(IncludeOrder, TheEnginesFilesKnowNothingOfRanks) {
  EXPECT_EQ(complaints("engine/files/data/packing.cpp",
                       "#include \"engine/files/storage/counter_random.h\"\n#include "
                       "\"engine/files/storage/box.h\"\n"
                       "#include \"engine/network/transport/wire.h\"\n"),
            Lines{"engine/files/data/packing.cpp may not include engine/network/transport/wire.h"});
}

TEST(IncludeOrder, CollectivesKnowNothingOfWhatTheyMove) {
  EXPECT_EQ(complaints("engine/network/collectives/messages.cpp",
                       "#include \"engine/network/transport/wire.h\"\n"
                       "#include \"engine/communicator/communicator.h\"\n"),
            Lines{"engine/network/collectives/messages.cpp may not include "
                  "engine/communicator/communicator.h"});
}

TEST(IncludeOrder, CudaNeverSeesOurHeaders) {
  EXPECT_EQ(complaints("kernels/norm.cu", "#include \"sim/base/units.h\"\n"),
            Lines{"kernels/norm.cu (CUDA) may not include sim/base/units.h"});
}

TEST(IncludeOrder, LibrariesStayInTheFilesThatOwnThem) {
  EXPECT_EQ(complaints("sim/plan/plan.h", "#pragma once\n#include <nlohmann/json.hpp>\n"),
            Lines{"sim/plan/plan.h may not include nlohmann/json.hpp"});
  EXPECT_EQ(complaints("sim/plan/plan.h", "#pragma once\n#include \"sim/base/json_fields.h\"\n"),
            Lines{"sim/plan/plan.h may not include sim/base/json_fields.h"});
  EXPECT_EQ(complaints("sim/network/route/route.cpp", "#include <boost/graph/graph_traits.hpp>\n"),
            Lines{"sim/network/route/route.cpp may not include boost/graph/graph_traits.hpp"});
  EXPECT_EQ(complaints("sim/model/model.cpp", "#include <CLI/CLI.hpp>\n"),
            Lines{"sim/model/model.cpp may not include CLI/CLI.hpp"});
  EXPECT_EQ(complaints("sim/main.cpp", "#include <CLI/CLI.hpp>\n"), Lines{});
  EXPECT_EQ(complaints("engine/network/collectives/messages.cpp", "#include <ucp/api/ucp.h>\n"),
            Lines{"engine/network/collectives/messages.cpp may not include ucp/api/ucp.h"});
  EXPECT_EQ(complaints("engine/network/transport/ucx_worker.cpp", "#include <ucp/api/ucp.h>\n"),
            Lines{});
  EXPECT_EQ(complaints("engine/nccl/nccl_check.cpp", "#include <nccl.h>\n"), Lines{});
  EXPECT_EQ(complaints("engine/train/training.cpp", "#include <nccl.h>\n"),
            Lines{"engine/train/training.cpp may not include nccl.h"});
}

}  // namespace
}  // namespace quintet
