#include "sim/topology/families/leaf_ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace quintet {
namespace {

struct Nearest {
  std::optional<LeafPorts> below, above;
};

double ratio_of(const LeafPorts& ports, double rate) {
  return rate * ports.down / ports.up;
}

bool is(double one, double other) {
  return std::abs(one - other) <= 1e-9 * other;
}

// The two numbers of uplinks around the ratio, for so many ports down.
void look_at(int down, double ratio, const LeafChoice& choice, Nearest& nearest) {
  const int most = (choice.ports - std::max(down, choice.reserved)) / choice.step;
  const double wanted = choice.rate * down / ratio / choice.step;
  for (const double steps : {std::floor(wanted + 1e-9), std::floor(wanted + 1e-9) + 1}) {
    const int up = static_cast<int>(std::clamp(steps, 1.0, std::max(1.0, double(most))));
    if (up > most) continue;
    const LeafPorts ports{down, up * choice.step};
    const double found = ratio_of(ports, choice.rate);
    std::optional<LeafPorts>& side =
        found < ratio && !is(found, ratio) ? nearest.below : nearest.above;
    const double known = side ? ratio_of(*side, choice.rate) : 0;
    if (!side || (std::abs(found - ratio) < std::abs(known - ratio) && !is(found, known)))
      side = ports;
  }
}

std::string text_of(const std::optional<LeafPorts>& ports, double rate) {
  if (!ports) return "";
  return fmt::format("{:.6g} ({} ports down, {} up)", ratio_of(*ports, rate), ports->down,
                     ports->up);
}

}  // namespace

Result<LeafPorts> leaf_ports(double ratio, const LeafChoice& choice) {
  Nearest nearest;
  const int most = choice.down.value_or(choice.ports - 1), least = choice.down.value_or(1);
  for (int down = most; down >= least; --down) look_at(down, ratio, choice, nearest);
  if (nearest.above && is(ratio_of(*nearest.above, choice.rate), ratio)) return *nearest.above;
  const std::string below = text_of(nearest.below, choice.rate);
  const std::string above = text_of(nearest.above, choice.rate);
  const std::string both = below + (below.empty() || above.empty() ? "" : " and ") + above;
  return Error{"oversubscription",
               both.empty()
                   ? fmt::format("no port of the leaf's {} is left to lead up", choice.ports)
                   : fmt::format("{:.6g} cannot be had with {} ports; the nearest that can: {}",
                                 ratio, choice.ports, both)};
}

}  // namespace quintet
