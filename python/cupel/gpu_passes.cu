// Passes over one output on a GPU that read each element once: compare.py and groups.py say what
// they find, and find it in chunks elsewhere. gpu_passes.py compiles and launches them. Sums are
// added up in an order of their own. All values are finite, but for those of `bands_of`.

constexpr int THREADS = 256;  // of a block
constexpr int BANDS = 1024;   // groups.BANDS
constexpr int SUMS = 4096;    // in a block's shared memory, 32 KB
constexpr int BAND_COPIES = 2;
constexpr long long NOWHERE = 1LL << 62;

struct Half {
  unsigned short bits;
};
struct Bfloat16 {
  unsigned short bits;
};

__device__ double widened(double value) {
  return value;
}
__device__ double widened(float value) {
  return value;
}
__device__ double widened(Bfloat16 value) {
  return __uint_as_float(unsigned(value.bits) << 16);
}
// Its exponent's bias is 112 less than a float's.
__device__ double widened(Half value) {
  const double size = __uint_as_float((value.bits & 0x7fffu) << 13) * 0x1p112;
  return value.bits & 0x8000u ? -size : size;
}

__device__ double sum_of(double one, double other) {
  return one + other;
}
__device__ double larger_of(double one, double other) {
  return one < other ? other : one;
}

// Over the threads of a block, which all call it and all get it.
template <class Number, class Join>
__device__ Number of_block(Number mine, Join join) {
  __shared__ Number parts[THREADS];
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      parts[threadIdx.x] = join(parts[threadIdx.x], parts[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const Number all = parts[0];
  __syncthreads();
  return all;
}

// As gpu_passes.Comparison has it.
struct Comparison {
  const void* got;
  const double* want;
  const short* bands;             // of each element; null: no sums by band
  const unsigned short* code_of;  // of each band that there is, from 0 on
  double* squares;                // null, or where each element's squared error goes
  double* by_code;                // squared errors, added to what is there
  double* found;                  // a block's row of FOUND numbers
  long long count, start;         // elements; what number the first one has in the output
  double forgiven, mean, spread;
  int codes;
};
constexpr int FOUND = 7;

struct Seen {
  double squares = 0, all_squares = 0, most = 0, all_most = 0;
  long long at = NOWHERE;
  bool far_1e2 = false, far_1e4 = false;
};

__device__ void see(Seen& seen, double error, double want, const Comparison& pass, long long i) {
  const double size = fabs(want);
  seen.far_1e2 |= error - 1e-2 * size > 1e-2;
  seen.far_1e4 |= error - 1e-4 * size > 1e-4;
  const double excess = larger_of(error - pass.forgiven * size, 0.0);
  const double away = larger_of(fabs(want - pass.mean), pass.spread);
  seen.squares += excess * excess;
  seen.all_squares += error * error;
  if (excess > seen.most * away) {
    seen.most = excess / away;
    seen.at = pass.start + i;
  }
  if (error > seen.all_most * away) seen.all_most = error / away;
}

__device__ void tell(const Seen& seen, double* found) {
  const double most = of_block(seen.most, larger_of);
  const double mine[FOUND] = {
      of_block(seen.squares, sum_of), of_block(seen.all_squares, sum_of), most,
      of_block(seen.all_most, larger_of),
      // The first of equals, negated: exact up to 2^53.
      of_block(seen.most == most ? -double(seen.at) : -double(NOWHERE), larger_of),
      of_block(seen.far_1e2 ? 1.0 : 0.0, larger_of), of_block(seen.far_1e4 ? 1.0 : 0.0, larger_of)};
  if (threadIdx.x < FOUND) found[blockIdx.x * FOUND + threadIdx.x] = mine[threadIdx.x];
}

template <class Number>
__device__ void compare(const Comparison& pass) {
  // Neighbouring threads add to copies of their own, since most elements are of a few bands.
  __shared__ double sums[SUMS];
  __shared__ unsigned short code_of[BANDS];
  int copies = 32;
  while (copies * pass.codes > SUMS) copies /= 2;
  for (int i = threadIdx.x; i < SUMS; i += THREADS) sums[i] = 0.0;
  for (int i = threadIdx.x; i < BANDS && pass.bands; i += THREADS) code_of[i] = pass.code_of[i];
  __syncthreads();
  const Number* const got = static_cast<const Number*>(pass.got);
  const int copy = threadIdx.x % copies;
  Seen seen;
  for (long long i = blockIdx.x * (long long)THREADS + threadIdx.x; i < pass.count;
       i += gridDim.x * (long long)THREADS) {
    const double want = pass.want[i];
    const double error = fabs(widened(got[i]) - want);
    see(seen, error, want, pass, i);
    if (pass.squares) pass.squares[i] = error * error;
    if (pass.bands) atomicAdd(&sums[code_of[pass.bands[i]] * copies + copy], error * error);
  }
  tell(seen, pass.found);  // with a barrier
  for (int code = threadIdx.x; code < pass.codes; code += THREADS) {
    double sum = 0.0;
    for (int i = 0; i < copies; ++i) sum += sums[code * copies + i];
    if (sum > 0.0) atomicAdd(&pass.by_code[code], sum);
  }
}

extern "C" __global__ void compare_float64(Comparison pass) {
  compare<double>(pass);
}
extern "C" __global__ void compare_float32(Comparison pass) {
  compare<float>(pass);
}
extern "C" __global__ void compare_float16(Comparison pass) {
  compare<Half>(pass);
}
extern "C" __global__ void compare_bfloat16(Comparison pass) {
  compare<Bfloat16>(pass);
}

// As gpu_passes.Banding has it.
struct Banding {
  const double* want;
  short* bands;                // of each element, written
  double* energies;            // squares by band, added to what is there
  unsigned long long* counts;  // elements by band, likewise
  long long count;
  int least;  // smaller bands are 0
};

extern "C" __global__ void bands_of(Banding pass) {
  __shared__ double energies[BANDS * BAND_COPIES];
  __shared__ unsigned counts[BANDS * BAND_COPIES];
  for (int i = threadIdx.x; i < BANDS * BAND_COPIES; i += THREADS) {
    energies[i] = 0.0;
    counts[i] = 0;
  }
  __syncthreads();
  const int copy = threadIdx.x % BAND_COPIES;
  for (long long i = blockIdx.x * (long long)THREADS + threadIdx.x; i < pass.count;
       i += gridDim.x * (long long)THREADS) {
    const double want = pass.want[i];
    int band = int(__double_as_longlong(want) >> 53) & (BANDS - 1);
    if (band < pass.least || band == BANDS - 1) band = 0;
    pass.bands[i] = short(band);
    const double square = want * want;
    const int at = band * BAND_COPIES + copy;
    atomicAdd(&counts[at], 1u);
    if (square <= 1.7976931348623157e308) atomicAdd(&energies[at], square);
  }
  __syncthreads();
  for (int band = threadIdx.x; band < BANDS; band += THREADS) {
    double energy = 0.0;
    unsigned long long count = 0;
    for (int i = 0; i < BAND_COPIES; ++i) {
      energy += energies[band * BAND_COPIES + i];
      count += counts[band * BAND_COPIES + i];
    }
    if (count) {
      atomicAdd(&pass.energies[band], energy);
      atomicAdd(&pass.counts[band], count);
    }
  }
}
