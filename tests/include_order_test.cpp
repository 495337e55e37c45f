// Data flows one way: no room includes a room above it, and libraries of others stay in the files
// that own them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace quintet {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

// Every room of every top folder, from the ground up: a room includes itself and rooms before it.
constexpr std::array rooms{
    // what is trained, on what, how; what hardware was measured to do
    "sim/base", "sim/samples", "sim/picture", "sim/json", "sim/packing", "sim/model",
    "sim/topology", "sim/topology/recipe", "sim/topology/families", "sim/topology/file",
    "sim/topology/describe", "sim/topology/faults", "sim/parallelism/schedules", "sim/plan",
    "sim/program", "sim/cost", "sim/cost/file", "sim/cost/refit", "sim/cost/guess",
    // what happened, and why
    "sim/timeline", "sim/timeline/chrome_trace", "sim/explain", "sim/explain/difference",
    "sim/explain/path", "sim/explain/pictures",
    // consequences of the five layers, which never include each other
    "sim/parallelism/replication", "sim/parallelism", "sim/ccl", "sim/ccl/nccl",
    "sim/ccl/algorithms", "sim/ccl/choice", "sim/intra_inter", "sim/host_net", "sim/network",
    "sim/network/fluid", "sim/network/route",
    // what of a plan does not fit
    "sim/plan/problems",
    // plans in the words of other frameworks
    "sim/frameworks",
    // what a slow link makes of a plan between steps
    "sim/adapt",
    // everything together
    "sim/compile", "sim/price", "sim/analytic", "sim/simulate/fold", "sim/simulate/walk",
    "sim/simulate", "sim/simulate/run",
    // several jobs on one machine
    "sim/jobs",
    // how sure that is, what it costs, and what a user asked
    "sim/confidence", "sim/money", "sim/training_run", "sim/answer", "sim/answer/pictures",
    // the best of many, and why
    "sim/search", "sim/advice",
    // published rows; command lines
    "sim/validate/rows", "sim/validate", "sim/validate/fit", "sim/validate/report", "sim/usage",
    "sim/asked", "sim/command/machines", "sim/command", "sim/command/plans", "sim/command/sweep",
    "sim/command/search", "sim/command/jobs", "sim/command/help", "sim",
    // the library and the Python module
    "sim/api/quintet", "sim/api", "sim/api/python",

    // what others recorded: read, put together, replayed, diagnosed
    "traces/trace", "traces/json_stream", "traces/workload", "traces/nccl", "traces/nsight",
    "traces/kineto", "traces/pytorch_et", "traces/perfetto", "traces/csv", "traces/chakra",
    "traces/simai", "traces/astra_sim", "traces/replay", "traces/learn", "traces/report",
    "traces/readers", "traces/command",

    "kernels", "kernels/cpu", "kernels/onednn", "kernels/cuda", "kernels/cuda/tile",
    "kernels/cuda/operators", "kernels/cuda/float8", "kernels/cuda/attention",
    "kernels/cuda/cublaslt", "kernels/cuda/cudnn", "kernels/cuda/cupti", "kernels/cuda/device",

    // files know nothing of ranks, what moves bytes nothing of training
    "engine/files/storage", "engine/files/data", "engine/files/weights", "engine/files/checkpoint",
    "engine/launch/rendezvous", "engine/launch", "engine/emulated_cluster", "engine/network/routes",
    "engine/network/transport", "engine/network/collectives", "engine/device", "engine/recording",
    "engine/communication", "engine/communication/delegate", "engine/peers", "engine/plan_limits",
    "engine/timeline", "engine/nccl", "engine/nccl/plugins", "engine/gpu_backends",
    "engine/parameters", "engine/operators", "engine/replication", "engine/executor",
    "engine/saving", "engine/validation", "engine/adapt", "engine/train", "engine/before",
    "engine/command",

    "calibrate/fit", "calibrate/machine", "calibrate/operators", "calibrate/probes",
    "calibrate/ranks", "calibrate/messages", "calibrate/device", "calibrate/loop",
    "calibrate/command",

    // drawings and controls know nothing of documents, documents nothing of pages
    "gui/drawing", "gui/drawing/plot", "gui/widgets", "gui/scenario", "gui/scenario/sweep",
    "gui/work", "gui/timeline", "gui/topology", "gui/document", "gui/models", "gui/pages",
    "gui/pages/topology", "gui/pages/plan", "gui/pages/timeline", "gui/pages/compare",
    "gui/pages/sweep", "gui/pages/calibration", "gui/export", "gui/window", "gui/command"};

