// Products of training steps, bf16 with fp32 sums, each in its three forms.
#include "tests/gpu/benchmark/benchmarks.h"
#include "tests/gpu/benchmark/memory.h"
#include "tests/gpu/benchmark/report.h"

namespace quintet::gpu_tests {

namespace {

using namespace kernels;

struct Product {
  const char* of;
  Index tokens, outputs, inputs;
};

// Tokens of a micro-batch; widths of GPT-2 124M and 1.5B and of a Llama of 1.1e9 parameters; and a
// cube to set beside published rates.
constexpr Product products[] = {{"GPT-2 124M qkv", 16384, 2304, 768},
                                {"GPT-2 124M up", 16384, 3072, 768},
                                {"GPT-2 124M down", 16384, 768, 3072},
                                {"GPT-2 124M logits", 16384, 50304, 768},
                                {"GPT-2 1.5B qkv", 8192, 4800, 1600},
                                {"GPT-2 1.5B up", 8192, 6400, 1600},
                                {"GPT-2 1.5B down", 8192, 1600, 6400},
                                {"Llama 1B qkv", 8192, 2560, 2048},
                                {"Llama 1B gate and up", 8192, 11264, 2048},
                                {"Llama 1B down", 8192, 2048, 5632},
                                {"cube", 8192, 8192, 8192}};

struct Step {
  const char* name;
  GemmForm form;
  Index rows, columns, depth;
};

std::vector<Step> steps_of(const Product& p) {
  return {{"forward", GemmForm::a_b_transposed, p.tokens, p.outputs, p.inputs},
          {"input gradient", GemmForm::a_b, p.tokens, p.inputs, p.outputs},
          {"weight gradient", GemmForm::a_transposed_b, p.outputs, p.inputs, p.tokens}};
}

void run(Device& device, Timer& timer, Kernels& kernels, const std::string& by, const Product& p) {
  for (const Step& step : steps_of(p)) {
    Memory memory(device);
    Gemm g{step.form,
           step.rows,
           step.columns,
           step.depth,
           memory.bfloat16s(step.rows * step.depth),
           memory.bfloat16s(step.depth * step.columns),
           memory.bfloat16s(step.rows * step.columns)};
    const Figure figure{"gemm",
                        std::string(p.of) + ' ' + step.name + ' ' + std::to_string(step.rows) +
                            " x " + std::to_string(step.columns) + " x " +
                            std::to_string(step.depth),
                        by,
                        2.0 * static_cast<double>(step.rows) * static_cast<double>(step.columns) *
                            static_cast<double>(step.depth),
                        "TFLOP/s",
                        "2 rows columns depth"};
    report(figure, timer.time([&](Stream& stream) { kernels.gemm(g, stream); }));
  }
}

// QUINTET_MATRIX_PRODUCT says whose: "cuBLASLt 13.0.2" or "our own kernel", without the rest.
std::string whose(Device& device) {
  const std::string words = device.properties().matrix_product;
  return words.substr(0, words.find(','));
}

}  // namespace

void benchmark_gemm(Device& device, Timer& timer) {
  const auto kernels = device.make_kernels();
  for (const Product& product : products) run(device, timer, *kernels, whose(device), product);
}

}  // namespace quintet::gpu_tests
