// One job's view of a fabric that it shares with others: all that it starts is of its class.
#pragma once

#include <utility>

#include "sim/network/fabric.h"

namespace quintet {

class ClassedFabric final : public Fabric {
 public:
  ClassedFabric(Fabric& shared, TrafficClass traffic) : shared_(shared), traffic_(traffic) {}

  void start(MoveRequest request) override {
    request.traffic = traffic_;
    shared_.start(std::move(request));
  }
  void set_capacity(std::int32_t link, double capacity) override {
    shared_.set_capacity(link, capacity);
  }
  std::vector<double> carried() const override { return shared_.carried(); }
  std::size_t in_flight() const override { return shared_.in_flight(); }

 private:
  Fabric& shared_;
  TrafficClass traffic_;
};

}  // namespace quintet