std::size_t height(const std::string& room) {
  return static_cast<std::size_t>(std::find(rooms.begin(), rooms.end(), room) - rooms.begin());
}

bool is_room(const std::string& folder) {
  return height(folder) < rooms.size();
}

std::string room_of(const fs::path& file) {
  return file.parent_path().string();
}

// "sim/ccl/algorithms" -> "sim/ccl".
std::string second_level(const fs::path& room) {
  auto part = room.begin();
  fs::path found = *part;
  return ++part == room.end() ? found.string() : (found / *part).string();
}

bool is_layer(const std::string& room) {
  constexpr std::array layers{"sim/parallelism", "sim/ccl", "sim/intra_inter", "sim/host_net",
                              "sim/network"};
  return std::find(layers.begin(), layers.end(), second_level(room)) != layers.end();
}

// Rooms of sim that only guess how long a step takes: the engine obeys plans and measures.
bool guesses(const std::string& room) {
  static const std::set<std::string> those{
      "sim/cost",     "sim/host_net", "sim/network",    "sim/price", "sim/simulate",
      "sim/validate", "sim/jobs",     "sim/confidence", "sim/money", "sim/training_run",
      "sim/answer",   "sim/advice",   "sim/command",    "sim/api"};
  return those.contains(second_level(room));
}

bool may_include(const fs::path& file, const fs::path& include) {
  const std::string room = room_of(file), included = room_of(include);
  if (room == included) return true;
  // Pages are what all_pages lists; nothing else in their room knows one.
  if (file == "gui/pages/all_pages.cpp" && included.starts_with("gui/pages/"))
    return is_room(included);
  if (!is_room(room) || height(included) > height(room)) return false;
  // What others include needs nothing of ours.
  if (room == "sim/api/quintet") return false;
  if (is_layer(room) && is_layer(included)) return second_level(room) == second_level(included);
  // Hosts that this machine pretends to be are linked as the simulator knows: messages must take
  // the same way.
  if (room == "engine/emulated_cluster" && include == "sim/network/route/route.h") return true;
  // What a run will take is said before it begins, by one file; nothing that runs sees it.
  if (room == "engine/before" && file.filename() == "step_estimate.cpp") return true;
  // Which plan ranks follow next is decided between steps, by predictions that one file makes.
  if (room == "engine/adapt" && file.filename() == "predicted_step.cpp") return true;
  // How kernels are implemented is theirs alone.
  if (included.starts_with("kernels/")) return room.starts_with("kernels");
  if (room.starts_with("engine/")) return !guesses(included) && !included.starts_with("traces/");
  // Calibration measures with the engine what the simulator takes: it looks into no prediction.
  if (room.starts_with("calibrate/"))
    return !included.starts_with("sim/simulate") && included != "sim/price" &&
           included != "sim/command";
  // The window shows what the simulator says: it trains and measures nothing, and no page knows
  // another.
  if (room.starts_with("gui/pages/") && included.starts_with("gui/pages/")) return false;
  if (room.starts_with("gui/"))
    return included.starts_with("gui/") || included.starts_with("sim/") ||
           included.starts_with("traces/");
  // Ranks and kernels know nothing of recordings.
  if (room.starts_with("kernels")) return !included.starts_with("traces/");
  return true;
}

bool is_in(const fs::path& file, const std::string& folder, const std::string& extension) {
  return file.parent_path() == folder && file.extension() == extension;
}

