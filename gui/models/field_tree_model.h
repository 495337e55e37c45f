// A file's fields as an editable tree: what each is, what it is predicted with, what its file says,
// what is accepted. Which fields there are it learns from the reader's own description; what an
// edit does it is told by a function.
#pragma once

#include <QAbstractItemModel>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/json/field_values.h"

namespace quintet::gui {

// Why a field does not fit, and what would.
struct FieldProblem {
  std::string field;
  std::string reason, remedy;
  bool operator==(const FieldProblem&) const = default;
};

// What the tree shows of its fields, by their paths.
struct FieldTreeValues {
  FieldTexts value;    // as predicted
  FieldTexts said;     // in the file
  FieldTexts as_file;  // as predicted if nothing was asked for
  FieldTexts asked;
  std::vector<FieldProblem> problems;
};

class FieldTreeModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { field_column, value_column, file_column, accepts_column, column_count };
  enum Role { path_role = Qt::UserRole, changed_role, problem_role, search_role };

  // A value as --set takes it, empty for the file's; the error says why it cannot be.
  using Edit =
      std::function<std::optional<Error>(const std::string& field, const std::string& value)>;

  // `check` is asked while somebody types, `edit` to make it so.
  FieldTreeModel(FieldDescription fields, Edit check, Edit edit, QObject* parent = nullptr);
  ~FieldTreeModel() override;

  void show(FieldTreeValues values);

  // Of the value's column. The nearest field above it where there is none of this path.
  QModelIndex index_of(const std::string& path) const;
  const FieldDescription* description(const QModelIndex& index) const;
  std::optional<Error> check(const QModelIndex& index, const QString& text) const;
  // As the file says, with all that is inside; false: that cannot be.
  bool reset(const QModelIndex& index);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

 signals:
  // A value that was not taken: field, what is wrong with it, what is accepted.
  void refused(const QString& text);

 private:
  struct Node;

  void add_nodes(const FieldDescription& object, Node& node);
  Node* node_of(const QModelIndex& index) const;
  QModelIndex index_of(const Node& node, int column) const;
  bool try_edit(const Node& node, const std::string& value);
  QString problem_of(const Node& node) const;
  QString name_of(const Node& node) const;
  QString value_of(const Node& node) const;
  QString file_text_of(const Node& node) const;
  QString tip_of(const Node& node) const;
  bool is_asked(const Node& node) const;
  bool follows(const Node& node) const;
  bool has_problem_inside(const Node& node) const;

  FieldDescription fields_;
  Edit check_, edit_;
  std::unique_ptr<Node> root_;
  FieldTreeValues values_;
  std::map<std::string, std::string> problems_;  // by the node's path
  std::map<std::string, std::string> refused_;
};

}  // namespace quintet::gui
