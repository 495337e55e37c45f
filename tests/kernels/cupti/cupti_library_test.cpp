#include "kernels/cuda/cupti/cupti_library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/cuda/device_recorder.h"

namespace quintet::kernels::cuda {
namespace {

std::optional<std::string> no_variable(const char*) {
  return std::nullopt;
}

bool is_among(const std::vector<std::string>& places, const std::string& place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

TEST(CuptiLibrary, IsLookedForInTheToolkitsOwnFolderForItToo) {
  const auto places = cupti_places([](const char* name) -> std::optional<std::string> {
    return name == std::string("CUDA_HOME") ? std::optional<std::string>("/opt/cuda")
                                            : std::nullopt;
  });
  EXPECT_TRUE(is_among(places, "/opt/cuda/lib64/libcupti.so.13"));
  EXPECT_TRUE(is_among(places, "/opt/cuda/extras/CUPTI/lib64/libcupti.so.13"));
  EXPECT_TRUE(is_among(places, "libcupti.so.13"));
}

TEST(CuptiLibrary, IsTheOneThatTheVariableNames) {
  const auto places = cupti_places([](const char* name) -> std::optional<std::string> {
    return name == std::string("QUINTET_CUPTI_LIBRARY") ? std::optional<std::string>("/a/b.so")
                                                        : std::nullopt;
  });
  EXPECT_EQ(places, std::vector<std::string>{"/a/b.so"});
}

TEST(CuptiLibrary, ThatIsNotThereIsNamed) {
  const OpenedCupti none = open_cupti({"/nowhere/libcupti.so.13"});
  EXPECT_FALSE(none.functions);
  EXPECT_NE(none.why_not.find("/nowhere/libcupti.so.13"), std::string::npos) << none.why_not;
}

TEST(CuptiLibrary, ThatIsAnotherLacksFunctions) {
  const OpenedCupti other = open_cupti({"libdl.so.2"});
  EXPECT_FALSE(other.functions);
  EXPECT_EQ(other.why_not.substr(0, 37), "libdl.so.2 lacks cuptiGetVersion, cup");
}

TEST(CuptiLibrary, OpensAndSaysWhyItCannotRecordWithoutAGpu) {
  const OpenedCupti opened = open_cupti(cupti_places(no_variable));
  if (!opened.functions) GTEST_SKIP() << "no CUPTI on this machine: " << opened.why_not;
  const OpenedRecorder recorder = open_recorder();
  if (recorder.recorder) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(recorder.why_not.substr(0, 22), "CUPTI cannot be used: ");
}

}  // namespace
}  // namespace quintet::kernels::cuda
