// Qt's parents own their children: the one place that says `new`.
#pragma once

#include <utility>

namespace quintet::gui {

// The last argument, or a later insertion into a layout, is its parent, which deletes it.
template <class Child, class... Arguments>
Child& owned(Arguments&&... arguments) {
  return *new Child(std::forward<Arguments>(arguments)...);
}

}  // namespace quintet::gui
