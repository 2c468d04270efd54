#include "device/device.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"

namespace warpclock {

void Stream::start_meter(ClockMeter meter, Nanoseconds /*longest*/) {
  throw DeviceError("the effective clock cannot be measured: " + meter_problem(meter));
}

void Stream::stop_meter() {}

std::optional<ClockReading> Stream::read_meter() { return std::nullopt; }

std::string Stream::meter_problem(ClockMeter /*meter*/) { return "this kind of device has no such meter"; }

Telemetry Device::telemetry() { return no_telemetry("this kind of device has no management library"); }

double Device::lock_clock(ClockDomain /*domain*/, const ClockWish& /*wish*/) {
  throw DeviceError(fmt::format("{}: clocks of this kind of device cannot be locked", info().id));
}

}  // namespace warpclock
