#include "sim/answer/figure.h"

#include <fmt/format.h>

namespace quintet {

namespace {

int decimals_of(Figure figure, double value) {
  if (figure == Figure::memory) return 2;
  if (figure == Figure::mfu) return 1;
  return value >= 100.0 ? 1 : value >= 1.0 ? 2 : 4;
}

}  // namespace

std::string_view name_of(Figure figure) {
  switch (figure) {
    case Figure::step:
      return "step";
    case Figure::mfu:
      return "MFU";
    case Figure::memory:
      return "memory";
    case Figure::cost:
      return "rent of a step";
    case Figure::energy:
      return "energy of a step";
  }
  return "";
}

std::string_view unit_of(Figure figure) {
  switch (figure) {
    case Figure::step:
      return "ms";
    case Figure::mfu:
      return "%";
    case Figure::memory:
      return "GiB";
    case Figure::cost:
      return "$";
    case Figure::energy:
      return "kJ";
  }
  return "";
}

std::string_view meaning_of(Figure figure) {
  switch (figure) {
    case Figure::step:
      return "How long one training step takes";
    case Figure::mfu:
      return "The share of the GPUs' peak rate that the model's own FLOPs take";
    case Figure::memory:
      return "What the fullest GPU needs";
    case Figure::cost:
      return "Price per GPU and hour x GPUs x step; not known where neither the machine's file nor "
             "prices that were asked for have one";
    case Figure::energy:
      return "Of GPUs, hosts and network together, by the machine file's powers";
  }
  return "";
}

std::optional<double> value_of(const Answer& answer, Figure figure) {
  const StepSummary& summary = answer.summary;
  const auto known = [](double value, double scale) {
    return value > 0.0 ? std::optional(value * scale) : std::nullopt;
  };
  switch (figure) {
    case Figure::step:
      return summary.step.value * 1e3;
    case Figure::mfu:
      return known(summary.mfu, 100.0);
    case Figure::memory:
      return known(answer.memory_needed.value, 1.0 / 0x1p30);
    case Figure::cost:
      return known(answer.money ? answer.money->rented_step.usual.value : summary.cost.value, 1.0);
    case Figure::energy:
      return known(summary.energy.value, 1e-3);
  }
  return std::nullopt;
}

std::string number_text(std::optional<double> value, Figure figure) {
  return value ? fmt::format("{:.{}f}", *value, decimals_of(figure, *value)) : "-";
}

}  // namespace quintet
