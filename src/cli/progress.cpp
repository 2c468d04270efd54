#include "cli/progress.hpp"

#include <fmt/format.h>

#include <utility>

#include "report/numbers.hpp"

namespace warpclock::cli {
namespace {

// Often enough to look alive, seldom enough to cost nothing beside a sample.
constexpr Nanoseconds redraw_every = milliseconds(100);

std::string estimate_text(const Estimate& estimate) {
  return report::duration(Nanoseconds{estimate.value}) + " +-" + report::percent(estimate.relative_half_width());
}

}  // namespace

ProgressPrinter::ProgressPrinter(std::ostream& err, Setup setup)
    : err_(err), setup_(std::move(setup)), begin_(setup_.now()), last_drawn_(begin_ - redraw_every) {}

ProgressPrinter::~ProgressPrinter() { wipe(); }

void ProgressPrinter::started(const SweepItem& item) {
  label_ = full_label(item);
  drawn_phase_.clear();
}

void ProgressPrinter::update(const Progress& progress) {
  if (setup_.quiet || !setup_.terminal) return;
  const auto now = setup_.now();
  if (progress.phase == drawn_phase_ && now - last_drawn_ < redraw_every) return;
  last_drawn_ = now;
  drawn_phase_ = progress.phase;
  std::string text = fmt::format("[{}/{}] {}  {}", done_ + 1, setup_.points, label_, progress.phase);
  if (progress.estimate) text += "  " + estimate_text(*progress.estimate);
  if (progress.samples > 0) text += fmt::format("  {} samples", progress.samples);
  rewrite(text + eta());
}

void ProgressPrinter::finished(const Result& result) {
  ++done_;
  if (setup_.quiet || setup_.terminal) return;
  std::string text = fmt::format("[{}/{}] {}  ", done_, setup_.points, label_);
  const auto* summary = result.headline_summary();
  if (result.status != Status::ok) {
    text += to_string(result.status);
  } else if (summary != nullptr) {
    text += fmt::format("{}  {} samples  {}", estimate_text(summary->median), result.samples.size(),
                        to_string(result.stop_reason));
  } else {
    text += "no time";
  }
  err_ << text << std::endl;
}

void ProgressPrinter::line(const std::string& text) {
  wipe();
  err_ << text << std::endl;
}

/// From the mean time of the points so far.
std::string ProgressPrinter::eta() const {
  if (done_ == 0) return "";
  const auto each = (setup_.now() - begin_) / static_cast<double>(done_);
  const double left = (each * static_cast<double>(setup_.points - done_)).count() / 1e9;
  if (left < 1) return "";
  if (left < 120) return fmt::format("  ETA {:.0f} s", left);
  if (left < 7200) return fmt::format("  ETA {:.0f} min", left / 60);
  return fmt::format("  ETA {:.1f} h", left / 3600);
}

void ProgressPrinter::rewrite(const std::string& text) {
  // A line that wraps could not be rewritten; the last column makes some terminals wrap.
  err_ << '\r' << text.substr(0, setup_.columns - 1) << "\x1b[K" << std::flush;
  drawn_ = true;
}

void ProgressPrinter::wipe() {
  if (drawn_) err_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace warpclock::cli
