#include "engine/files/checkpoint/checkpoint.h"

#include <cassert>

#include "engine/files/checkpoint/checkpoint_steps.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"

namespace quintet {
namespace {

std::string kind_text(const Piece& piece) {
  return std::string(name_of(piece.type)) + " " + shape_text(piece.tensor_shape);
}

bool same_tensor(const Piece& left, const Piece& right) {
  return left.type == right.type && left.tensor_shape == right.tensor_shape;
}

}  // namespace

std::optional<Error> Checkpoint::add(ShardFile shard) {
  const std::size_t number = shards_.size();
  for (std::size_t i = 0; i < shard.pieces().size(); ++i) {
    const Piece& piece = shard.pieces()[i].piece;
    std::vector<Place>& places = places_[piece.tensor];
    if (!places.empty()) {
      const Place& first = places.front();
      const Piece& known =
          first.shard == number ? shard.pieces()[first.piece].piece : stored(first).piece;
      if (!same_tensor(known, piece))
        return Error{shown((folder_ / manifest_.shards[number].file).string(), 1000) + ": " +
                         in_quotes(piece.tensor),
                     "is " + kind_text(piece) + " here and " + kind_text(known) + " elsewhere"};
    }
    places.push_back({number, i});
    checks_.try_emplace({number, i});
  }
  shards_.push_back(std::move(shard));
  return std::nullopt;
}

Result<Checkpoint> Checkpoint::open(const std::filesystem::path& step_folder) {
  const std::filesystem::path file = step_folder / manifest_name;
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  Result<Manifest> manifest = parse_manifest(*text, shown(file.string(), 1000));
  if (!manifest) return manifest.error();
  Checkpoint checkpoint;
  checkpoint.folder_ = step_folder;
  checkpoint.manifest_ = std::move(*manifest);
  for (const ShardSummary& summary : checkpoint.manifest_.shards) {
    Result<ShardFile> shard = ShardFile::open(step_folder, summary);
    if (!shard) return shard.error();
    if (const std::optional<Error> error = checkpoint.add(std::move(*shard))) return *error;
  }
  return checkpoint;
}

std::optional<Error> Checkpoint::check_once(const Place& place) {
  Check& check = checks_.at(place);
  std::call_once(check.made, [&] { check.wrong = shards_[place.shard].check(stored(place)); });
  return check.wrong;
}

std::optional<Error> Checkpoint::read(const Piece& wanted, std::span<std::byte> content) {
  assert(content.size() == bytes_of(wanted) && lies_in(wanted.box, wanted.tensor_shape));
  const std::string where = shown(folder_.string(), 1000) + ": " + in_quotes(wanted.tensor);
  const auto found = places_.find(wanted.tensor);
  if (found == places_.end()) return Error{where, "is not in this checkpoint"};
  const Piece& first = stored(found->second.front()).piece;
  if (!same_tensor(first, wanted))
    return Error{where, "is " + kind_text(first) + ", wanted is " + kind_text(wanted)};
  std::vector<Box> missing{wanted.box};
  if (elements(wanted.box.shape) == 0) missing.clear();
  for (const Place& place : found->second) {
    const Box& box = stored(place).piece.box;
    const std::optional<Box> part = intersection(box, wanted.box);
    if (!part) continue;
    if (const std::optional<Error> error = check_once(place)) return error;
    copy_part(*part, box, shards_[place.shard].data(stored(place)), wanted.box, content,
              size_of(wanted.type));
    missing = without(missing, *part);
  }
  if (missing.empty()) return std::nullopt;
  return Error{where, "no piece holds the " + shape_text(missing.front().shape) +
                          " elements from " + shape_text(missing.front().offset) + " on"};
}

std::optional<Error> Checkpoint::check_all() const {
  for (const ShardFile& shard : shards_)
    for (const StoredPiece& piece : shard.pieces())
      if (const std::optional<Error> error = shard.check(piece)) return error;
  return std::nullopt;
}

}  // namespace quintet
