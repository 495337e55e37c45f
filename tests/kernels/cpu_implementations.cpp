#include "kernels/cpu/targets.h"
#include "tests/kernels/support.h"

namespace quintet::kernels {

namespace {

Implementation of_target(const std::string& name, CpuTarget target) {
  if (!runs_here(target)) return {name, {}};
  return {name, [target] { return cpu_kernels(target); }};
}

}  // namespace

std::vector<Implementation> implementations() {
  return {of_target("portable", CpuTarget::portable),
          of_target("exact_avx512", CpuTarget::exact_avx512),
          of_target("fused_avx2", CpuTarget::fused_avx2),
          of_target("fused_avx512", CpuTarget::fused_avx512),
          {"fast", [] { return fast_kernels(); }, Sums::any},
          {"onednn", [] { return onednn_kernels(); }, Sums::any}};
}

}  // namespace quintet::kernels
