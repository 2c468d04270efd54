// The peak table. Dense figures from the vendor's own documents; compute rates with FP32 accumulation. A device is
// matched by its exact name: "NVIDIA H200 NVL" is another device than "NVIDIA H200", and an unknown one gets nothing.
#include <string_view>

#include "analyse/roofline.hpp"

namespace warpclock {
namespace {

/// One device. Rates in TFLOP/s, memory in GB/s, 0 where the device lacks the type or the document does not say.
struct PeakRow {
  std::string_view name;
  double memory, fp32, tf32, fp16, bf16, fp8;
  double clock_mhz;  // boost clock behind the compute rates: rate = SMs x flops per clock and SM x clock
  std::string_view source;
};

constexpr std::string_view hopper = "NVIDIA H100 data sheet 2287922 and Hopper white paper";
constexpr std::string_view h200 = "NVIDIA H200 data sheet 3002446";
constexpr std::string_view ampere = "NVIDIA A100 data sheet 2188504";
constexpr std::string_view ada = "NVIDIA Ada GPU architecture white paper 2.1";
constexpr std::string_view blackwell_rtx = "NVIDIA RTX Blackwell GPU architecture white paper";

constexpr PeakRow rows[] = {
    // name, memory, fp32, tf32, fp16, bf16, fp8, MHz, source
    {"NVIDIA H200", 4800, 66.9, 494.7, 989.4, 989.4, 1978.9, 1830, h200},
    {"NVIDIA H200 NVL", 4800, 60.3, 417.7, 835.5, 835.5, 1670.9, 0, h200},
    {"NVIDIA H100 80GB HBM3", 3352, 66.9, 494.7, 989.4, 989.4, 1978.9, 1830, hopper},
    {"NVIDIA H100 PCIe", 2039, 51.2, 378.0, 756.0, 756.0, 1513.0, 1620, hopper},
    {"NVIDIA H100 NVL", 3938, 60.3, 417.7, 835.5, 835.5, 1670.9, 0, hopper},
    {"NVIDIA A100-SXM4-80GB", 2039, 19.5, 156, 312, 312, 0, 1410, ampere},
    {"NVIDIA A100-SXM4-40GB", 1555, 19.5, 156, 312, 312, 0, 1410, ampere},
    {"NVIDIA A100 80GB PCIe", 1935, 19.5, 156, 312, 312, 0, 1410, ampere},
    {"NVIDIA A100-PCIE-40GB", 1555, 19.5, 156, 312, 312, 0, 1410, ampere},
    {"NVIDIA A30", 933, 10.3, 82, 165, 165, 0, 1440, "NVIDIA A30 data sheet"},
    {"NVIDIA L40S", 864, 91.6, 183, 362, 362, 733, 2520, "NVIDIA L40S data sheet"},
    {"NVIDIA L4", 300, 30.3, 60, 121, 121, 242, 2040, "NVIDIA L4 data sheet"},
    {"NVIDIA GeForce RTX 4090", 1008, 82.6, 82.6, 165.2, 165.2, 330.3, 2520, ada},
    {"NVIDIA GeForce RTX 3090", 936, 35.6, 35.6, 71, 71, 0, 1695, "NVIDIA GA102 white paper 2.1"},
    {"NVIDIA GeForce RTX 5090", 1792, 104.8, 104.8, 209.5, 209.5, 419, 2407, blackwell_rtx},
    {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 1792, 126, 251.9, 503.8, 503.8, 1007.6, 2617, blackwell_rtx},
    {"Tesla T4", 320, 8.1, 0, 65, 0, 0, 1590, "NVIDIA T4 data sheet"},
};

void add(std::vector<Peak>& peaks, std::string_view resource, double value, const PeakRow& row) {
  if (value <= 0) return;
  const bool memory = resource == "memory";
  peaks.push_back({.resource = std::string(resource),
                   .value = value,
                   .unit = memory ? "GB/s" : "TFLOP/s",
                   .clock_mhz = memory ? 0 : row.clock_mhz,
                   .source = std::string(row.source)});
}

}  // namespace

std::vector<Peak> nominal_peaks(const std::string& device_name) {
  std::vector<Peak> peaks;
  for (const auto& row : rows) {
    if (row.name != device_name) continue;
    add(peaks, "memory", row.memory, row);
    add(peaks, "fp32", row.fp32, row);
    add(peaks, "tf32", row.tf32, row);
    add(peaks, "fp16", row.fp16, row);
    add(peaks, "bf16", row.bf16, row);
    add(peaks, "fp8", row.fp8, row);
  }
  return peaks;
}

}  // namespace warpclock
