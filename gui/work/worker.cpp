#include "gui/work/worker.h"

#include <QMetaObject>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

namespace quintet::gui {

// The thread ends before the flag that it reads: members are destroyed in reverse.
struct Worker::Job {
  std::atomic<bool> cancelled = false;
  std::atomic<bool> over = false;
  std::jthread thread;
};

Worker::Worker(QObject* parent) : QObject(parent) {}

Worker::~Worker() {
  let_go();
  leaving_.clear();
}

void Worker::let_go() {
  std::erase_if(leaving_, [](const auto& job) { return job->over.load(); });
  if (!job_) return;
  job_->cancelled = true;
  leaving_.push_back(std::move(job_));
}

void Worker::start(const QString& what, Work work) {
  let_go();
  what_ = what;
  busy_ = true;
  const std::uint64_t number = ++number_;
  job_ = std::make_unique<Job>();
  Job& job = *job_;
  emit began();
  job.thread = std::jthread([this, number, &job, work = std::move(work)] {
    run(number, job, work);
    job.over = true;
  });
}

void Worker::run(std::uint64_t number, Job& job, const Work& work) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point told{};
  const Progress progress = [&](double share) {
    if (job.cancelled) throw Cancelled{};
    // The window is told thirty times a second, however often the work tells.
    if (Clock::now() - told < std::chrono::milliseconds(33)) return;
    told = Clock::now();
    QMetaObject::invokeMethod(this, [this, number, share] {
      if (number == number_ && busy_) emit progressed(share);
    });
  };
  std::function<void()> hand_over;
  QString why;
  try {
    hand_over = work(progress);
  } catch (const Cancelled&) {
    return;
  } catch (const std::exception& error) {
    why = QString::fromUtf8(error.what());
  }
  if (job.cancelled) return;
  QMetaObject::invokeMethod(this, [this, number, hand_over = std::move(hand_over), why] {
    finish(number, hand_over, why);
  });
}

void Worker::finish(std::uint64_t number, const std::function<void()>& hand_over,
                    const QString& why) {
  if (number != number_ || !busy_) return;
  busy_ = false;
  if (!why.isEmpty()) {
    emit broke(why);
    emit ended(false);
    return;
  }
  hand_over();
  emit ended(true);
}

void Worker::cancel() {
  if (!busy_) return;
  busy_ = false;
  if (job_) job_->cancelled = true;
  emit ended(false);
}

}  // namespace quintet::gui
