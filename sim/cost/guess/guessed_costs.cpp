#include "sim/cost/guess/guessed_costs.h"

namespace quintet {
namespace {

constexpr double of_products = 0.60, of_attention = 0.45, of_attention_backward = 0.38;
constexpr const char* source = "guessed from the data sheet: sim/cost/guess/guessed_costs.h";
constexpr Seconds kernel_start{5e-6};
constexpr int usual_multiprocessors = 132;  // H100's, where nobody said

GemmCosts products(const PeakRate& peak) {
  GemmCosts costs;
  costs.type = peak.type;
  costs.peak = peak.rate;
  costs.tiles = {{128, 128, of_products}};
  costs.start = kernel_start;
  costs.k_half = 60;
  costs.wave_smoothing = 1;  // nobody said how many tiles run at a time
  costs.memory_efficiency = 0.8;
  costs.weight_gradient = 1.06;
  costs.source = source;
  return costs;
}

AttentionCosts attention(DataType type) {
  AttentionCosts costs;
  costs.kernel = "flash";
  costs.type = type;
  costs.forward_efficiency = of_attention;
  costs.backward_efficiency = of_attention_backward;
  costs.length_half = 140;
  costs.causal_length_half = 550;
  costs.head_dim_exponent = 0.5;
  costs.start = kernel_start;
  costs.source = source;
  return costs;
}

MemoryCosts memory(MemoryOperation operation, Bandwidth peak) {
  double share = 0.8, backward = 1;
  switch (operation) {
    case MemoryOperation::norm:
      share = 0.45;
      backward = 1.9;
      break;
    case MemoryOperation::softmax:
    case MemoryOperation::cross_entropy:
      share = 0.7;
      break;
    case MemoryOperation::dropout:
    case MemoryOperation::activation:
      share = 0.6;
      break;
    case MemoryOperation::embedding:
      share = 0.5;
      break;
    case MemoryOperation::elementwise:
    case MemoryOperation::optimizer:
      break;
  }
  MemoryCosts costs;
  costs.operation = operation;
  costs.bandwidth = costs.cached = share * peak;
  costs.backward_factor = backward;
  costs.start = kernel_start;
  costs.source = source;
  return costs;
}

bool is_half(DataType type) {
  return type == DataType::bf16 || type == DataType::fp16;
}

LaunchCosts launches() {
  LaunchCosts costs{.eager = Seconds{5e-6},
                    .graph = Seconds{1e-7},
                    .collective = Seconds{15e-6},
                    .gap = Seconds{2e-6},
                    .queue = 1024,
                    .synchronise = Seconds{10e-6}};
  costs.source = source;
  return costs;
}

}  // namespace

CostTable guessed_costs(const GpuSpec& gpu) {
  using enum MemoryOperation;
  CostTable table;
  table.name = "guessed from peak rates of " + gpu.name;
  table.gpu = gpu.name;
  table.sms = gpu.sms > 0 ? gpu.sms : usual_multiprocessors;
  table.memory_bandwidth = gpu.memory_bandwidth;
  table.cache = Bytes{32e6};
  for (const PeakRate& peak : gpu.peaks) {
    table.gemm.push_back(products(peak));
    if (is_half(peak.type)) table.attention.push_back(attention(peak.type));
  }
  for (const MemoryOperation each :
       {norm, softmax, dropout, activation, elementwise, optimizer, embedding, cross_entropy})
    table.memory.push_back(memory(each, gpu.memory_bandwidth));
  table.launch = launches();
  table.copy.host_to_device = table.copy.device_to_host = Bandwidth{25e9};
  table.copy.device_to_device = 0.4 * gpu.memory_bandwidth;
  table.copy.start = Seconds{2.5e-6};
  table.copy.source = table.overlap.source = table.source = source;
  table.communication.bandwidth_factor = 0.9;
  table.communication.latency_factor = 1.2;
  table.communication.source = source;
  table.framework_memory = Bytes{3e9};
  table.fragmentation = 0.03;
  table.not_measured = {"anything: nobody has measured " + gpu.name};
  table.guess = GuessedCosts{
      0.65, 1.65,
      "guessed efficiencies of the peak rates of " + gpu.name + ", which nobody measured"};
  return table;
}

}  // namespace quintet
