// Every field of the telemetry: told, not told, and told with a value that cannot be. A zero that means "unknown", or a
// counter that was reset, looks like a measurement.
#include <gmock/gmock.h>

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::cuda {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Field {
  std::string name;
  std::optional<double> (*value)(const Telemetry&);
  double told;                        // by the stand-in as it is
  std::string absent;                 // script under which the call for it is refused
  std::vector<std::string> nonsense;  // scripts under which it is told and cannot be
};

template <std::optional<double> Telemetry::*member>
std::optional<double> get(const Telemetry& t) {
  return t.*member;
}
std::optional<double> reasons(const Telemetry& t) {
  return t.throttle_reasons ? std::optional(static_cast<double>(t.throttle_reasons->size())) : std::nullopt;
}
std::optional<double> power_limit_time(const Telemetry& t) {
  return t.throttle_time ? std::optional(t.throttle_time->at("power limit").count()) : std::nullopt;
}

const std::vector<Field>& fields() {
  // "@2": opening the device has taken the first reading.
  static const std::vector<Field> all{
      {"sm_clock_mhz",
       get<&Telemetry::sm_clock_mhz>,
       1980,
       "nvmlDeviceGetClockInfo=3",
       {"nvml.sm_clock=0", "nvml.sm_clock=4294967295"}},
      {"sm_clock_max_mhz",
       get<&Telemetry::sm_clock_max_mhz>,
       1980,
       "nvmlDeviceGetMaxClockInfo=3",
       {"nvml.sm_clock_max=0", "nvml.sm_clock_max=1980000"}},
      {"memory_clock_mhz",
       get<&Telemetry::memory_clock_mhz>,
       3201,
       "nvmlDeviceGetClockInfo=4",
       {"nvml.memory_clock=0", "nvml.memory_clock=3201000"}},
      {"memory_clock_max_mhz",
       get<&Telemetry::memory_clock_max_mhz>,
       3201,
       "nvmlDeviceGetMaxClockInfo=999",
       {"nvml.memory_clock_max=0", "nvml.memory_clock_max=99999"}},
      {"power_watts",
       get<&Telemetry::power_watts>,
       100,
       "nvmlDeviceGetPowerUsage=3",
       {"nvml.power=0", "nvml.power=4294967295"}},
      {"power_limit_watts",
       get<&Telemetry::power_limit_watts>,
       700,
       "nvmlDeviceGetEnforcedPowerLimit=3",
       {"nvml.power_limit=0", "nvml.power_limit=6000000"}},
      {"temperature_celsius",
       get<&Telemetry::temperature_celsius>,
       35,
       "nvmlDeviceGetTemperature=3",
       {"nvml.temperature=-40", "nvml.temperature=255"}},
      {"energy_joules",
       get<&Telemetry::energy_joules>,
       5000,
       "nvmlDeviceGetTotalEnergyConsumption=3",
       {"nvml.energy=4999999@2", "nvml.energy=-1"}},
      {"throttle_reasons", reasons, 0, "nvmlDeviceGetCurrentClocksEventReasons=3", {}},  // see UnknownReasonsAreShown
      {"throttle_time",
       power_limit_time,
       1'000'074,
       "nvmlDeviceGetFieldValues=3 nvmlDeviceGetViolationStatus=3",
       {"nvml.throttle_time=999999@2", "nvml.throttle_time=-1000"}},
  };
  return all;
}

void expect_missing(const std::string& script, const Field& field, const std::string& words) {
  on_device(on_machine(script), [&](CudaDevice& device) {
    const auto state = device.telemetry();
    EXPECT_FALSE(field.value(state)) << field.name << " with " << script;
    const auto why = state.missing.find(field.name);
    ASSERT_NE(why, state.missing.end()) << field.name << " with " << script;
    EXPECT_THAT(why->second, HasSubstr(words)) << field.name << " with " << script;
  });
}

TEST(CudaTelemetry, EachFieldThatIsToldIsThereAndNothingIsSaidToBeMissing) {
  on_device(on_machine(""), [](CudaDevice& device) {
    const auto state = device.telemetry();
    for (const auto& field : fields()) {
      ASSERT_TRUE(field.value(state)) << field.name;
      EXPECT_DOUBLE_EQ(*field.value(state), field.told) << field.name;
      EXPECT_FALSE(state.missing.contains(field.name)) << field.name;
    }
  });
}

TEST(CudaTelemetry, EachFieldThatIsNotToldIsAbsentWithNvmlsWordsForIt) {
  for (const auto& field : fields()) expect_missing(field.absent, field, "NVML error by script");
}

TEST(CudaTelemetry, EachFieldThatCannotBeIsAbsentWithTheValueThatWasTold) {
  for (const auto& field : fields()) {
    for (const auto& script : field.nonsense) {
      const bool went_back = script.find("@2") != std::string::npos;
      expect_missing(script, field, went_back ? "went back" : "cannot be");
    }
  }
}

TEST(CudaTelemetry, TheTableCoversEveryField) {
  std::vector<std::string> covered{"sm_clock_requested_mhz", "memory_clock_requested_mhz"};  // see the locks below
  for (const auto& field : fields()) covered.push_back(field.name);
  EXPECT_THAT(covered, testing::UnorderedElementsAreArray(telemetry_fields()));
}

TEST(CudaTelemetry, OneBadFieldCostsNoOther) {
  on_device(on_machine("nvml.power=0 nvmlDeviceGetTemperature=3"), [](CudaDevice& device) {
    const auto state = device.telemetry();
    EXPECT_EQ(state.sm_clock_mhz, 1980);
    EXPECT_EQ(state.energy_joules, 5000);
  });
}

TEST(CudaTelemetry, AColdChipIsNotNonsense) {  // temperatures are signed behind an unsigned pointer
  on_device(on_machine("nvml.temperature=-5"),
            [](CudaDevice& device) { EXPECT_EQ(device.telemetry().temperature_celsius, -5); });
}

TEST(CudaTelemetry, ACounterThatWasResetIsBelievedAgainFromThereOn) {
  on_device(on_machine("nvml.energy=7@2+"), [](CudaDevice& device) {
    EXPECT_FALSE(device.telemetry().energy_joules);
    EXPECT_DOUBLE_EQ(device.telemetry().energy_joules.value_or(0), 0.007);
  });
}

TEST(CudaTelemetry, ReasonsAreNamedIdleIsNoneAndUnknownOnesAreShown) {
  const auto told = [](const std::string& script, const auto& matcher) {
    on_device(on_machine(script), [&](CudaDevice& device) {
      const auto reasons = device.telemetry().throttle_reasons;
      ASSERT_TRUE(reasons);
      EXPECT_THAT(*reasons, matcher) << script;
    });
  };
  told("throttle=1", IsEmpty());  // idle
  told("throttle=4", ElementsAre("power limit"));
  told("throttle=96", ElementsAre("temperature", "temperature (hardware)"));
  told("throttle=8196", ElementsAre("power limit", "unknown (0x2000)"));
}

TEST(CudaTelemetry, TimeCountersByReasonAndOlderDriversHaveFewer) {
  on_device(on_machine(""), [](CudaDevice& device) {
    const auto times = device.telemetry().throttle_time;
    ASSERT_TRUE(times);
    EXPECT_EQ(times->at("temperature").count(), 1'000'251);
    EXPECT_EQ(times->at("power brake").count(), 1'000'253);
  });
  on_device(on_machine("nvml.fields=old"), [](CudaDevice& device) {
    const auto times = device.telemetry().throttle_time;
    ASSERT_TRUE(times);
    EXPECT_EQ(times->at("power limit").count(), 1'000'074);
    EXPECT_EQ(times->at("temperature").count(), 2'000'001);  // by nvmlDeviceGetViolationStatus
    EXPECT_FALSE(times->contains("power brake"));
  });
}

TEST(CudaTelemetry, WithoutNvmlEveryFieldSaysSo) {
  on_device(on_machine("", {{"WARPCLOCK_LIBNVML", "/nowhere/libnvidia-ml.so.1"}}), [](CudaDevice& device) {
    const auto state = device.telemetry();
    for (const auto& field : telemetry_fields()) {
      ASSERT_TRUE(state.missing.contains(field)) << field;
      EXPECT_THAT(state.missing.at(field), HasSubstr("/nowhere/")) << field;
    }
  });
}

// F40: requested, current and largest clock were mixed up. A request that failed is none.
TEST(CudaTelemetry, F40CurrentRequestedAndLargestClockAreThreeFields) {
  on_device(on_machine("nvml.sm_clock=1410"), [](CudaDevice& device) {
    EXPECT_FALSE(device.telemetry().sm_clock_requested_mhz);
    EXPECT_THAT(device.telemetry().missing.at("sm_clock_requested_mhz"), HasSubstr("not locked"));
    EXPECT_EQ(device.lock_clock(ClockDomain::sm, {ClockWish::Kind::mhz, 1500}), 1500);
    const auto state = device.telemetry();
    EXPECT_EQ(state.sm_clock_mhz, 1410);
    EXPECT_EQ(state.sm_clock_requested_mhz, 1500);
    EXPECT_EQ(state.sm_clock_max_mhz, 1980);
    EXPECT_FALSE(state.memory_clock_requested_mhz);
    device.unlock_clocks();
    EXPECT_FALSE(device.telemetry().sm_clock_requested_mhz);
  });
  on_device(on_machine("nvmlDeviceSetGpuLockedClocks=4"), [](CudaDevice& device) {
    EXPECT_THAT(message_of<DeviceError>([&] {
                  device.lock_clock(ClockDomain::sm, {ClockWish::Kind::max, 0});
                }),
                AllOf(HasSubstr("nvmlDeviceSetGpuLockedClocks"), HasSubstr("(4)"), HasSubstr("root")));
    EXPECT_FALSE(device.telemetry().sm_clock_requested_mhz);
  });
}

// F40: calls come and go with the driver. What one lacks costs the fields that need it, never the device.
TEST(CudaTelemetry, F40ADriverWithFewerCallsTellsTheRest) {
  const std::string old = std::string(WARPCLOCK_FAKES) + "/libfake_nvml_old.so";
  on_device(on_machine("throttle=4", {{"WARPCLOCK_LIBNVML", old}}), [](CudaDevice& device) {
    const auto state = device.telemetry();
    EXPECT_EQ(state.sm_clock_mhz, 1980);
    EXPECT_EQ(state.throttle_reasons, std::vector<std::string>{"power limit"});  // by the call's older name
    EXPECT_THAT(state.missing.at("energy_joules"), HasSubstr("(13)"));           // function not found
    EXPECT_FALSE(state.throttle_time);
    EXPECT_THAT(message_of<DeviceError>([&] {
                  device.lock_clock(ClockDomain::sm, {ClockWish::Kind::max, 0});
                }),
                HasSubstr("measure without a lock"));
  });
}

TEST(CudaClockLock, BaseMaxAndMemory) {
  on_device(on_machine("base_mhz=1590"), [](CudaDevice& device) {
    EXPECT_EQ(device.lock_clock(ClockDomain::sm, {ClockWish::Kind::base, 0}), 1590);
    EXPECT_EQ(device.lock_clock(ClockDomain::sm, {ClockWish::Kind::max, 0}), 1980);
    EXPECT_EQ(device.lock_clock(ClockDomain::memory, {ClockWish::Kind::mhz, 1593}), 1593);
    EXPECT_EQ(device.telemetry().memory_clock_requested_mhz, 1593);
    EXPECT_EQ(machine().lock("memory"), 1593);
    device.unlock_clocks();
    EXPECT_FALSE(machine().lock("sm"));
    EXPECT_FALSE(machine().lock("memory"));
  });
}

TEST(CudaClockLock, AClockThatTheChipLacksIsRefusedWithTheNearestOnesAndNothingIsLocked) {
  on_device(on_machine(""), [](CudaDevice& device) {
    const auto refusal = [&](ClockDomain domain, double mhz) {
      return message_of<UsageError>([&] { device.lock_clock(domain, {ClockWish::Kind::mhz, mhz}); });
    };
    EXPECT_THAT(refusal(ClockDomain::sm, 1501), HasSubstr("1500 and 1515"));
    EXPECT_THAT(refusal(ClockDomain::sm, 2500), HasSubstr("nearest are 1980"));
    EXPECT_THAT(refusal(ClockDomain::memory, 2000), HasSubstr("1593 and 3201"));
    EXPECT_THAT(message_of<UsageError>([&] {
                  device.check_clock(ClockDomain::memory, {ClockWish::Kind::base, 0});
                }),
                HasSubstr("no base clock"));
    EXPECT_FALSE(machine().lock("sm"));
  });
}

TEST(CudaClockLock, ASliceIsRefusedSinceItsClockIsThatOfOthersToo) {
  on_device(on_machine("mig=1 sms=16"), [](CudaDevice& device) {
    EXPECT_THAT(message_of<DeviceError>([&] {
                  device.lock_clock(ClockDomain::sm, {ClockWish::Kind::max, 0});
                }),
                HasSubstr("MIG slice"));
    EXPECT_FALSE(machine().lock("sm"));
  });
}

TEST(CudaClockLock, UnlockingWithoutALockOfOursTouchesNothing) {
  on_device(on_machine(""), [](CudaDevice& device) {
    machine().set_lock("sm", 1410);  // somebody else's
    device.unlock_clocks();
    EXPECT_EQ(machine().lock("sm"), 1410);
    EXPECT_EQ(machine().count("nvmlDeviceResetGpuLockedClocks"), 0);
  });
}

}  // namespace
}  // namespace warpclock::cuda
