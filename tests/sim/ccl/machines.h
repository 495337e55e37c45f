// The machines of NCCL 2.28.9's own tables ("DGX H100: 8 GPUs sm90, 18 NVLinks each to one switch
// group, 8 NICs of 400 Gbit/s, Intel SPR" and the others), by name.
#pragma once

#include "sim/ccl/nccl/communicator_shape.h"

namespace quintet::machines {

inline LocalHardware dgx_h100() {
  return {.generation = GpuGeneration::hopper,
          .link = LocalLink::nvlink,
          .cpu = HostCpu::intel,
          .nvlinks = 18,
          .pcie = {48e9},
          .nic = {50e9},
          .nics = 8};
}

inline CommunicatorShape h100(int nodes) {
  return communicator_shape(8 * nodes, nodes, dgx_h100());
}

inline LocalHardware h100_with_slow_nics() {  // 25 Gbit/s
  LocalHardware hardware = dgx_h100();
  hardware.nic = {3.125e9};
  return hardware;
}

inline LocalHardware dgx_a100() {
  return {.generation = GpuGeneration::ampere,
          .link = LocalLink::nvlink,
          .cpu = HostCpu::amd,
          .nvlinks = 12,
          .pcie = {24e9},
          .nic = {25e9},
          .nics = 8};
}

inline LocalHardware dgx_b200() {
  return {.generation = GpuGeneration::blackwell,
          .link = LocalLink::nvlink,
          .cpu = HostCpu::intel,
          .nvlinks = 18,
          .pcie = {48e9},
          .nic = {50e9},
          .nics = 8};
}

inline LocalHardware pcie_pair() {  // sm89 on PCIe Gen4
  return {.generation = GpuGeneration::ampere,
          .link = LocalLink::pcie,
          .cpu = HostCpu::amd,
          .nvswitch = false,
          .nvlinks = 0,
          .pcie = {24e9},
          .nic = {12.5e9},
          .nics = 1};
}

}  // namespace quintet::machines
