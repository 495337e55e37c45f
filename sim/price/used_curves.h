// Which measured curves priced a program's communication, over which networks, and what they left
// to models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/network/route/route.h"
#include "sim/price/communications.h"
#include "sim/topology/host_layout.h"
#include "sim/topology/topology.h"

namespace quintet {

class UsedCurves {
 public:
  // References must outlive this.
  UsedCurves(const Topology& topology, const Router& router)
      : topology_(topology), router_(router) {}

  // Between the hosts of these; nothing where they are on one.
  std::optional<CurveNetwork> network_of(const std::vector<DeviceId>& slots);

  // One of the program's communications, which is noted with what it takes alone.
  struct Priced {
    std::string what;  // "messages inside a host"
    Axis axis = Axis::data;
    Bytes size;
  };
  // A size outside of the curve is remarked.
  template <class Curve>
  void note(const Curve& curve, const Priced& priced);
  void note(const Residuals& residuals, const Priced& priced, Seconds time);
  void remark(const std::string& sentence);  // once
  // Takes one communication, which takes `basis.time` alone.
  void rests_on(const MoveBasis& basis);
  template <class Curve>
  void remark_outside(const Curve& curve, const Priced& priced);

  const MeasuredMoves& moves() const { return moves_; }

 private:
  void add(const CurveUse& use);

  const Topology& topology_;
  const Router& router_;
  MeasuredMoves moves_;
};

// "all-reduce by ring among 4 ranks on 2 hosts"
std::string curve_text(CollectiveKind kind, const std::string& method, int ranks, int hosts);

}  // namespace quintet
