// What no program in a jail may ask of the kernel, although its namespaces would let it: what
// reaches beyond the jail, or goes on while the program stands still.
#pragma once

#include <string_view>

namespace cupel::sandbox {

// A program for seccomp(2), as bytes of struct sock_filter; empty for a processor that is not known
// here. Refused: namespaces of one's own (networks that keep the kernel busy, unbounded file
// systems); sockets but local ones (paced packets travel while the program is frozen); timers that
// are no thread's (they interrupt whoever runs); io_uring and AIO (work without a thread); leases
// (who opens the file waits for their holder, on the whole machine) and flushing all disks; taking
// descriptors from other processes; userfaultfd (reads that never end), keys and BPF.
std::string_view system_call_filter();

}  // namespace cupel::sandbox
