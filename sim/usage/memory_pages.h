// How a program that makes many short-lived tables asks the system for memory.
#pragma once

namespace quintet {

// Keeps what has been freed for what comes next, and takes the heap's beginning in large pages
// where the system has them: a page of 4 KiB that is touched for the first time costs as much as
// what is then written into it, on a virtual machine several times that. For main(), before any
// thread; of no effect elsewhere than with glibc on Linux.
void keep_memory();

}  // namespace quintet
