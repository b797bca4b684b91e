/* Strongly connected components: Tarjan's algorithm, with a stack of its own. */

#include <stdlib.h>

#include "kernel.h"

#define UNSEEN (-1)

/* Components are numbered as they are completed: one that leads into others comes after them. */
int gbs_components(
  int64_t num_states, int64_t num_actions, const int64_t * row_start, const int32_t * next,
  int64_t * component_of, int64_t * num_components)
{
  int64_t * room = malloc((size_t)num_states * 5 * sizeof(int64_t));
  if (room == NULL) {
    return -1;
  }
  int64_t * order = room;                  /* when a state was first seen */
  int64_t * lowest = room + num_states;    /* the earliest state on the stack it leads to */
  int64_t * path = room + 2 * num_states;  /* the states being visited */
  int64_t * edge = room + 3 * num_states;  /* the next transition of each to be looked at */
  int64_t * stack = room + 4 * num_states; /* states whose component is not complete */
  int64_t seen = 0, stacked = 0, components = 0;
  for (int64_t state = 0; state < num_states; state++) {
    order[state] = component_of[state] = UNSEEN;
  }
  for (int64_t root = 0; root < num_states; root++) {
    if (order[root] != UNSEEN) {
      continue;
    }
    int64_t depth = 0;
    path[0] = root;
    edge[root] = row_start[root * num_actions];
    order[root] = lowest[root] = seen++;
    stack[stacked++] = root;
    while (depth >= 0) {
      int64_t state = path[depth];
      if (edge[state] < row_start[(state + 1) * num_actions]) {
        int64_t follower = next[edge[state]++];
        if (order[follower] == UNSEEN) {
          order[follower] = lowest[follower] = seen++;
          stack[stacked++] = follower;
          edge[follower] = row_start[follower * num_actions];
          path[++depth] = follower;
        } else if (component_of[follower] == UNSEEN && order[follower] < lowest[state]) {
          lowest[state] = order[follower];
        }
        continue;
      }
      if (lowest[state] == order[state]) {
        int64_t member;
        do {
          member = stack[--stacked];
          component_of[member] = components;
        } while (member != state);
        components++;
      }
      depth--;
      if (depth >= 0 && lowest[state] < lowest[path[depth]]) {
        lowest[path[depth]] = lowest[state];
      }
    }
  }
  *num_components = components;
  free(room);
  return 0;
}

int gbs_version(void)
{
  return GBS_VERSION;
}
