// The C++ API of warpclock, all of it. docs/cpp.md is the guide.
//
//   #include <warpclock/warpclock.hpp>
//   namespace wc = warpclock;
//
//   void saxpy(wc::Case& c) {
//     const auto n = c.axis<std::int64_t>("n");
//     const auto x = c.input<float>(n);
//     const auto y = c.inout<float>(n);
//     c.measure([=](wc::Launch& l) { saxpy_kernel<<<grid(n), 256, 0, l.stream()>>>(n, 2.f, l[x], l[y]); });
//   }
//   WARPCLOCK_BENCH(saxpy).axis("n", wc::pow2(10, 27));
#pragma once

#include <warpclock/bench.hpp>
#include <warpclock/case.hpp>
#include <warpclock/distribution.hpp>
#include <warpclock/element.hpp>
#include <warpclock/launch.hpp>
#include <warpclock/main.hpp>

#if defined(__CUDACC__)
#include <warpclock/cuda.hpp>
#endif
