/*
 * Greedy sets of rewards that pay in one state of a deterministic world: breadth-first search.
 *
 * With d(x) steps to the goal, V(x) = gamma^d(x) V(goal): an action is optimal if it leads one
 * step closer. Counting steps is exact however far the goal is, where gamma^d is long below the
 * smallest double.
 */

#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#define GROUP 64 /* goals whose sets are written together: whole cache lines */
#define UNREACHABLE (-1)

static void search(
  int64_t num_states, const int64_t * predecessor_start, const int32_t * predecessors, int32_t goal,
  int32_t * distance, int32_t * queue)
{
  for (int64_t state = 0; state < num_states; state++) {
    distance[state] = UNREACHABLE;
  }
  int64_t head = 0, tail = 0;
  distance[goal] = 0;
  queue[tail++] = goal;
  while (head < tail) {
    const int32_t state = queue[head++];
    for (int64_t k = predecessor_start[state]; k < predecessor_start[state + 1]; k++) {
      const int32_t before = predecessors[k];
      if (distance[before] == UNREACHABLE) {
        distance[before] = distance[state] + 1;
        queue[tail++] = before;
      }
    }
  }
}

/* The compiler makes a copy of these for the sizes it is told: numbers of one byte are usual. */
#define INLINE static inline __attribute__((always_inline))

/* Return the actions whose successor is nearest; all of them if none leads to the goal. */
INLINE uint64_t nearest(int64_t num_actions, const int32_t * successors, const int32_t * distance)
{
  uint32_t least = UINT32_MAX; /* unreachable, as an unsigned number, is the farthest */
  uint64_t best = 0;
  for (int64_t action = 0; action < num_actions; action++) {
    const uint32_t steps = (uint32_t)distance[successors[action]];
    if (steps < least) {
      least = steps;
      best = 0;
    }
    best |= (uint64_t)(steps == least) << action;
  }
  return best;
}

INLINE void write_sets(
  int64_t num_states, int64_t num_actions, const int32_t * successors, const int32_t * distance,
  uint8_t * out, int64_t bits_size)
{
  for (int64_t state = 0; state < num_states; state++) {
    const uint64_t word = nearest(num_actions, successors + state * num_actions, distance);
    memcpy(out + state * bits_size, &word, (size_t)bits_size); /* little-endian */
  }
}

/* From the sets of one goal after another to those of one state after another, tile by tile. */
INLINE void transpose(
  int64_t num_states, int64_t size, const uint8_t * sets, uint8_t * bits, int64_t stride,
  int64_t bits_size)
{
  for (int64_t first = 0; first < num_states; first += GROUP) {
    const int64_t last = num_states - first < GROUP ? num_states : first + GROUP;
    for (int64_t g = 0; g < size; g++) {
      for (int64_t state = first; state < last; state++) {
        memcpy(
          bits + (size_t)((state * stride + g) * bits_size),
          sets + (size_t)((g * num_states + state) * bits_size), (size_t)bits_size);
      }
    }
  }
}

int gbs_goals(
  int64_t num_states, int64_t num_actions, const int32_t * successors,
  const int64_t * predecessor_start, const int32_t * predecessors, const int32_t * goals,
  int64_t num_goals, uint8_t * bits, int64_t bits_size, int64_t bits_stride, int32_t * distances)
{
  const size_t count = (size_t)num_states;
  int32_t * distance = malloc(count * 2 * sizeof(int32_t));
  uint8_t * sets = malloc(count * GROUP * (size_t)bits_size);
  if (distance == NULL || sets == NULL) {
    free(distance);
    free(sets);
    return -1;
  }
  for (int64_t first = 0; first < num_goals; first += GROUP) {
    const int64_t size = num_goals - first < GROUP ? num_goals - first : GROUP;
    for (int64_t g = 0; g < size; g++) {
      search(
        num_states, predecessor_start, predecessors, goals[first + g], distance,
        distance + num_states);
      uint8_t * out = sets + (size_t)(g * num_states * bits_size);
      if (num_actions == 4 && bits_size == 1) {
        write_sets(num_states, 4, successors, distance, out, 1);
      } else {
        write_sets(num_states, num_actions, successors, distance, out, bits_size);
      }
      if (distances != NULL) {
        memcpy(distances + (first + g) * num_states, distance, count * sizeof(int32_t));
      }
    }
    if (bits_size == 1) {
      transpose(num_states, size, sets, bits + first, bits_stride, 1);
    } else {
      transpose(num_states, size, sets, bits + first * bits_size, bits_stride, bits_size);
    }
  }
  free(distance);
  free(sets);
  return 0;
}
