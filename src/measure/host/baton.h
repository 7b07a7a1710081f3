// The judge's side of probe/baton.h: hands a call to a host and waits until it is given back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "measure/device/arena.h"
#include "probe/baton.h"

namespace cupel::measure {

// Empty until made; one for each host. Not thread-safe.
class Baton {
 public:
  Baton() = default;
  // Both sides poll so long for the other before they sleep: 0 where they share a core.
  static Result<Baton> make(std::uint32_t polls_us);

  int fd() const { return page_.fd(); }

  // The turn of the call that begin() will begin; the turns of later ones follow at equal steps.
  std::uint32_t next() const { return turn_ + k_cupel_baton_stride; }
  void begin() { turn_ = next(); }
  // Waits until the host says that it waits for its turn. False: not within `ms`.
  bool awaited(int ms) const;
  // `keys` open the turn's inputs; k_cupel_baton_keys_max at most.
  void hand_over(std::span<const CupelCipherKey> keys);
  // Waits until the call is given back. False: not within `ms`.
  bool given_back(int ms) const;
  // The host says that the call failed; why, it says on its socket.
  bool failed() const;
  // Where the host says that the outputs lie; `count` of them, 0 where it says nothing.
  std::vector<std::uintptr_t> addresses(std::size_t count) const;
  // Lets the host go on.
  void take();

 private:
  CupelBaton& shared() const;
  void turn_to(std::uint32_t turn);
  void wait_while(std::uint32_t& word, std::uint32_t value, int ms) const;

  Arena page_;
  std::uint32_t polls_us_ = 0;  // kept apart from what the host may write to
  std::uint32_t turn_ = 0;      // of the call in hand
};

}  // namespace cupel::measure
