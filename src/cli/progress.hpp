// What stderr shows while points are measured: one rewritten line on a terminal, one line a finished point elsewhere.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "core/result.hpp"
#include "measure/control.hpp"
#include "plan/sweep.hpp"

namespace warpclock::cli {

class ProgressPrinter {
 public:
  struct Setup {
    std::size_t points = 0;
    bool terminal = false;
    bool quiet = false;
    unsigned columns = 100;            // width of the terminal
    std::function<Nanoseconds()> now;  // monotonic
  };
  ProgressPrinter(std::ostream& err, Setup setup);
  /// Wipes the line that is being rewritten.
  ~ProgressPrinter();
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  void started(const SweepItem& item);
  void update(const Progress& progress);
  void finished(const Result& result);
  /// A line that is to stay: the rewritten one makes room for it.
  void line(const std::string& text);

 private:
  [[nodiscard]] std::string eta() const;
  void rewrite(const std::string& text);
  void wipe();

  std::ostream& err_;
  Setup setup_;
  Nanoseconds begin_;
  Nanoseconds last_drawn_;
  std::size_t done_ = 0;
  std::string label_;
  std::string drawn_phase_;
  bool drawn_ = false;
};

}  // namespace warpclock::cli
