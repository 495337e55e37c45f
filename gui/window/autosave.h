// What is open, kept in a file at each change, so that nothing is lost when the process ends
// without having been asked to.
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <optional>
#include <vector>

#include "gui/document/document.h"

namespace quintet::gui {

// Where automatic saves lie: $XDG_STATE_HOME/quintet, else ~/.local/state/quintet.
std::filesystem::path autosave_folder();

// A session that a process left which is no more.
struct LeftSession {
  std::filesystem::path file;
  Session session;
};
// The newest that can be read; those that cannot be are left where they are.
std::optional<LeftSession> left_session(const std::filesystem::path& folder);

// Writes autosave-PROCESS.json while there is something unsaved, and removes it when there is not,
// and in the end.
class Autosave : public QObject {
  Q_OBJECT
 public:
  Autosave(Document& document, std::filesystem::path folder, QObject* parent = nullptr);
  ~Autosave() override;

  const std::filesystem::path& file() const { return file_; }

 signals:
  void failed(const QString& text);

 private:
  void write();

  Document& document_;
  std::filesystem::path file_;
};

}  // namespace quintet::gui
