#include "sim/picture/load_tiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace quintet {

namespace {

constexpr double tier_strip = 34, tier_height = 74, tiers_top = 2;

std::vector<double> sampled(std::vector<double> loads) {
  std::sort(loads.begin(), loads.end(), std::greater<>());
  if (loads.size() <= most_load_bars) return loads;
  std::vector<double> few;
  for (std::size_t i = 0; i < most_load_bars; ++i)
    few.push_back(loads[i * (loads.size() - 1) / (most_load_bars - 1)]);
  return few;
}

double busiest_of(const LoadTiers& all) {
  double most = 0;
  for (const LoadTier& tier : all.tiers)
    for (const double load : tier.loads) most = std::max(most, load);
  return most;
}

void draw_tier(Canvas& canvas, const LoadTier& tier, double most, double y) {
  const std::string values = "busiest " + tier.busiest.text + ", mean " + tier.mean.text;
  canvas.text_in(picture_width - width_of(values) - 10, {0, y + 12}, tier.name, Anchor::start,
                 Ink::strong);
  canvas.text({picture_width, y + 12}, values, Anchor::end);
  canvas.text_in(picture_width, {0, y + 27}, tier.kind, Anchor::start, Ink::soft);
  const std::vector<double> loads = sampled(tier.loads);
  const double bottom = y + 31 + tier_strip;
  const double width = picture_width / static_cast<double>(std::max<std::size_t>(loads.size(), 8));
  canvas.empty({0, bottom - tier_strip, picture_width, tier_strip});
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const double height = most > 0 ? tier_strip * loads[i] / most : 0;
    const std::string exact =
        i == 0 ? fmt::format("data-load=\"{}\"", tier.busiest.exact) : std::string();
    canvas.box({width * static_cast<double>(i), bottom - height, width - 1, height}, Look::blue,
               fmt::format("{:.2f} %", 100 * loads[i]), exact);
  }
}

}  // namespace

Picture draw(const LoadTiers& all) {
  Canvas canvas(all.name);
  Picture picture{all.name, all.title, "", {}, 0, ""};
  const double most = busiest_of(all);
  std::size_t links = 0, drawn = 0;
  double y = tiers_top;
  for (const LoadTier& tier : all.tiers) {
    draw_tier(canvas, tier, most, y);
    picture.description += fmt::format("{}, {}: busiest {}, mean {}. ", tier.name, tier.kind,
                                       tier.busiest.text, tier.mean.text);
    links += tier.loads.size();
    drawn += std::min(tier.loads.size(), most_load_bars);
    y += tier_height;
  }
  picture.height = y;
  picture.notes.push_back(fmt::format(
      "Shares of what a link could carry in a step. A bar is a link, the busiest first; "
      "full height is the busiest of all, {:.1f} %.",
      100 * most));
  if (drawn < links)
    picture.notes.push_back(fmt::format("{} of {} links are drawn, evenly spaced.", drawn, links));
  picture.body = canvas.body();
  return picture;
}

}  // namespace quintet
