// Evaluators are for one thread each, and remember; work is dealt to threads piece by piece.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sim/search/evaluator.h"

namespace quintet {

class EvaluatorPool {
 public:
  EvaluatorPool(const Candidates& candidates, const EvaluatorFactory& factory)
      : candidates_(candidates), factory_(factory) {}

  // work(evaluators) with some that nobody else has meanwhile.
  template <class Work>
  auto with(const Work& work) {
    std::unique_ptr<ThreadEvaluators> own = take();
    auto result = work(*own);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(own));
    return result;
  }

 private:
  std::unique_ptr<ThreadEvaluators> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<ThreadEvaluators>(candidates_, factory_);
    std::unique_ptr<ThreadEvaluators> own = std::move(idle_.back());
    idle_.pop_back();
    return own;
  }

  const Candidates& candidates_;
  const EvaluatorFactory& factory_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadEvaluators>> idle_;
};

}  // namespace quintet