// Libraries of others, by how their includes begin, and where they may be.
bool may_use_library(const fs::path& file, const std::string& include) {
  if (include.starts_with("nlohmann/"))
    return file.extension() == ".cpp" || file == "sim/json/json_fields.h";
  if (include.starts_with("ucp/") || include.starts_with("ucs/"))
    return is_in(file, "engine/network/transport", ".cpp");
  if (include == "xxhash.h") return is_in(file, "engine/files/storage", ".cpp");
  if (include == "zlib.h" || include == "zstd.h") return is_in(file, "sim/packing", ".cpp");
  if (include == "simdjson.h")
    return file == "traces/json_stream/ondemand_values.h" ||
           (file.extension() == ".cpp" &&
            (file.parent_path() == "traces/kineto" || file.parent_path() == "traces/json_stream" ||
             file.parent_path() == "traces/pytorch_et" || file.parent_path() == "traces/nccl" ||
             file.parent_path() == "traces/chakra"));
  if (include == "sqlite3.h") return is_in(file, "traces/nsight", ".cpp");
  if (include.ends_with(".pb.h") || include.starts_with("google/protobuf/"))
    return file.parent_path() == "traces/chakra" || file.parent_path() == "traces/perfetto";
  if (include.starts_with("toml++/")) return is_in(file, "sim/frameworks", ".cpp");
  if (include == "utf8proc.h") return is_in(file, "engine/files/data", ".cpp");
  if (include == "nccl.h") return file.parent_path() == "engine/nccl";
  if (include.starts_with("openssl/")) return is_in(file, "engine/launch/rendezvous", ".cpp");
  // These bring nlohmann in.
  if (include == "sim/json/json_fields.h" || include == "sim/json/field_list.h")
    return file.extension() == ".cpp" || file == "sim/json/field_list.h" ||
           file == "sim/plan/plan_lists.h" || file == "sim/cost/file/cost_lists.h" ||
           file == "sim/cost/file/operator_lists.h";
  if (include.starts_with("boost/"))
    return second_level(room_of(file)) == "sim/topology" && file.extension() == ".cpp";
  if (include.starts_with("pybind11/")) return file.parent_path() == "sim/api/python";
  // "QtTest", "QWidget": only the window needs Qt.
  if (include.size() > 1 && include[0] == 'Q' && (include[1] == 't' || std::isupper(include[1])))
    return *file.begin() == "gui";
  if (include.starts_with("CLI/")) return file == "sim/usage/run_verb.cpp";
  return true;
}

Lines includes_in(const std::string& text) {
  static const std::regex pattern(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"])re");
  Lines found;
  // Others include <quintet/...>, and so do we.
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.push_back((match->str(1).starts_with("quintet/") ? "sim/api/" : "") + match->str(1));
  return found;
}

