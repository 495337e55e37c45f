// What libquintet.so shows; everything else in it is its own.
#pragma once

#define QUINTET_API __attribute__((visibility("default")))
