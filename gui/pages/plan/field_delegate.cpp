#include "gui/pages/plan/field_delegate.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <limits>

#include "gui/models/field_tree_model.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

constexpr const char* as_the_file = "as the file says";

struct AtField {
  const FieldTreeModel* model = nullptr;
  QModelIndex index;
};

AtField at_field(const QModelIndex& index) {
  if (const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(index.model()))
    return at_field(proxy->mapToSource(index));
  return {qobject_cast<const FieldTreeModel*>(index.model()), index};
}

QStringList words_of(const FieldDescription& field) {
  if (field.kind == FieldKind::truth) return {"true", "false"};
  QStringList words;
  for (const std::string& word : field.words) words << QString::fromStdString(word);
  return words;
}

bool is_counted(const FieldDescription& field) {
  return field.kind == FieldKind::whole && field.most <= std::numeric_limits<int>::max() &&
         field.least >= std::numeric_limits<int>::min();
}

}  // namespace

FieldDelegate::FieldDelegate(const Document& document, QObject* parent)
    : QStyledItemDelegate(parent), document_(document) {}

QWidget& FieldDelegate::choice(QWidget* parent, const QStringList& words) const {
  auto& box = owned<QComboBox>(parent);
  box.addItems(words);
  box.addItem(as_the_file);
  connect(&box, &QComboBox::activated, this, [this, &box] {
    auto* self = const_cast<FieldDelegate*>(this);
    emit self->commitData(&box);
    emit self->closeEditor(&box);
  });
  return box;
}

QWidget& FieldDelegate::count(QWidget* parent, double least, double most) const {
  auto& box = owned<QSpinBox>(parent);
  box.setRange(static_cast<int>(least), static_cast<int>(most));
  box.setFrame(false);
  return box;
}

QWidget& FieldDelegate::line(QWidget* parent, const QModelIndex& index) const {
  auto& line = owned<QLineEdit>(parent);
  line.setFrame(false);
  const QPersistentModelIndex at(index);
  connect(&line, &QLineEdit::textEdited, this, [this, &line, at](const QString& text) {
    const AtField field = at_field(at);
    const auto error = field.model->check(field.index, text);
    const Theme& theme = document_.theme();
    QPalette palette = line.palette();
    palette.setColor(QPalette::Text, error ? theme.warning : theme.ink);
    line.setPalette(palette);
    const QString why = error ? QString::fromStdString(error->text()) : QString();
    line.setToolTip(why);
    emit doubted(why);
  });
  return line;
}

QWidget* FieldDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                     const QModelIndex& index) const {
  const AtField at = at_field(index);
  const FieldDescription& field = *at.model->description(at.index);
  const QStringList words = words_of(field);
  QWidget& editor = !words.isEmpty()    ? choice(parent, words)
                    : is_counted(field) ? count(parent, field.least, field.most)
                                        : line(parent, index);
  editor.setAccessibleName(index.data(FieldTreeModel::path_role).toString());
  editor.setAccessibleDescription(index.data(Qt::ToolTipRole).toString());
  return &editor;
}

void FieldDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  const QString text = index.data(Qt::EditRole).toString();
  if (auto* box = qobject_cast<QComboBox*>(editor))
    box->setCurrentIndex(box->findText(text));
  else if (auto* spin = qobject_cast<QSpinBox*>(editor))
    spin->setValue(text.toInt());
  else if (auto* line = qobject_cast<QLineEdit*>(editor))
    line->setText(text);
}

void FieldDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                 const QModelIndex& index) const {
  emit doubted("");
  if (const auto* box = qobject_cast<const QComboBox*>(editor)) {
    if (box->currentIndex() < 0) return;
    const bool reset = box->currentText() == as_the_file;
    model->setData(index, reset ? QString() : box->currentText());
  } else if (auto* spin = qobject_cast<QSpinBox*>(editor)) {
    spin->interpretText();
    model->setData(index, QString::number(spin->value()));
  } else if (const auto* line = qobject_cast<const QLineEdit*>(editor)) {
    model->setData(index, line->text());
  }
}

void FieldDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  const QModelIndex row = index.siblingAtColumn(0);
  const Theme& theme = document_.theme();
  const bool tells = index.column() <= FieldTreeModel::value_column;
  if (tells && row.data(FieldTreeModel::changed_role).toBool()) option->font.setBold(true);
  if (!tells) option->palette.setColor(QPalette::Text, theme.soft_ink);
  if (tells && !row.data(FieldTreeModel::problem_role).toString().isEmpty())
    option->palette.setColor(QPalette::Text, theme.warning);
}

}  // namespace quintet::gui
