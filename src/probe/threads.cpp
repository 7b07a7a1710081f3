// Preloaded into hosts: threads that a program starts may run on any core.
//
// OpenMP binds a host's main thread to one core (OMP_PROC_BIND), and a new thread inherits its
// creator's cores; without this, a program's own threads would all queue on that core. A thread
// whose creator asked for certain cores (OpenMP's own workers) gets those.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include "probe/probe.h"

namespace {

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

struct AllCores {
  cpu_set_t cores;
  bool known;
  AllCores() : known(sched_getaffinity(0, sizeof cores, &cores) == 0) {}
};

// Read when the library is loaded, before anything is bound.
const AllCores k_all_cores;

// glibc reports every bit set for an attribute without cores of its own.
bool asks_for_cores(const pthread_attr_t* attributes) {
  cpu_set_t asked;
  if (attributes == nullptr) return false;
  if (pthread_attr_getaffinity_np(attributes, sizeof asked, &asked) != 0) return true;
  return CPU_COUNT(&asked) != CPU_SETSIZE;
}

}  // namespace

// A new thread inherits its creator's cores, so the creator lends it all of them for a moment.
extern "C" CUPEL_PROBE_EXPORT int pthread_create(pthread_t* thread,
                                                 const pthread_attr_t* attributes,
                                                 void* (*start)(void*), void* argument) {
  static const Create real = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  cpu_set_t own;
  const bool lend = k_all_cores.known && !asks_for_cores(attributes) &&
                    sched_getaffinity(0, sizeof own, &own) == 0;
  if (lend) sched_setaffinity(0, sizeof k_all_cores.cores, &k_all_cores.cores);
  const int failure = real(thread, attributes, start, argument);
  if (lend) sched_setaffinity(0, sizeof own, &own);
  return failure;
}
