// Small steps that are worth running to learn what operators take: models of several widths under
// several plans. Pure.
#pragma once

#include <string>
#include <vector>

#include "calibrate/machine/processor_choice.h"
#include "sim/base/result.h"
#include "sim/model/model.h"
#include "sim/model/operator.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

struct Probe {
  std::string name;  // says all of what it is: equal names, equal probes
  std::string form;  // what of its plan is discrete: degrees, sharding, type, family of the model
  Model model;
  Plan plan;
};

struct CountedOperator {
  PricedOperator work;
  int count = 0;  // of a step, all ranks
};

struct Candidate {
  Probe probe;
  std::vector<CountedOperator> operators;  // each once
};

// What a table is to hold for.
struct ProbeRange {
  std::vector<Model> models;  // whose families and proportions probes have
  int ranks = 1;
  int smallest = 64, largest = 512;  // width of the residual stream
  int length = 128;                  // of a sequence
  int tokens = 1024;                 // of a micro-batch, at most; a quarter at least
  std::vector<DataType> types{DataType::fp32};
  // On GPUs steps are launched as graphs, so that the host keeps nothing waiting, and attention is
  // seen unfused too.
  Processor processor = Processor::cpu;
};

// A model of the same proportions (head width, heads per key head, MLP over width) with this width,
// and four layers: enough that weights of one do not stay in caches until it comes again.
Model scaled(const Model& model, int width);

// All combinations of widths, plans and micro-batches that are valid; the topology must have as
// many slots as ranks.
Result<std::vector<Candidate>> probe_candidates(const ProbeRange& range, const Topology& topology);

}  // namespace quintet::calibrate
