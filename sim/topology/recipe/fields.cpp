#include "sim/topology/recipe/fields.h"

#include "sim/json/json_fields.h"

namespace quintet {

std::string source_of(JsonObject& object) {
  constexpr const char* remedy =
      "say where the numbers come from: a data sheet, a measurement with its date, or \"assumed\"";
  if (!object.recording() && !object.has("source"))
    return object.fail("source", std::string("is missing: ") + remedy), "";
  const std::string source = object.text(
      {"source",
       "where the numbers come from: a data sheet, a measurement with its date, or assumed"});
  if (source.empty()) object.fail("source", std::string("is empty: ") + remedy);
  return source;
}

Bandwidth bounded_bandwidth(JsonObject& object, const FieldKey& key) {
  const Bandwidth rate = object.bandwidth(key);
  if (rate > largest_bandwidth)
    object.fail(key, "found " + text(rate) + ", accepted are at most " + text(largest_bandwidth));
  return rate;
}

Seconds bounded_latency(JsonObject& object, const FieldKey& key) {
  const Seconds latency = object.seconds(key);
  if (latency > largest_latency)
    object.fail(key, "found " + text(latency) + ", accepted are at most " + text(largest_latency));
  return latency;
}

Watts bounded_power(JsonObject& object, const FieldKey& key) {
  const Watts power = object.watts(key);
  if (power > largest_power)
    object.fail(key, "found " + text(power) + ", accepted are at most " + text(largest_power));
  return power;
}

WireRecipe read_wire(JsonObject& object) {
  const Bandwidth rate = bounded_bandwidth(object, {"bandwidth", "per direction"});
  WireRecipe wire = read_latency_only(object);
  wire.bandwidth = rate;
  return wire;
}

WireRecipe read_latency_only(JsonObject& object) {
  WireRecipe wire;
  wire.part.name = object.text({"name", "of the part"});
  wire.latency = bounded_latency(object, {"latency", "of one hop"});
  wire.part.source = source_of(object);
  return wire;
}

WireRecipe read_wire_of(JsonObject& network, const FieldKey& key, WireRecipe (*read)(JsonObject&)) {
  JsonObject object = network.object(key);
  WireRecipe wire = read(object);
  object.refuse_unknown_keys();
  network.adopt(object);
  return wire;
}

SwitchRecipe read_switch(JsonObject& network, const FieldKey& key) {
  JsonObject object = network.object(key);
  SwitchRecipe recipe;
  recipe.part.name = object.text({"name", "of the part"});
  recipe.ports = object.integer({"ports", "cables it takes"}, 1, 1 << 20);
  recipe.power = bounded_power(object, {"power", "optics included"});
  recipe.part.source = source_of(object);
  object.refuse_unknown_keys();
  network.adopt(object);
  return recipe;
}

WireRecipe host_cable(const WireRecipe& nic, const WireRecipe& host_link, int planes) {
  return {nic.bandwidth / planes,
          host_link.latency,
          {nic.part.name + " to switch: " + host_link.part.name,
           "rate: " + nic.part.source + "; latency: " + host_link.part.source}};
}

}  // namespace quintet
