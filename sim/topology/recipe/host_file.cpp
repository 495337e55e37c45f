#include "sim/topology/recipe/hosts.h"

#include <array>
#include <utility>

#include "sim/json/json_fields.h"
#include "sim/topology/recipe/fields.h"

namespace quintet {
namespace {

constexpr int most_slots = 1024;  // per host; also NICs
constexpr int most_parts = 64;    // per host: sockets, PCIe switches, NVSwitches
constexpr int most_cores = 1 << 20;
constexpr FlopRate largest_rate{1e24};
constexpr Bytes largest_memory{1e18};

constexpr std::array all_types{DataType::fp32, DataType::tf32,  DataType::fp16, DataType::bf16,
                               DataType::fp8,  DataType::int32, DataType::int8};

Bytes memory(JsonObject& object) {
  const Bytes size = object.bytes({"memory", "of the GPU, or of the whole host"});
  if (size == Bytes{} && !object.recording())
    object.fail("memory", "must be more than zero, found \"0 B\"");
  if (size > largest_memory)
    object.fail("memory", "found " + text(size) + ", accepted are at most " + text(largest_memory));
  return size;
}

std::vector<PeakRate> read_peaks(JsonObject peaks, JsonObject& gpu) {
  std::vector<PeakRate> rates;
  for (const DataType type : all_types) {
    const std::string key(name_of(type));
    if (peaks.recording()) peaks.record(key, FieldKind::flop_rate);
    if (peaks.recording() || peaks.raw(key) == nullptr) continue;
    rates.push_back({type, peaks.flop_rate(key)});
    if (rates.back().rate > largest_rate)
      peaks.fail(
          key, "found " + text(rates.back().rate) + ", accepted are at most " + text(largest_rate));
  }
  peaks.refuse_unknown_keys();
  gpu.adopt(peaks);
  if (rates.empty())
    gpu.fail("peaks", "is empty, expected rates such as \"bf16\": \"312 TFLOP/s\"");
  return rates;
}

Watts power_or_none(JsonObject& gpu, const FieldKey& key) {
  if (gpu.recording()) return gpu.record(key, FieldKind::power), Watts{};
  if (gpu.raw(key) == nullptr) return {};
  return bounded_power(gpu, key);
}

DollarsPerHour price_or_none(JsonObject& gpu, const FieldKey& key) {
  if (gpu.recording()) return gpu.record(key, FieldKind::price), DollarsPerHour{};
  if (gpu.raw(key) == nullptr) return {};
  return gpu.price(key);
}

GpuSpec read_gpu_spec(JsonObject& gpu) {
  GpuSpec spec;
  spec.name = gpu.text({"name", "of the GPU; cost tables name theirs so"});
  spec.sm_version = gpu.integer_or(
      {"sm_version", "80: A100, 90: H100; left out: not of NVIDIA, or not known"}, 0, 10, 1000);
  spec.sms =
      gpu.integer_or({"sms", "streaming multiprocessors; left out: not known"}, 0, 1, 1 << 20);
  spec.memory = memory(gpu);
  spec.memory_bandwidth = bounded_bandwidth(gpu, {"memory_bandwidth", "of the GPU's memory"});
  spec.peaks = read_peaks(gpu.object({"peaks", "dense rate per data type"}), gpu);
  spec.power = power_or_none(gpu, {"power", "at full load; left out: not known"});
  spec.idle_power = power_or_none(gpu, {"idle_power", "when it computes nothing; left out: 0"});
  spec.price = price_or_none(gpu, {"price", "of a GPU and hour, host and network included"});
  spec.source = source_of(gpu);
  if (spec.idle_power > spec.power)
    gpu.fail("idle_power",
             "is more than \"power\": " + text(spec.idle_power) + " against " + text(spec.power));
  return spec;
}

void read_cpu(JsonObject& host, HostSpec& spec) {
  JsonObject cpu = host.object({"cpu", "the processors of the host"});
  spec.cpu = cpu.one_of<CpuVendor>(
      {"vendor", "who made the processor"},
      {{"intel", CpuVendor::intel}, {"amd", CpuVendor::amd}, {"arm", CpuVendor::arm}});
  spec.sockets = cpu.integer({"sockets", "processors"}, 1, most_parts);
  spec.cores = cpu.integer({"cores", "in all"}, 1, most_cores);
  spec.memory = memory(cpu);
  spec.memory_bandwidth = bounded_bandwidth(cpu, {"memory_bandwidth", "of all sockets"});
  spec.source += "; CPU: " + source_of(cpu);
  cpu.refuse_unknown_keys();
  host.adopt(cpu);
}

// Reads a child with `read` and takes over what is wrong with it.
template <class Read>
auto child(JsonObject& parent, const FieldKey& key, Read read) {
  JsonObject object = parent.object(key);
  auto value = read(object);
  object.refuse_unknown_keys();
  parent.adopt(object);
  return value;
}

void read_nic(JsonObject& host, HostRecipe& recipe) {
  if (!host.has("nic")) return static_cast<void>(host.raw("nic"));
  recipe.nic = child(host, {"nic", "network cards; left out: none"}, [&](JsonObject& nic) {
    recipe.nics = nic.integer({"count", "in the host"}, 1, most_slots);
    WireRecipe port;
    port.bandwidth = bounded_bandwidth(nic, {"bandwidth", "of a card and direction"});
    port.part = {nic.text({"name", "of the card"}), source_of(nic)};
    return port;
  });
}

void read_nvlink(JsonObject& host, HostRecipe& recipe) {
  if (!host.has("nvlink")) return static_cast<void>(host.raw("nvlink"));
  recipe.nvlink = child(
      host,
      {"nvlink",
       "between GPUs; left out: none. Bandwidth: per GPU and direction, all its links together"},
      [&](JsonObject& nvlink) {
        recipe.nvswitches =
            nvlink.integer_or({"switches", "that share the bandwidth evenly"}, 1, 1, most_parts);
        return read_wire(nvlink);
      });
}

void read_gpu_host(JsonObject& host, HostRecipe& recipe) {
  recipe.gpu =
      child(host, {"gpu", "the GPUs of the host; not on a cpu host"}, [&](JsonObject& gpu) {
        recipe.slots = gpu.integer({"count", "in the host"}, 1, most_slots);
        return read_gpu_spec(gpu);
      });
  read_nvlink(host, recipe);
  recipe.pcie =
      child(host, {"pcie", "GPU or NIC to its switch, per direction and without packet headers"},
            [&](JsonObject& pcie) {
              recipe.pcie_switches =
                  pcie.integer({"switches", "that GPUs and NICs are dealt out to"}, 1, most_parts);
              const WireRecipe wire = read_wire(pcie);
              recipe.upstream = wire;
              if (pcie.has("upstream_bandwidth"))
                recipe.upstream.bandwidth = bounded_bandwidth(
                    pcie, {"upstream_bandwidth", "switch to socket; left out: as bandwidth"});
              return wire;
            });
  read_nic(host, recipe);
  if (recipe.spec.sockets > 1)
    recipe.socket =
        child(host, {"socket", "between processors; needed with more than one"}, read_wire);
}

void read_cpu_host(JsonObject& host, HostRecipe& recipe) {
  recipe.slots = host.integer(
      {"slots", "cpu host: places for ranks; 0: it only adds what ranks elsewhere send it"}, 0,
      most_slots);
  recipe.upstream = child(host, {"bus", "cpu host: place of a rank to memory and NIC"}, read_wire);
  recipe.pcie =
      child(host, {"pcie", "GPU or NIC to its switch, per direction and without packet headers"},
            read_wire);
  read_nic(host, recipe);
}

void read_custom_host(JsonObject& host, HostRecipe& recipe) {
  if (!host.has("gpu")) return static_cast<void>(host.raw("gpu"));
  recipe.gpu = child(host, {"gpu", "the GPUs of the host; not on a cpu host"}, read_gpu_spec);
}

void read_family(JsonObject& host, HostRecipe& recipe) {
  switch (recipe.family) {
    case HostFamily::gpu:
      return read_gpu_host(host, recipe);
    case HostFamily::cpu:
      return read_cpu_host(host, recipe);
    case HostFamily::custom:
      return read_custom_host(host, recipe);
  }
}

}  // namespace

HostRecipe read_host(JsonObject& host) {
  HostRecipe recipe;
  recipe.spec.name = host.text({"name", "of the kind of host"});
  recipe.family = host.one_of<HostFamily>(
      {"family",
       "gpu: DGX or HGX; cpu: places for ranks on one bus; custom: an explicit network lists the "
       "devices"},
      {{"gpu", HostFamily::gpu}, {"cpu", HostFamily::cpu}, {"custom", HostFamily::custom}});
  recipe.spec.power = bounded_power(host, {"power", "at full load, all but the GPUs"});
  recipe.spec.source = source_of(host);
  read_cpu(host, recipe.spec);
  read_family(host, recipe);
  host.refuse_unknown_keys();
  return recipe;
}

}  // namespace quintet
