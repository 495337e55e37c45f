#include "engine/train/datasheet_peak.h"

#include <array>

namespace quintet::engine {

namespace {

// Half of what a datasheet states "with sparsity".
struct Sheet {
  std::string_view name;  // a part of the driver's; the first that fits counts
  double bf16, fp32;      // TFLOP/s
};
constexpr std::array sheets{
    Sheet{"GB200", 2500, 80},       // "NVIDIA GB200 NVL72 Datasheet", 2024, a 72nd of the rack
    Sheet{"B200", 2250, 80},        // "NVIDIA DGX B200 Datasheet", 2024, an eighth of the system
    Sheet{"GH200", 989.4, 66.9},    // "NVIDIA GH200 Grace Hopper Superchip Datasheet", 2024
    Sheet{"H200 NVL", 835.5, 60},   // "NVIDIA H200 Tensor Core GPU Datasheet", 2024
    Sheet{"H200", 989.4, 66.9},     // likewise; "NVIDIA H100 Tensor Core GPU Architecture", table 2
    Sheet{"H100 NVL", 835.5, 60},   // "NVIDIA H100 Tensor Core GPU Datasheet", 2024
    Sheet{"H100 PCIe", 756, 51.2},  // "NVIDIA H100 Tensor Core GPU Architecture", table 2
    Sheet{"H100", 989.4, 66.9},     // likewise, SXM5
    Sheet{"A100", 312, 19.5},       // "NVIDIA A100 Tensor Core GPU Architecture", table 1
    Sheet{"L40S", 362.05, 91.6},    // "NVIDIA L40S Datasheet", 2023
    Sheet{"L4", 121, 30.3},         // "NVIDIA L4 Datasheet", 2023
};

}  // namespace

std::optional<FlopRate> datasheet_peak(std::string_view device, DataType type) {
  if (type != DataType::bf16 && type != DataType::fp32) return std::nullopt;
  for (const Sheet& sheet : sheets)
    if (device.find(sheet.name) != std::string_view::npos)
      return FlopRate{(type == DataType::bf16 ? sheet.bf16 : sheet.fp32) * 1e12};
  return std::nullopt;
}

}  // namespace quintet::engine
