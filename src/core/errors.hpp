// The ways a request can fail. Noisy or undecided measurements are findings, never exceptions.
// Every message says what, where, and what to do next, on one line.
#pragma once

#include <stdexcept>
#include <string>

namespace warpclock {

class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The request cannot be met as it was made: unknown name, malformed value, size out of range.
class UsageError : public Error {
  using Error::Error;
};

/// A file cannot be read or written, or holds something other than what it should.
class DataError : public Error {
  using Error::Error;
};

/// A device or its environment refused: no such device, no driver, no memory, a call that failed.
class DeviceError : public Error {
  using Error::Error;
};

/// The kernel under test failed (raised an error, wrote outside its buffers). It costs its own row only.
class KernelError : public Error {
  using Error::Error;
};

}  // namespace warpclock
