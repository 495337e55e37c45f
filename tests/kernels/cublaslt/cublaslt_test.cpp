// Which algorithm of cuBLASLt is used when, on a stand-in for it; the products themselves are
// compared in gemm_test.cpp and fused_gemm_test.cpp, which run on the stand-in too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include "kernels/cuda/cublaslt/cublaslt_library.h"
#include "kernels/cuda/cublaslt/cublaslt_product.h"
#include "tests/stand_ins/fake_cublaslt.h"

namespace quintet::kernels::cuda {
namespace {

// 2 x 2 times 2 x 2: [1 2; 3 4] [5 6; 7 8] = [19 22; 43 50].
class Products : public testing::Test {
 protected:
  void use(Tuning tuning) {
    auto bench = std::make_unique<FakeBench>(library_);
    bench_ = bench.get();
    product_.emplace(library_.functions(), cache_, std::move(bench), tuning);
  }
  void SetUp() override { use(Tuning::measure); }
  Gemm gemm() { return {GemmForm::a_b, 2, 2, 2, a_.data(), b_.data(), c_.data()}; }
  bool multiply() { return product_->multiply(gemm(), Stream{}); }

  alignas(256) std::array<float, 4> a_{1, 2, 3, 4}, b_{5, 6, 7, 8}, c_{};
  FakeCublasLt library_;
  AlgorithmCache cache_;
  FakeBench* bench_ = nullptr;
  std::optional<CublasLtProduct> product_;
};

// Guesses take 3, 1 and 2 seconds. Each runs once untimed and 3 times timed, then the second for
// the product itself.
TEST_F(Products, TheFastestGuessIsUsedOnceAllWereTimed) {
  EXPECT_TRUE(multiply());
  EXPECT_EQ(c_, (std::array<float, 4>{19, 22, 43, 50}));
  EXPECT_EQ(library_.multiplied, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 1}));
  library_.multiplied.clear();
  EXPECT_TRUE(multiply());
  EXPECT_EQ(library_.multiplied, std::vector<int>{1});
  EXPECT_EQ(library_.times_asked, 1);
}

TEST_F(Products, WhileCapturingTheFirstGuessIsUsedAndNothingTimed) {
  bench_->capturing = true;
  EXPECT_TRUE(multiply());
  EXPECT_TRUE(multiply());
  EXPECT_EQ(library_.multiplied, (std::vector<int>{0, 0}));
  EXPECT_EQ(library_.times_asked, 1);
}

TEST_F(Products, AGuessMadeWhileCapturingIsMeasuredLaterAndKeptForTheNextCapture) {
  bench_->capturing = true;
  multiply();
  bench_->capturing = false;
  multiply();
  EXPECT_EQ(library_.multiplied.back(), 1);
  bench_->capturing = true;
  library_.multiplied.clear();
  multiply();
  EXPECT_EQ(library_.multiplied, std::vector<int>{1});
}

TEST_F(Products, FirstGuessTuningNeverTimes) {
  use(Tuning::first_guess);
  multiply();
  multiply();
  EXPECT_EQ(library_.multiplied, (std::vector<int>{0, 0}));
}

TEST_F(Products, TimedRunsOfAnAccumulatingProductLeaveTheSumAlone) {
  c_ = {100, 200, 300, 400};
  Gemm g = gemm();
  g.write = GradientWrite::accumulate;
  EXPECT_TRUE(product_->multiply(g, Stream{}));
  EXPECT_EQ(c_, (std::array<float, 4>{119, 222, 343, 450}));
  EXPECT_EQ(bench_->allocated, sizeof c_);
  for (std::size_t i = 0; i + 1 < library_.results.size(); ++i)
    EXPECT_NE(library_.results[i], c_.data());
}

TEST_F(Products, WithoutMemoryToTimeInAnAccumulatingProductTakesTheFirstGuess) {
  bench_->memory_left = false;
  Gemm g = gemm();
  g.write = GradientWrite::accumulate;
  EXPECT_TRUE(product_->multiply(g, Stream{}));
  EXPECT_EQ(library_.multiplied, std::vector<int>{0});
  EXPECT_EQ(c_, (std::array<float, 4>{19, 22, 43, 50}));
}

TEST_F(Products, AGuessThatDoesNotRunIsPassedOver) {
  library_.guesses_that_fail = {1};
  EXPECT_TRUE(multiply());
  EXPECT_EQ(library_.multiplied.back(), 2);
}

TEST_F(Products, WithoutAGuessNothingIsDoneAndTheLibraryIsNotAskedAgain) {
  library_.seconds_of_guess.clear();
  EXPECT_FALSE(multiply());
  EXPECT_FALSE(multiply());
  EXPECT_TRUE(library_.multiplied.empty());
  EXPECT_EQ(library_.times_asked, 1);
}

TEST_F(Products, StreamsOfADeviceShareWhatWasMeasured) {
  multiply();
  library_.multiplied.clear();
  CublasLtProduct other(library_.functions(), cache_, std::make_unique<FakeBench>(library_));
  EXPECT_TRUE(other.multiply(gemm(), Stream{}));
  EXPECT_EQ(library_.multiplied, std::vector<int>{1});
}

