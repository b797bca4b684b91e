/* Four rewards at a time: numbers for each of them, and what is done with such fours. */
#ifndef GBS_IRL_ROS_LANES_H_
#define GBS_IRL_ROS_LANES_H_

#include "kernel.h"

#define LANES 4

/* Clones for wider registers; none of them fuses multiplications, so all give the same numbers. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EVERY_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EVERY_PROCESSOR
#endif
#define INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t flags __attribute__((vector_size(LANES * sizeof(int64_t))));

INLINE lanes all_lanes(double value)
{
  return (lanes){value, value, value, value};
}

INLINE lanes absolute(lanes x)
{
  const int64_t m = INT64_MAX;
  return (lanes)((flags)x & (flags){m, m, m, m});
}

INLINE lanes select_lanes(flags where, lanes yes, lanes no)
{
  return (lanes)(((flags)yes & where) | ((flags)no & ~where));
}

INLINE int any(flags x)
{
  int64_t found = 0;
  for (int lane = 0; lane < LANES; lane++) {
    found |= x[lane];
  }
  return found != 0;
}

/*
 * Write the rewards of a batch by place, very small or large ones scaled by a power of two to a
 * largest entry of about 1; return whether any of them has both signs.
 */
int gbs_fill_rewards(
  const gbs_world * w, const gbs_rewards * r, int64_t first, int64_t count,
  const int32_t * place_of, lanes * weights, lanes * rewards, double scale[LANES], lanes * largest);

#endif /* GBS_IRL_ROS_LANES_H_ */
