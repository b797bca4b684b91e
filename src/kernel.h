/*
 * The compiled part of gbs_irl_ros: planning for many rewards at once, breadth-first search from
 * goals, and sums over greedy sets. Plain C without Python's headers: core/planning/kernel.py calls it
 * through ctypes, which gives up the interpreter's lock meanwhile.
 *
 * Every function returns 0, or -1 if there is no memory. None keeps anything between calls, so
 * calls may run in parallel.
 */
#ifndef GBS_IRL_ROS_KERNEL_H_
#define GBS_IRL_ROS_KERNEL_H_

#include <stdint.h>

#define GBS_VERSION 2 /* core/planning/kernel.py refuses a library of another version */

#define GBS_ANCHOR 64 /* of this many classes the sets of the first are added up whole */

#define GBS_SOLVED 0
#define GBS_UNFINISHED 1 /* the sweeps ran out */
#define GBS_VANISHED 2   /* values too small for a double decide about actions */

/*
 * An MDP in the order of sweeps. A "place" is a state's position in that order. Staying in the
 * state is solved for: with s = P(x | x, a),
 *     V(x) = max_a gain (r + gamma sum_{y != x} P(y | x, a) V(y)),   gain = 1 / (1 - gamma s).
 */
typedef struct {
  int64_t num_states;
  int64_t num_actions;
  int64_t num_components; /* strongly connected, those without a way out first */
  int64_t deterministic;  /* every row has exactly one entry, of weight 0 if it stays */
  double discount;
  const int64_t * row_start;       /* [S * A + 1] */
  const int32_t * next;            /* places */
  const double * weight;           /* gain gamma P(y | x, a) */
  const double * gain;             /* [S * A] */
  const int64_t * component_start; /* [num_components + 1], places */
  const int32_t * state_of;        /* [S], the state at each place */
} gbs_world;

/* Rewards: rows of `weights`, or of `weights @ features` if there are features. */
typedef struct {
  int64_t per_action;           /* 0: a column is a state; 1: state * A + action */
  int64_t num_features;         /* 0: none */
  const int64_t * weight_start; /* by reward */
  const int32_t * weight_column;
  const double * weight_value;
  const int64_t * feature_start; /* by column of the reward */
  const int32_t * feature_row;
  const double * feature_value;
} gbs_rewards;

/* What gbs_plan writes; values may be NULL, and bits if bits_size is 0. Rewards are counted from `first`. */
typedef struct {
  uint8_t * bits; /* [S, bits_stride] words of bits_size bytes */
  int64_t bits_size;
  int64_t bits_stride; /* words from one state to the next */
  double * values;     /* [last - first, S] */
  int64_t * updates;   /* [last - first], states updated */
  int64_t * status;    /* [last - first] */
  int64_t * where;     /* [last - first], the state at which values vanished */
} gbs_plan_result;

int gbs_version(void);

int gbs_components(
  int64_t num_states, int64_t num_actions, const int64_t * row_start, const int32_t * next,
  int64_t * component_of, int64_t * num_components);

/*
 * initial: [S, 2], V and m to start from, or NULL. extrapolates: where transitions are random, guess
 * now and then what sweeps would arrive at; without it values that start below rise steadily.
 */
int gbs_plan(
  const gbs_world * world, const gbs_rewards * rewards, const double * initial, int64_t first,
  int64_t last, double tie_tolerance, int64_t max_sweeps, int64_t extrapolates,
  gbs_plan_result * result);

int gbs_goals(
  int64_t num_states, int64_t num_actions, const int32_t * successors,
  const int64_t * predecessor_start, const int32_t * predecessors, const int32_t * goals,
  int64_t num_goals, uint8_t * bits, int64_t bits_size, int64_t bits_stride, int32_t * distances);

/* mass: [num_classes, num_actions], largest: [num_classes]; what is not wanted is NULL. */
int gbs_mass(
  const uint8_t * bits, int64_t bits_size, int64_t num_classes, int64_t num_policies,
  int64_t num_actions, const int32_t * live, int64_t num_live, const double * probabilities,
  double * mass, double * largest);

/*
 * Write down where classes first .. last - 1 differ from the class before; sets are bytes, and there
 * are at most 2^16 policies. A change is a policy (16 bits), the actions that its set gains and those
 * that it loses (8 bits each); those of class i are count[i] from start[i] on. There is room for
 * `room` changes per class on average; too_many is set to 1 where that is not enough.
 */
int gbs_changes(
  const uint8_t * bits, int64_t first, int64_t last, int64_t num_policies, int64_t room,
  uint32_t * changes, int64_t * start, int32_t * count, int64_t * too_many);

/* The same as gbs_mass for classes first .. last - 1; first is a multiple of GBS_ANCHOR. */
int gbs_mass_by_changes(
  const uint8_t * bits, int64_t first, int64_t last, int64_t num_policies, int64_t num_actions,
  const uint32_t * changes, const int64_t * start, const int32_t * count,
  const double * probabilities, double * mass, double * largest);

/* seen: [2^8 or 2^16], set to 1 for every number among `count` ones of one or two bytes. */
int gbs_patterns(const uint8_t * bits, int64_t bits_size, int64_t count, uint8_t * seen);

#endif /* GBS_IRL_ROS_KERNEL_H_ */
