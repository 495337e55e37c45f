// Follows a flow from a device link by link, split where it splits, and collects the shares of all
// connections into one Route. Kept between routes so that nothing but the result is allocated.
// Inside the room only.
//
// For example from a NIC over its leaf switch and two spines to another leaf and its NIC. places()
// after each step:
//
//   begin  {nic 0: 1}
//   1      {leaf 0: 1}
//   2      {spine 0: 1/2, spine 1: 1/2}
//   3      {leaf 1: 1}                   both halves arrive
//   4      {nic 1: 1}
//
// and the result is 6 links: four with half of the flow, two with all of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/network/route/route.h"
#include "sim/topology/topology.h"

namespace quintet {

// Where a part of the flow has come to.
struct Place {
  DeviceId at;
  double share = 0.0;
  Seconds latency;  // of the longest way here
};

// All parts of the flow take the same number of links.
class Walk {
 public:
  explicit Walk(const Topology& topology)
      : topology_(topology),
        entry_(topology.links.size(), -1),
        known_(topology.devices.size(), -1) {}

  void begin(DeviceId from, double share) {
    places_.assign(1, {from, share, {}});
    hop_ = 0;
  }
  const std::vector<Place>& places() const { return places_; }

  // `next(at, links)` lists the links to take from a place; the flow splits evenly.
  template <class Next>
  void step(Next next) {
    arrived_.clear();
    for (const Place& place : places_) {
      next(place.at, links_);
      for (const LinkId link : links_)
        take(link, place, place.share / static_cast<double>(links_.size()));
    }
    std::swap(places_, arrived_);
    for (const Place& place : places_) known_[place.at.index()] = -1;
    ++hop_;
  }

  void end() {
    for (const Place& place : places_) latency_ = std::max(latency_, place.latency);
  }

  Route result(double whole) {
    const auto before = [](const Taken& left, const Taken& right) { return left.hop < right.hop; };
    if (!std::is_sorted(taken_.begin(), taken_.end(), before))
      std::stable_sort(taken_.begin(), taken_.end(), before);
    Route route{{}, latency_};
    route.links.reserve(taken_.size());
    for (const Taken& taken : taken_) {
      route.links.push_back({taken.link, taken.share / whole});
      entry_[taken.link.index()] = -1;
    }
    taken_.clear();
    latency_ = {};
    return route;
  }

 private:
  struct Taken {
    LinkId link;
    int hop = 0;
    double share = 0.0;
  };

  void take(LinkId link, const Place& place, double share) {
    std::int32_t& entry = entry_[link.index()];
    if (entry < 0) {
      entry = static_cast<std::int32_t>(taken_.size());
      taken_.push_back({link, hop_, 0.0});
    }
    taken_[static_cast<std::size_t>(entry)].share += share;
    const Link& wire = topology_.link(link);
    arrive({wire.to, share, place.latency + wire.latency});
  }

  void arrive(const Place& place) {
    std::int32_t& number = known_[place.at.index()];
    if (number < 0) {
      number = static_cast<std::int32_t>(arrived_.size());
      arrived_.push_back(place);
      return;
    }
    Place& known = arrived_[static_cast<std::size_t>(number)];
    known.share += place.share;
    known.latency = std::max(known.latency, place.latency);
  }

  const Topology& topology_;
  std::vector<Place> places_, arrived_;
  std::vector<Taken> taken_;
  std::vector<std::int32_t> entry_;  // by link: index into taken_, -1: none
  std::vector<std::int32_t> known_;  // by device: index into arrived_, -1: none
  std::vector<LinkId> links_;
  Seconds latency_;
  int hop_ = 0;
};

}  // namespace quintet
