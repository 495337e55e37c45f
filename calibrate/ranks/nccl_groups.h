// A rank's NCCL communicators, one for each set of members and each choice that NCCL is made to
// take. GPUs have no room for all at once: those that were not used for longest are closed first.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "calibrate/ranks/nccl_methods.h"
#include "engine/nccl/nccl_group.h"

namespace quintet::calibrate {

class NcclGroups {
 public:
  // `most`: how many stay open.
  explicit NcclGroups(const engine::NcclJob& job, std::size_t most = 12) : job_(job), most_(most) {}
  ~NcclGroups();  // aborts those that are open, in one go
  NcclGroups(const NcclGroups&) = delete;
  NcclGroups& operator=(const NcclGroups&) = delete;

  // To be told by all ranks of the job in one order what is used next, also by those that are no
  // members or will not use it: so all close the same ones.
  std::optional<Error> touch(const Members& members, const NcclChoice& choice);
  // What was touched last; all members together, where it was not open. Null: this rank is none.
  // Valid until the next touch.
  Result<engine::NcclGroup*> touched();
  // All ranks together, the latest last.
  std::optional<Error> close();

 private:
  struct Known {
    Members members;
    NcclChoice choice;
    std::unique_ptr<engine::NcclGroup> group;  // null: not open
  };

  const engine::NcclJob job_;
  const std::size_t most_;
  std::list<Known> known_;  // the least recently used first
};

}  // namespace quintet::calibrate
