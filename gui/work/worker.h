// Work outside the window's thread, one piece at a time: a new piece cancels the one that runs.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace quintet::gui {

// Thrown out of work that was cancelled, by whoever tells its progress.
struct Cancelled {};

// Tells how far work is, from its own thread. Throws Cancelled once it is to end.
using Progress = std::function<void(double share)>;

// Runs in a thread of its own; what it returns runs in the window's thread, unless it was
// cancelled.
using Work = std::function<std::function<void()>(const Progress& progress)>;

class Worker : public QObject {
  Q_OBJECT
 public:
  explicit Worker(QObject* parent = nullptr);
  ~Worker() override;  // cancels, and waits until the thread has noticed

  // `what`: for people, "Predicting". What runs is cancelled; its result is dropped.
  void start(const QString& what, Work work);
  void cancel();
  bool busy() const { return busy_; }
  const QString& what() const { return what_; }

 signals:
  void began();
  void progressed(double share);
  // After the result was handed over (done), or was not wanted any more.
  void ended(bool done);
  // An exception that the work threw: a defect of ours, or no memory.
  void broke(const QString& why);

 private:
  struct Job;

  void run(std::uint64_t number, Job& job, const Work& work);
  void finish(std::uint64_t number, const std::function<void()>& hand_over, const QString& why);
  void let_go();

  std::unique_ptr<Job> job_;
  std::vector<std::unique_ptr<Job>> leaving_;  // cancelled, not yet at their ends
  std::uint64_t number_ = 0;
  bool busy_ = false;
  QString what_;
};

}  // namespace quintet::gui
