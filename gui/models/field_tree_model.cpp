#include "gui/models/field_tree_model.h"

#include <algorithm>

namespace quintet::gui {

struct FieldTreeModel::Node {
  const FieldDescription* is = nullptr;
  std::string path;
  Node* parent = nullptr;
  int row = 0;
  std::vector<std::unique_ptr<Node>> children;
};

namespace {

QString text(const std::string& words) {
  return QString::fromStdString(words);
}

bool is_object(const FieldDescription& field) {
  return field.kind == FieldKind::object || field.kind == FieldKind::object_or_file;
}

std::string found_in(const FieldTexts& texts, const std::string& path) {
  const auto found = texts.find(path);
  return found == texts.end() ? std::string() : found->second;
}

bool lies_in(const std::string& path, const std::string& field) {
  return path.starts_with(field) &&
         (path.size() == field.size() || path[field.size()] == '.' || path[field.size()] == '[');
}

std::string sentence(const FieldProblem& problem) {
  return problem.reason + (problem.remedy.empty() ? "" : "; " + problem.remedy);
}

}  // namespace

FieldTreeModel::FieldTreeModel(FieldDescription fields, Edit check, Edit edit, QObject* parent)
    : QAbstractItemModel(parent),
      fields_(std::move(fields)),
      check_(std::move(check)),
      edit_(std::move(edit)),
      root_(std::make_unique<Node>()) {
  root_->is = &fields_;
  add_nodes(fields_, *root_);
}

FieldTreeModel::~FieldTreeModel() = default;

void FieldTreeModel::add_nodes(const FieldDescription& object, Node& node) {
  for (const FieldDescription& field : object.fields) {
    auto child = std::make_unique<Node>();
    child->is = &field;
    child->path = node.path.empty() ? field.key : node.path + "." + field.key;
    child->parent = &node;
    child->row = static_cast<int>(node.children.size());
    if (is_object(field)) add_nodes(field, *child);
    node.children.push_back(std::move(child));
  }
}

void FieldTreeModel::show(FieldTreeValues values) {
  values_ = std::move(values);
  problems_.clear();
  refused_.clear();
  for (const FieldProblem& problem : values_.problems) {
    const QModelIndex at = index_of(problem.field);
    if (!at.isValid()) continue;
    std::string& all = problems_[node_of(at)->path];
    all += (all.empty() ? "" : "\n") + sentence(problem);
  }
  // Every row's cells may be others now.
  const std::function<void(const Node&)> tell = [&](const Node& node) {
    if (node.children.empty()) return;
    emit dataChanged(index_of(*node.children.front(), 0),
                     index_of(*node.children.back(), column_count - 1));
    for (const auto& child : node.children) tell(*child);
  };
  tell(*root_);
}

QModelIndex FieldTreeModel::index_of(const std::string& path) const {
  const Node* best = root_.get();
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (const auto& child : best->children)
      if (lies_in(path, child->path)) {
        best = child.get();
        deeper = true;
        break;
      }
  }
  return best == root_.get() ? QModelIndex() : index_of(*best, value_column);
}

const FieldDescription* FieldTreeModel::description(const QModelIndex& index) const {
  return index.isValid() ? node_of(index)->is : nullptr;
}

std::optional<Error> FieldTreeModel::check(const QModelIndex& index, const QString& text) const {
  const Node& node = *node_of(index);
  return check_(node.path, asked_value(*node.is, text.trimmed().toStdString()));
}

bool FieldTreeModel::reset(const QModelIndex& index) {
  return index.isValid() && try_edit(*node_of(index), "");
}

bool FieldTreeModel::try_edit(const Node& node, const std::string& value) {
  const std::string path = node.path;
  const auto error = edit_(path, value);
  if (error)
    refused_[path] = error->text();
  else
    refused_.erase(path);
  const QModelIndex at = index_of(path);
  emit dataChanged(at.siblingAtColumn(0), at.siblingAtColumn(column_count - 1));
  if (error) emit refused(text(error->text()));
  return !error;
}

FieldTreeModel::Node* FieldTreeModel::node_of(const QModelIndex& index) const {
  return index.isValid() ? static_cast<Node*>(index.internalPointer()) : root_.get();
}

QModelIndex FieldTreeModel::index_of(const Node& node, int column) const {
  return createIndex(node.row, column, &node);
}

QModelIndex FieldTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return index_of(*node_of(parent)->children[static_cast<std::size_t>(row)], column);
}

QModelIndex FieldTreeModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const Node* above = node_of(index)->parent;
  return above == root_.get() ? QModelIndex() : index_of(*above, 0);
}

int FieldTreeModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(node_of(parent)->children.size());
}

int FieldTreeModel::columnCount(const QModelIndex&) const {
  return column_count;
}

bool FieldTreeModel::is_asked(const Node& node) const {
  return std::any_of(values_.asked.begin(), values_.asked.end(), [&](const auto& each) {
    return lies_in(each.first, node.path) || lies_in(node.path, each.first);
  });
}

bool FieldTreeModel::follows(const Node& node) const {
  return !is_object(*node.is) && !is_asked(node) &&
         found_in(values_.value, node.path) != found_in(values_.as_file, node.path);
}

bool FieldTreeModel::has_problem_inside(const Node& node) const {
  return std::any_of(problems_.begin(), problems_.end(),
                     [&](const auto& each) { return lies_in(each.first, node.path); });
}

QString FieldTreeModel::problem_of(const Node& node) const {
  const std::string refusal = found_in(refused_, node.path);
  const std::string problem = found_in(problems_, node.path);
  return text(refusal + (refusal.empty() || problem.empty() ? "" : "\n") + problem);
}

// The signs are for who does not see bold and colours.
QString FieldTreeModel::name_of(const Node& node) const {
  QString name = text(node.is->key);
  if (is_asked(node)) name += " *";
  if (follows(node)) name += " ~";
  if (has_problem_inside(node) || refused_.contains(node.path)) name += " !";
  return name;
}

QString FieldTreeModel::value_of(const Node& node) const {
  if (const auto found = values_.value.find(node.path); found != values_.value.end())
    return node.children.empty() ? text(found->second) : QString();
  return text(plain_value(node.is->usual));
}

QString FieldTreeModel::file_text_of(const Node& node) const {
  const auto found = values_.said.find(node.path);
  if (found != values_.said.end()) return node.children.empty() ? text(found->second) : QString();
  return node.children.empty() ? "left out" : "";
}

QString FieldTreeModel::tip_of(const Node& node) const {
  QString tip = text(node.path);
  if (!node.is->meaning.empty()) tip += ": " + text(node.is->meaning);
  if (!is_object(*node.is)) tip += "\nAccepts " + text(kind_text(*node.is));
  if (!node.is->usual.empty())
    tip += "\nWhere it is left out: " + text(plain_value(node.is->usual));
  if (is_asked(node)) tip += "\n* is not as the file says";
  if (follows(node)) tip += "\n~ follows from what was changed";
  const QString problem = problem_of(node);
  if (!problem.isEmpty()) tip += "\n! " + problem;
  return tip;
}

QVariant FieldTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Node& node = *node_of(index);
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == field_column) return name_of(node);
      if (index.column() == value_column) return value_of(node);
      if (index.column() == file_column) return file_text_of(node);
      return is_object(*node.is) ? QString() : text(kind_text(*node.is));
    case Qt::EditRole:
      if (const auto found = values_.value.find(node.path); found != values_.value.end())
        return text(found->second);
      return value_of(node);
    case Qt::ToolTipRole:
      return tip_of(node);
    case path_role:
      return text(node.path);
    case changed_role:
      return is_asked(node) || follows(node);
    case problem_role:
      return problem_of(node);
    case search_role:
      return text(node.path + " " + node.is->meaning + " " + kind_text(*node.is));
    default:
      return {};
  }
}

QVariant FieldTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  static const QStringList names{"Field", "Value", "File says", "Accepts"};
  static const QStringList tips{"* changed here; ~ follows from a change; ! does not fit",
                                "What is predicted with; double-click or F2 to change it",
                                "What the plan's file has; left out: what is usual is taken",
                                "Range, words or unit that the plan's reader accepts"};
  if (role == Qt::DisplayRole) return names.value(section);
  if (role == Qt::ToolTipRole) return tips.value(section);
  return {};
}

Qt::ItemFlags FieldTreeModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const Node& node = *node_of(index);
  const bool is_layer = node.parent == root_.get() && is_object(*node.is);
  const Qt::ItemFlags usual = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  return index.column() == value_column && !is_layer ? usual | Qt::ItemIsEditable : usual;
}

bool FieldTreeModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable)) return false;
  const Node& node = *node_of(index);
  const QString given = value.toString().trimmed();
  if (given == data(index, Qt::EditRole).toString()) return true;
  if (given.isEmpty() && node.is->kind != FieldKind::text) return reset(index);
  return try_edit(node, asked_value(*node.is, given.toStdString()));
}

}  // namespace quintet::gui
