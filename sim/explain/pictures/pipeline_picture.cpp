// The part of step_pictures.h that finds a pipeline's passes in a timeline.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/base/text_table.h"
#include "sim/explain/pictures/step_pictures.h"
#include "sim/explain/shown_times.h"

namespace quintet {

namespace {

enum class DrawnKind { forward, backward, weight_gradient, update };

DrawnKind kind_of(const SpanInfo& info, const Span& span) {
  if (span.micro_batch < 0) return DrawnKind::update;
  switch (info.phase) {
    case Phase::forward:
      return DrawnKind::forward;
    case Phase::recompute:
    case Phase::input_gradient:
    case Phase::backward:
      return DrawnKind::backward;
    case Phase::weight_gradient:
      return DrawnKind::weight_gradient;
    case Phase::update:
      return DrawnKind::update;
  }
  return DrawnKind::update;
}

struct PassKey {
  int stage = 0;
  std::int32_t micro_batch = -1;
  int chunk =
      0;  // of the model; of what has no micro-batch, how many came before with gaps between
  DrawnKind kind = DrawnKind::forward;
  auto operator<=>(const PassKey&) const = default;
};

struct Extent {
  Instant begin, end;
};
using Passes = std::map<PassKey, Extent>;

void widen(Passes& passes, const PassKey& key, const Extent& by) {
  const auto [known, is_new] = passes.try_emplace(key, by);
  if (is_new) return;
  known->second.begin = std::min(known->second.begin, by.begin);
  known->second.end = std::max(known->second.end, by.end);
}

// The first track of each stage.
std::map<int, std::size_t> tracks_of_stages(const Timeline& timeline) {
  std::map<int, std::size_t> tracks;
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track)
    tracks.try_emplace(timeline.tracks[track].stage, track);
  return tracks;
}

// What belongs to no micro-batch comes at the beginning and at the end: kernels with a gap of more
// than a two-hundredth of the step between them are drawn apart.
class Updates {
 public:
  explicit Updates(Duration step) : gap_{step.picoseconds / 200} {}
  int piece_of(int stage, const Span& span) {
    const auto [known, is_new] = last_.try_emplace(stage, Piece{0, span.end});
    Piece& last = known->second;
    if (!is_new && span.start - last.end > gap_) ++last.number;
    last.end = std::max(last.end, span.end);
    return last.number;
  }

 private:
  struct Piece {
    int number;
    Instant end;
  };
  Duration gap_;
  std::map<int, Piece> last_;
};

Passes found_passes(const Timeline& timeline, const std::map<int, std::size_t>& tracks) {
  Passes passes;
  Updates updates(timeline.end - Instant{});
  for (const Span& span : timeline.spans) {
    const SpanInfo& info = timeline.infos[static_cast<std::size_t>(span.info)];
    const int stage = timeline.tracks[static_cast<std::size_t>(span.track)].stage;
    if (info.kind != SpanKind::compute || tracks.at(stage) != static_cast<std::size_t>(span.track))
      continue;
    const DrawnKind kind = kind_of(info, span);
    const bool update = kind == DrawnKind::update;
    const int chunk = update ? updates.piece_of(stage, span) : span.chunk;
    widen(passes, {stage, update ? -1 : span.micro_batch, chunk, kind}, {span.start, span.end});
  }
  return passes;
}

PassKey backward_of(PassKey key) {
  key.kind = DrawnKind::backward;
  return key;
}

// W between the kernels of its own B is no pass of its own.
bool mixed(const Passes& passes) {
  return std::any_of(passes.begin(), passes.end(), [&](const auto& pass) {
    if (pass.first.kind != DrawnKind::weight_gradient) return false;
    const auto backward = passes.find(backward_of(pass.first));
    return backward != passes.end() && pass.second.begin < backward->second.end;
  });
}

Passes passes_of(const Timeline& timeline, const std::map<int, std::size_t>& tracks) {
  const Passes found = found_passes(timeline, tracks);
  if (!mixed(found)) return found;
  Passes together;
  for (const auto& [key, extent] : found)
    widen(together, key.kind == DrawnKind::weight_gradient ? backward_of(key) : key, extent);
  return together;
}

struct KindShown {
  const char* letter;
  Look look;
  const char* name;
};

KindShown shown_as(DrawnKind kind) {
  switch (kind) {
    case DrawnKind::forward:
      return {"F", Look::blue, "F, forward"};
    case DrawnKind::backward:
      return {"B", Look::orange, "B, backward"};
    case DrawnKind::weight_gradient:
      return {"W", Look::green, "W, weight gradients"};
    case DrawnKind::update:
      return {"U", Look::purple, "update and gradients"};
  }
  return {"U", Look::purple, ""};
}

std::string tip_of(const PassKey& key, const Extent& extent) {
  const char* const letter = shown_as(key.kind).letter;
  return fmt::format(
      "{}{}, stage {}{}: {:.6g} to {:.6g} ms", letter,
      key.micro_batch < 0 ? "" : fmt::format(" of micro-batch {}", key.micro_batch), key.stage,
      key.micro_batch >= 0 && key.chunk > 0 ? fmt::format(", piece {}", key.chunk) : "",
      milliseconds(extent.begin - Instant{}), milliseconds(extent.end - Instant{}));
}

}  // namespace

std::optional<PassGrid> pipeline_grid(const PictureName& picture, const Timeline& timeline,
                                      std::span<const RankBreakdown> breakdowns) {
  const std::map<int, std::size_t> tracks = tracks_of_stages(timeline);
  if (tracks.size() < 2) return std::nullopt;
  PassGrid grid{
      picture.name, picture.title, "ms", {}, {}, milliseconds(timeline.end - Instant{}), {}};
  std::map<int, std::size_t> rows;
  for (const auto& [stage, track] : tracks) {
    rows.emplace(stage, grid.rows.size());
    const RankBreakdown& breakdown = breakdowns[track];
    grid.rows.push_back({fmt::format("stage {}", stage),
                         hundredths(share_of(breakdown.bubble, breakdown.step)) + " %"});
  }
  std::map<DrawnKind, bool> kinds;
  for (const auto& [key, extent] : passes_of(timeline, tracks)) {
    const KindShown shown = shown_as(key.kind);
    kinds[key.kind] = true;
    grid.passes.push_back(
        {rows.at(key.stage), shown.letter, shown.look, milliseconds(extent.begin - Instant{}),
         milliseconds(extent.end - Instant{}),
         key.micro_batch < 0 ? "" : fmt::to_string(key.micro_batch), tip_of(key, extent)});
  }
  for (const auto& [kind, is_there] : kinds)
    grid.keys.emplace_back(shown_as(kind).look, shown_as(kind).name);
  return grid;
}

std::optional<Picture> pipeline_picture(const PictureName& picture, const Timeline& timeline,
                                        std::span<const RankBreakdown> breakdowns) {
  const std::optional<PassGrid> grid = pipeline_grid(picture, timeline, breakdowns);
  if (!grid) return std::nullopt;
  Picture drawn = draw(*grid);
  drawn.notes.insert(drawn.notes.begin(),
                     "A box is a pass of a micro-batch, from its first kernel to its last; empty: "
                     "bubble or communication. At the right: share of the step in the bubble.");
  return drawn;
}

}  // namespace quintet
