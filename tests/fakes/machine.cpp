#include "fakes/machine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

namespace fake {

std::string Gpu::uuid_text() const {
  std::string out = slice ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned>(uuid[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += digits.data();
  }
  return out;
}

Machine& Machine::instance() {
  static Machine machine([] {
    const char* script = std::getenv("FAKE_GPU");
    return std::string(script == nullptr ? "" : script);
  }());
  return machine;
}

void Machine::follow(const std::string& script) {
  script_.clear();
  counts_.clear();
  std::istringstream words(script);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) {
      std::fprintf(stderr, "FAKE_GPU: '%s' is no key=value\n", word.c_str());
      std::abort();
    }
    script_[word.substr(0, equals)] = word.substr(equals + 1);
  }
}

std::string Machine::text(const std::string& key, const std::string& otherwise) const {
  const auto found = script_.find(key);
  return found == script_.end() ? otherwise : found->second;
}

long Machine::number(const std::string& key, long otherwise) const {
  const std::string value = text(key);
  return value.empty() ? otherwise : std::strtol(value.c_str(), nullptr, 10);
}

std::map<std::string, long> Machine::locks() const {
  if (text("clock_state").empty()) return own_locks_;
  std::map<std::string, long> found;
  std::ifstream file(text("clock_state"));
  std::string domain;
  for (long mhz = 0; file >> domain >> mhz;) found[domain] = mhz;
  return found;
}

std::optional<long> Machine::lock(const std::string& domain) const {
  const auto all = locks();
  const auto found = all.find(domain);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

void Machine::set_lock(const std::string& domain, std::optional<long> mhz) {
  auto all = locks();
  if (mhz) {
    all[domain] = *mhz;
  } else {
    all.erase(domain);
  }
  own_locks_ = all;
  if (text("clock_state").empty()) return;
  std::ofstream file(text("clock_state"), std::ios::trunc);
  for (const auto& [name, value] : all) file << name << ' ' << value << '\n';
}

long Machine::sm_clock() const {
  const long free = number("clock_mhz", 1980);
  return std::min(free, lock("sm").value_or(free));
}

std::string Machine::event(const std::string& key) {
  const long now = ++counts_[key];
  const std::string value = text(key);
  const auto at = value.find('@');
  if (at == std::string::npos) return value;
  const bool every = value[at + 1] == '/';
  const long when = std::strtol(value.c_str() + at + (every ? 2 : 1), nullptr, 10);
  const bool fires = every ? now % when == 0 : value.back() == '+' ? now >= when : now == when;
  return fires ? value.substr(0, at) : "";
}

int Machine::error_of(const std::string& key) {
  const std::string value = event(key);
  return value.empty() ? 0 : static_cast<int>(std::strtol(value.c_str(), nullptr, 10));
}

long Machine::count(const std::string& key) const {
  const auto found = counts_.find(key);
  return found == counts_.end() ? 0 : found->second;
}

const std::vector<Gpu>& Machine::gpus() {
  if (!gpus_.empty()) return gpus_;
  for (int i = 0; i < number("gpus", 1); ++i) {
    Gpu gpu{.index = i, .name = text("name", "NVIDIA_H200"), .uuid = {}, .pci = "", .slice = false};
    std::replace(gpu.name.begin(), gpu.name.end(), '_', ' ');
    gpu.uuid.fill(static_cast<unsigned char>(0x10 + i));
    gpu.slice = i == 0 && number("mig", 0) != 0;
    if (gpu.slice) gpu.uuid.fill(0xaa);
    std::array<char, 16> pci{};
    std::snprintf(pci.data(), pci.size(), "0000:%02X:00.0", static_cast<unsigned>(0x3b + i) & 0xffu);
    gpu.pci = pci.data();
    gpus_.push_back(std::move(gpu));
  }
  return gpus_;
}

void Machine::profile(const std::string& line) {
  const std::string file = text("profile_log");
  if (profiling && !file.empty()) std::ofstream(file, std::ios::app) << line << '\n';
}

void Machine::record(Activity activity) {
  if (!traced_.contains(activity.kind)) return;
  const std::string harm = event(std::string("record.") + (activity.name == nullptr ? "" : activity.name));
  if (harm == "missing") return;
  if (harm == "zero") activity.start = activity.end = 0;
  if (harm == "reversed") std::swap(activity.start, activity.end);
  log_.push_back(activity);
}

void Machine::trace(Activity::Kind kind, bool on) {
  if (on) {
    traced_.insert(kind);
  } else {
    traced_.erase(kind);
  }
}

std::vector<Activity> Machine::take_log() { return std::exchange(log_, {}); }

}  // namespace fake