// Other strides, alignments, epilogues: another algorithm may be the fastest, or none may run.
TEST_F(Products, WhateverChangesTheProductIsMeasuredAnew) {
  std::array<float, 64> wide{};
  std::array<float, 2> bias{};
  Gemm strided = gemm(), biased = gemm(), turned = gemm(), shifted = gemm();
  strided.c = wide.data();
  strided.c_stride = 4;
  biased.bias = bias.data();
  turned.form = GemmForm::a_transposed_b;
  shifted.a = wide.data() + 1;
  multiply();
  for (const Gemm& g : {strided, biased, turned, shifted})
    EXPECT_TRUE(product_->multiply(g, Stream{}));
  EXPECT_EQ(library_.times_asked, 5);
}

TEST_F(Products, SplitSumsStayInFp32) {
  multiply();
  EXPECT_EQ(library_.reduction_schemes, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
}

TEST_F(Products, DescriptorsEndWithTheProduct) {
  multiply();
  EXPECT_GT(library_.descriptors_alive, 0U);
  product_.reset();
  EXPECT_EQ(library_.descriptors_alive, 0U);
}

TEST_F(Products, WhatTheLibraryHasNotIsLeftToOthers) {
  std::array<Bfloat16, 4> half{};
  Gemm other_bias = gemm();
  other_bias.a = other_bias.b = half.data();
  other_bias.bias = half.data();  // the manual: of the type of the result, here fp32
  EXPECT_FALSE(product_->multiply(other_bias, Stream{}));
  std::array<float, 4> before{};
  GemmGelu narrow{gemm(), GeluForm::hyperbolic, before.data()};  // 2 columns, not 8's multiple
  EXPECT_FALSE(product_->multiply(narrow, Stream{}));
  EXPECT_EQ(library_.times_asked, 0);
}

TEST(CublasLtLibrary, IsLookedForWhereTheVariablesSayAndElsewhere) {
  const auto none = [](const char*) { return std::optional<std::string>(); };
  const auto places = library_places(cublaslt_name, none);
  ASSERT_GE(places.size(), 3U);
  EXPECT_EQ(places[0], "/usr/local/cuda/lib64/libcublasLt.so.13");
  EXPECT_EQ(places[1], "/usr/local/cuda/lib/libcublasLt.so.13");
  EXPECT_EQ(places[2], "libcublasLt.so.13");
  const auto named = [](const char* name) {
    return std::string(name) == "QUINTET_CUBLASLT_LIBRARY" ? std::optional<std::string>("/x/y.so")
                                                           : std::nullopt;
  };
  EXPECT_EQ(library_places(cublaslt_name, named), std::vector<std::string>{"/x/y.so"});
}

// As on a machine whose PyTorch lies in an environment that is on PATH but was not activated. The
// first python3 of two is the one that a shell runs.
TEST(CublasLtLibrary, IsFoundInTheEnvironmentOfThePythonOnPath) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(testing::TempDir()) / "python_on_path";
  const std::string library = "lib/python3.12/site-packages/nvidia/cu13/lib/libcublasLt.so.13";
  for (const char* const environment : {"first", "second"}) {
    fs::create_directories((root / environment / library).parent_path());
    fs::create_directories(root / environment / "bin");
    for (const fs::path& file : {root / environment / library, root / environment / "bin/python3"})
      std::ofstream(file) << "a stand-in";
  }
  const std::string path =
      "/nowhere:" + (root / "first/bin/").string() + ":" + (root / "second/bin").string();
  const auto only_path = [&](const char* name) {
    return std::string(name) == "PATH" ? std::optional(path) : std::nullopt;
  };
  const auto places = library_places(cublaslt_name, only_path);
  fs::remove_all(root);
  EXPECT_EQ(std::count(places.begin(), places.end(), (root / "first" / library).string()), 1);
  EXPECT_EQ(std::count(places.begin(), places.end(), (root / "second" / library).string()), 0);
}

TEST(CublasLtLibrary, SaysWhyItCannotBeOpened) {
  const OpenedCublasLt opened = open_cublaslt({"/nowhere/libcublasLt.so.13"});
  EXPECT_FALSE(opened.functions.has_value());
  EXPECT_NE(opened.why_not.find("/nowhere/libcublasLt.so.13"), std::string::npos);
}

// The C library has none of its functions.
TEST(CublasLtLibrary, NamesWhatALibraryLacks) {
  const OpenedCublasLt opened = open_cublaslt({"libc.so.6"});
  EXPECT_FALSE(opened.functions.has_value());
  EXPECT_EQ(opened.why_not.find("libc.so.6 lacks cublasLtGetVersion, cublasLtCreate, "), 0U)
      << opened.why_not;
  EXPECT_EQ(open_cublaslt({}).why_not, "there is no place to look in");
}

TEST(CublasLtLibrary, VersionsAreReadAsTheHeaderWritesThem) {
  EXPECT_EQ(library_version_text(CUBLAS_VERSION), std::to_string(CUBLAS_VER_MAJOR) + "." +
                                                      std::to_string(CUBLAS_VER_MINOR) + "." +
                                                      std::to_string(CUBLAS_VER_PATCH));
}

TEST(CublasLtLibrary, OpensTheToolkitsOwn) {
  const OpenedCublasLt opened = open_cublaslt(
      library_places(cublaslt_name, [](const char*) { return std::optional<std::string>(); }));
  if (!opened.functions) GTEST_SKIP() << "cuBLASLt cannot be opened: " << opened.why_not;
  EXPECT_GE(opened.functions->version(), 130000U);
}

}  // namespace
}  // namespace quintet::kernels::cuda
