// What a round asks of a referee.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/device/device_lock.h"
#include "model/evidence.h"

namespace cupel::measure {

// A set of fresh inputs in the vault.
struct InputSet {
  std::int64_t input = 0;
  std::string value_class;
  std::string values;  // base64 of the pickled non-tensor leaves, or ""
};

// Which inputs prepare() makes: the task's own, or of all value classes that are relied on.
enum class InputMix { timed, nominal };

// Inputs number `at` and on of a timed order; a mix of nominal ones needs neither. In each order
// every value class that is no user's comes once among the first, so a round has one of its own.
struct InputDraw {
  InputMix mix = InputMix::nominal;
  std::int64_t order = 0;
  std::int64_t at = 0;
  // These inputs and on, made before, once more, with rows that have changed places: whatever has a
  // shape by their values has it again, and no input of three rows and more is one that was seen.
  // Those of odd numbers in the order are the ones before but for two rows. Less than 0: fresh.
  std::int64_t again = -1;
};

// One call's outputs in the vault, for comparison.
struct CompareItem {
  std::size_t program = 0;  // whose call, of those of the round
  std::int64_t input = 0;
  int instance = 0;
  std::vector<std::int64_t> offsets;               // one per output leaf
  std::vector<std::vector<std::int64_t>> strides;  // of each, as the host told them: row-major,
                                                   // where they leave gaps
  std::vector<std::string> values;  // its leaves that are no tensors, as the host told them
};
// What the referee found.
struct Compared {
  std::vector<OutputError> outputs;
  std::vector<OutputError> own;       // what the reference itself is off by on that input
  std::vector<OutputError> in_order;  // as OutputCheck::in_order
  std::vector<std::string> wrong;     // a value that is no tensor, and what it must be; or nothing
};

class RoundReferee {
 public:
  virtual ~RoundReferee() = default;

  // Makes inputs number `first` and on, at `offset` of the vault and every `stride` bytes from
  // there, and what outputs must be for the weights of `instance`.
  virtual Result<std::vector<InputSet>> prepare(std::int64_t first, int count, std::int64_t offset,
                                                std::int64_t stride, int instance,
                                                const InputDraw& draw) = 0;
  virtual Result<std::vector<Compared>> compare(const std::vector<CompareItem>& items) = 0;
  // These inputs will not be asked for again.
  virtual Status release(std::int64_t first, int count) = 0;
  // Stops and continues it, from another thread than the one that waits for its answer.
  virtual void pause() = 0;
  virtual void resume() = 0;

 protected:
  RoundReferee() = default;
  RoundReferee(const RoundReferee&) = default;
  RoundReferee& operator=(const RoundReferee&) = default;
};

// What a process does beside whoever times, as it gives way: its hosts' work as `hosts` says, the
// referee's, and its build tools'.
Sharing::Work preparing(RoundReferee& referee, Sharing::Work hosts);

}  // namespace cupel::measure