// Everything wrong with one file; `file` is relative to the repository.
Lines complaints(const fs::path& file, const std::string& text) {
  constexpr std::array folders{"sim/", "traces/", "kernels/", "engine/", "calibrate/", "gui/"};
  Lines found;
  const std::string name = file.string();
  if (file.extension() == ".h" && text.find("#pragma once\n") == std::string::npos)
    found.push_back(name + " has no #pragma once");
  for (const std::string& include : includes_in(text)) {
    if (include.ends_with(".pb.h")) {
      if (!may_use_library(file, include)) found.push_back(name + " may not include " + include);
      continue;
    }
    const bool ours = std::any_of(folders.begin(), folders.end(),
                                  [&](const char* folder) { return include.starts_with(folder); });
    if (file.extension() == ".cu" && include.starts_with("sim/"))
      found.push_back(name + " (CUDA) may not include " + include);
    else if (ours && !may_include(file, include))
      found.push_back(name + " may not include " + include);
    if (!may_use_library(file, include)) found.push_back(name + " may not include " + include);
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
  for (const char* folder : {"sim", "traces", "kernels", "engine", "calibrate", "gui"})
    for (const fs::path& file : sources_in(root, folder)) {
      EXPECT_TRUE(is_room(room_of(file))) << file << ": say above where its room stands";
      for (const std::string& complaint : complaints(file, content_of(root / file)))
        ADD_FAILURE() << complaint;
    }
}

// Height alone keeps folders from circles; this keeps the list itself true.
TEST(IncludeOrder, EveryRoomInTheListIsThereOnce) {
  const fs::path root = QUINTET_SOURCE_DIR;
  for (const std::string room : rooms) {
    EXPECT_EQ(std::count(rooms.begin(), rooms.end(), room), 1) << room;
    EXPECT_TRUE(fs::is_directory(root / room)) << room;
  }
}

// From here on: the checks can fail.

TEST(IncludeOrder, ARoomAboveIsNamed) {
  EXPECT_EQ(complaints("sim/ccl/ring.h", "#pragma once\n#include \"sim/simulate/predict.h\"\n"),
            Lines{"sim/ccl/ring.h may not include sim/simulate/predict.h"});
  EXPECT_EQ(complaints("sim/base/units.h", "#pragma once\n  #  include \"sim/model/model.h\"\n"),
            Lines{"sim/base/units.h may not include sim/model/model.h"});
  EXPECT_EQ(complaints("sim/nowhere/a.cpp", "#include \"sim/model/model.h\"\n"),
            Lines{"sim/nowhere/a.cpp may not include sim/model/model.h"});
  EXPECT_EQ(complaints("engine/train/a.cpp", "#include \"calibrate/fit/b.h\"\n"),
            Lines{"engine/train/a.cpp may not include calibrate/fit/b.h"});
  EXPECT_EQ(
      complaints("engine/files/data/packing.cpp",
                 "#include \"engine/files/storage/box.h\"\n"
                 "#include \"engine/network/transport/transport.h\"\n"),
      Lines{"engine/files/data/packing.cpp may not include engine/network/transport/transport.h"});
}

TEST(IncludeOrder, LayersNeverIncludeEachOther) {
  EXPECT_EQ(
      complaints("sim/network/route/route.cpp",
                 "#include <vector>\n#include \"sim/ccl/traffic.h\"\n"
                 "#include \"sim/network/fluid/fair_share.h\"\n#include \"sim/plan/ccl.h\"\n"),
      Lines{"sim/network/route/route.cpp may not include sim/ccl/traffic.h"});
}

TEST(IncludeOrder, AHeaderHasPragmaOnce) {
  EXPECT_EQ(complaints("sim/ccl/ring.h", "// nothing\n"),
            Lines{"sim/ccl/ring.h has no #pragma once"});
}

TEST(IncludeOrder, TheEngineDoesNotSeeWhatGuessesTimes) {
  EXPECT_EQ(complaints("engine/executor/run.cpp",
                       "#include \"sim/program/program.h\"\n#include \"sim/cost/gemm_time.h\"\n"),
            Lines{"engine/executor/run.cpp may not include sim/cost/gemm_time.h"});
  EXPECT_EQ(
      complaints("engine/emulated_cluster/layout.cpp",
                 "#include \"sim/network/route/route.h\"\n"
                 "#include \"sim/network/fluid/fluid_fabric.h\"\n"),
      Lines{"engine/emulated_cluster/layout.cpp may not include sim/network/fluid/fluid_fabric.h"});
}

// Only what is said before the first step.
TEST(IncludeOrder, OneFileOfTheEngineEstimatesTheStep) {
  const std::string text = "#include \"sim/simulate/predict.h\"\n";
  EXPECT_EQ(complaints("engine/adapt/predicted_step.cpp", text), Lines{});
  EXPECT_EQ(complaints("engine/adapt/adapting_job.cpp", text),
            Lines{"engine/adapt/adapting_job.cpp may not include sim/simulate/predict.h"});
  EXPECT_EQ(complaints("engine/before/step_estimate.cpp", text), Lines{});
  EXPECT_EQ(complaints("engine/before/looks.cpp", text),
            Lines{"engine/before/looks.cpp may not include sim/simulate/predict.h"});
}

TEST(IncludeOrder, NobodySeesHowKernelsAreImplemented) {
  EXPECT_EQ(complaints("engine/nccl/a.cpp",
                       "#include \"kernels/device.h\"\n#include \"kernels/cuda/check.h\"\n"),
            Lines{"engine/nccl/a.cpp may not include kernels/cuda/check.h"});
}

TEST(IncludeOrder, CalibrationSeesNoPrediction) {
  EXPECT_EQ(complaints("calibrate/probes/a.cpp",
                       "#include \"sim/cost/cost_table.h\"\n#include \"engine/train/b.h\"\n"
                       "#include \"sim/simulate/predict.h\"\n"),
            Lines{"calibrate/probes/a.cpp may not include sim/simulate/predict.h"});
}

TEST(IncludeOrder, PublicHeadersIncludeNothingInternal) {
  EXPECT_EQ(complaints("sim/api/quintet/files.h",
                       "#pragma once\n#include \"quintet/export.h\"\n"
                       "#include \"sim/base/result.h\"\n"),
            Lines{"sim/api/quintet/files.h may not include sim/base/result.h"});
  EXPECT_EQ(complaints("sim/answer/a.cpp", "#include \"quintet/predict.h\"\n"),
            Lines{"sim/answer/a.cpp may not include sim/api/quintet/predict.h"});
}

TEST(IncludeOrder, TheWindowShowsWhatTheSimulatorSays) {
  EXPECT_EQ(complaints("gui/document/a.cpp",
                       "#include \"sim/simulate/predict.h\"\n#include \"gui/pages/page.h\"\n"
                       "#include \"engine/train/training.h\"\n"),
            (Lines{"gui/document/a.cpp may not include gui/pages/page.h",
                   "gui/document/a.cpp may not include engine/train/training.h"}));
  EXPECT_EQ(complaints("sim/command/a.cpp", "#include \"gui/document/document.h\"\n"),
            Lines{"sim/command/a.cpp may not include gui/document/document.h"});
  const std::string page = "#include \"gui/pages/calibration/calibration_page.h\"\n";
  EXPECT_EQ(complaints("gui/pages/all_pages.cpp", page), Lines{});
  EXPECT_EQ(complaints("gui/pages/page.cpp", page),
            Lines{"gui/pages/page.cpp may not include gui/pages/calibration/calibration_page.h"});
}

TEST(IncludeOrder, CudaNeverSeesOurHeaders) {
  EXPECT_EQ(complaints("kernels/cuda/operators/norm.cu", "#include \"sim/base/units.h\"\n"),
            Lines{"kernels/cuda/operators/norm.cu (CUDA) may not include sim/base/units.h"});
}

TEST(IncludeOrder, LibrariesStayInTheFilesThatOwnThem) {
  const auto refused = [](const char* file, const std::string& include) {
    const std::string guard = fs::path(file).extension() == ".h" ? "#pragma once\n" : "";
    return complaints(file, guard + "#include <" + include + ">\n") ==
           Lines{std::string(file) + " may not include " + include};
  };
  EXPECT_TRUE(refused("sim/plan/plan.h", "nlohmann/json.hpp"));
  EXPECT_TRUE(refused("sim/network/route/route.cpp", "boost/graph/graph_traits.hpp"));
  EXPECT_TRUE(refused("sim/command/simulate_command.cpp", "CLI/CLI.hpp"));
  EXPECT_TRUE(refused("engine/network/collectives/messages.cpp", "ucp/api/ucp.h"));
  EXPECT_TRUE(refused("engine/train/training.cpp", "nccl.h"));
  EXPECT_TRUE(refused("sim/picture/canvas.cpp", "QPainter"));
  EXPECT_TRUE(refused("calibrate/fit/fit_command.cpp", "QtCore/QString"));
  EXPECT_FALSE(refused("sim/usage/run_verb.cpp", "CLI/CLI.hpp"));
  EXPECT_FALSE(refused("engine/network/transport/ucx_worker.cpp", "ucp/api/ucp.h"));
  EXPECT_FALSE(refused("engine/nccl/nccl_check.cpp", "nccl.h"));
  EXPECT_FALSE(refused("gui/drawing/theme.cpp", "QColor"));
}

}  // namespace
}  // namespace quintet
