#include "engine/nccl/nccl_library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "engine/nccl/nccl_check.h"
#include "engine/nccl/nccl_functions.h"
#include "tests/support/temporary_folder.h"

namespace quintet::engine::test {
namespace {

using Places = std::vector<std::string>;

Environment environment(const std::map<std::string, std::string>& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(NcclLibrary, IsLookedForWhereTheVariableSaysAndNowhereElse) {
  EXPECT_EQ(nccl_places(environment({{"QUINTET_NCCL_LIBRARY", "/x/y.so"}, {"CUDA_HOME", "/c"}})),
            Places{"/x/y.so"});
}

TEST(NcclLibrary, IsLookedForInTheToolkitTheSystemAndPythonsPackages) {
  const TemporaryFolder folder;
  const auto package = folder.path() / "lib/python3.11/site-packages/nvidia/nccl";
  std::filesystem::create_directories(package / "lib");
  std::ofstream(package / "lib/libnccl.so.2");
  const Places places =
      nccl_places(environment({{"CUDA_HOME", "/c"}, {"VIRTUAL_ENV", folder.path()}}));
  ASSERT_GE(places.size(), 6u);
  const Places first{"/c/lib64/libnccl.so.2",
                     "/c/lib/libnccl.so.2",
                     "/usr/local/cuda/lib64/libnccl.so.2",
                     "/usr/local/cuda/lib/libnccl.so.2",
                     "libnccl.so.2",
                     package / "lib/libnccl.so.2"};
  EXPECT_EQ(Places(places.begin(), places.begin() + 6), first);
}

TEST(NcclLibrary, WhatIsNoNcclIsRefusedWithItsReason) {
  // The C library has none of NCCL's functions.
  const Result<NcclLibrary> library = NcclLibrary::open({"libc.so.6"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().text().find("no NCCL: libc.so.6 lacks ncclGetVersion, "), 0u)
      << library.error().text();
  EXPECT_EQ(NcclLibrary::open({}).error().text(), "no NCCL: there is no place to look in");
}

TEST(NcclCheck, NamesTheCallNcclsWordsAndWhatHappenedLast) {
  NcclFunctions nccl;
  nccl.get_error_string = [](ncclResult_t) { return "remote process exited"; };
  nccl.get_last_error = [](ncclComm_t) { return "socket closed"; };
  const auto found =
      trouble(nccl, "communicator \"data\"", "ncclAllReduce", ncclRemoteError, nullptr);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->error.text(),
            "communicator \"data\": ncclAllReduce: remote process exited (socket closed)");
  EXPECT_TRUE(found->perhaps_another_rank);
  EXPECT_FALSE(trouble(nccl, "", "", ncclUnhandledCudaError, nullptr)->perhaps_another_rank);
  EXPECT_FALSE(trouble(nccl, "", "", ncclSuccess, nullptr));
  EXPECT_TRUE(trouble(nccl, "", "", ncclInProgress, nullptr));  // communicators block
  EXPECT_EQ(nccl_version_text(22809), "2.28.9");
}

// What follows needs NCCL itself.
class InstalledNccl : public testing::Test {
 protected:
  InstalledNccl() : library_(NcclLibrary::open(nccl_places(environment({})))) {}
  void SetUp() override {
    if (!library_) GTEST_SKIP() << "no NCCL here: " << library_.error().text();
  }
  Result<NcclLibrary> library_;
};

TEST_F(InstalledNccl, IsOfAVersionWhoseStructuresWeKnow) {
  EXPECT_GE(library_->version(), 22800);
  EXPECT_LT(library_->version(), 30000);
}

TEST_F(InstalledNccl, MakesIdsWithoutAGpu) {
  ncclUniqueId first{}, second{};
  ASSERT_EQ(library_->functions().get_unique_id(&first), ncclSuccess);
  ASSERT_EQ(library_->functions().get_unique_id(&second), ncclSuccess);
  EXPECT_FALSE(std::equal(std::begin(first.internal), std::end(first.internal),
                          std::begin(second.internal)));
}

TEST_F(InstalledNccl, SaysInWordsThatThereIsNoGpu) {
  if (std::filesystem::exists("/dev/nvidiactl"))
    GTEST_SKIP() << "this machine has a GPU: what NCCL says without one is not heard";
  const NcclFunctions& nccl = library_->functions();
  ncclUniqueId id{};
  ASSERT_EQ(nccl.get_unique_id(&id), ncclSuccess);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  ncclComm_t communicator = nullptr;
  const ncclResult_t result = nccl.init_rank(&communicator, 1, id, 0, &config);
  const auto found = trouble(nccl, "rank 0", "ncclCommInitRankConfig", result, communicator);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->error.text().find("rank 0: ncclCommInitRankConfig: unhandled cuda error"), 0u)
      << found->error.text();
}

}  // namespace
}  // namespace quintet::engine::test
