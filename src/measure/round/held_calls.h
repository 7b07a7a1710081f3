// What a program returned must outlive its next calls: outputs that hosts keep, looked at again.
#pragma once

#include <vector>

#include "measure/round/round_state.h"

namespace cupel::measure {

class HeldCalls {
 public:
  explicit HeldCalls(RoundState& round) : round_(round) {}  // outlives it

  // Of a program's last call but one, which `where` is.
  void hold(std::size_t lane, const CallPlace& where);
  // Compares them with what was taken of timed calls; lets go of them.
  void recall_timed();
  // Takes them again and has them compared, while the device is shared.
  Status recall(const RoundState::CheckList& list);

 private:
  struct Held {
    std::size_t lane;
    CallPlace place;
    int index;  // to recall it by
  };
  RoundState& round_;
  std::vector<Held> held_;
};

}  // namespace cupel::measure
