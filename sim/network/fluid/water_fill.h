// The solver behind fair_share.h, on flat arrays that are kept between solves: nothing is allocated
// once it has seen its largest problem. Inside the room only.
//
// A round takes the lowest level at which a link is full or a bound is met, freezes those flows and
// takes what they use off their links, which are full at a higher level then. The example of
// fair_share.h:
//
//   round  A is full at  B is full at  bound of 3   freezes      then
//     1    10 / 2 = 5    4 / 2 = 2     1            flow 3 at 1  B has 3 for one flow
//     2    5             3 / 1 = 3     -            flow 2 at 3  A has 7 for one flow
//     3    7 / 1 = 7     -             -            flow 1 at 7
//
// All state is per link and per flow, and a round touches only links of flows that it freezes.
// Hence a connected component gives the same bits alone and among others (property H-6).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/network/fluid/fair_share.h"

namespace quintet {

class WaterFill {
 public:
  void clear();
  std::int32_t add_link(const LinkShare& link);         // returns its number in this problem
  void add_flow(double weight, double bound);           // its uses follow
  void add_use(std::int32_t link, const Usage& usage);  // of the flow added last

  // One rate per flow, in the order of addition; valid until clear(), which a next solve needs.
  std::span<const double> solve();

  // What the flows of the last solve() leave of a link.
  double left(std::int32_t link) const { return links_[static_cast<std::size_t>(link)].remaining; }

 private:
  struct LinkState {
    LinkShare share;  // given; the rest is worked out
    double remaining = 0.0;
    double level = 0.0;           // at which it is full; never falls while flows freeze
    std::int64_t rising = 0;      // sum of coefficients of flows not yet frozen
    std::int64_t frozen_now = 0;  // the part of it that this round freezes
    std::int64_t flows = 0;       // n of C(n)
    std::int32_t members_begin = 0;
    std::int32_t members_end = 0;
  };
  struct FlowState {
    double weight = 1.0;       // given
    double bound = 0.0;        // given
    double bound_level = 0.0;  // at which it is met
    std::int32_t uses_begin = 0;
    bool frozen = false;
  };
  struct Use {
    std::int32_t link = 0;
    std::int64_t coefficient = 0;  // a w in units of 2^-34
    std::int64_t total = 0;        // the same times count
  };
  struct Member {
    std::int32_t flow = 0;
    std::int64_t coefficient = 0;
  };
  struct FullAt {
    double level = 0.0;
    std::int32_t link = 0;
  };

  std::span<const Use> uses_of(std::size_t flow) const;
  void list_members();
  void order_fat_pipes();
  void fill_heap();
  void order_bounds();
  double next_level();
  void freeze(std::int32_t flow, double level);
  void freeze_links_at(double level);
  void freeze_bounds_at(double level);
  void take_used_capacity(double level);
  double level_of(LinkState& link) const;

  std::vector<LinkState> links_;
  std::vector<FlowState> flows_;
  std::vector<Use> uses_;
  std::vector<Member> members_;        // by link
  std::vector<FullAt> heap_;           // links by level, lazily corrected
  std::vector<std::int32_t> bounded_;  // flows by falling bound level
  std::vector<std::int32_t> touched_;  // links of flows frozen in this round
  std::vector<double> rates_;
  std::size_t rising_ = 0;  // flows not yet frozen
};

// C(n) of a link that so many flows share.
double capacity_among(const LinkShare& link, std::int64_t flows);

// Rate of a flow that shares no link with another: the bits WaterFill would give.
double rate_alone(std::span<const LinkShare> links, const FlowDemand& flow);

}  // namespace quintet
