/*
 * Optimal values for four rewards at a time.
 *
 * Four rewards ("lanes") go through the states together, so that every transition is read once
 * for all of them and the processor works on all of them at once. Values are updated in place,
 * forwards and backwards in turn; strongly connected components are finished one after another,
 * each while it is in the cache. Where transitions are deterministic, a few sweeps are followed by
 * the exact evaluation of the policy found, so that a discount near 1 costs nothing.
 *
 * All accuracies are relative to m(x), the value of |r| under the policy found: far from every
 * reward values are tiny, and yet they tell where to go.
 */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"

#define PREFERENCE 1e-14    /* an action must be better by this much of m to replace one before */
#define SETTLED 4e-14       /* a value has settled if a sweep changes it by less than this of m */
#define SIZE_SETTLED 1e-2   /* m itself is only a scale */
#define SWEEPS_PER_POLICY 4 /* before a policy is evaluated: that costs about three sweeps */
#define EXTRAPOLATE_AFTER 8 /* sweeps */
#define PAUSE 4             /* sweeps from one extrapolation until values are kept for the next, */
#define LONGER 8            /* or this part of all sweeps so far: alone they cannot but converge */
#define DEPTH 4             /* changes that are mixed */
#define RIDGE 1e-14         /* of products of changes, which may be almost the same */
#define NOTHING 1e-200      /* the least of them */
#define LARGEST_SHARES 1e6  /* larger ones say nothing */
#define VANISHING 1e-280    /* of the largest |r|: below, doubles lose their digits */

typedef struct {
  const gbs_world * world;
  const lanes * rewards; /* by place, or by place and action */
  lanes * values;
  lanes * sizes;           /* m; unused, because |V|, where rewards have one sign */
  lanes * past[DEPTH + 1]; /* values after sweeps there and back; the first: of the last policy */
  int32_t * policy;        /* [S][LANES] */
  int32_t * path;          /* [S] */
  uint8_t * mark;          /* [S] */
  int extrapolates;
  lanes largest; /* of |r| */
} batch;

/* Whether things hold for all lanes of a batch: known to the compiler in every copy of a loop. */
typedef struct {
  int deterministic, per_action, mixed;
} kind;

/* q = gain (r + gamma sum_{y != x} P V), and the same of |r| and m. */
INLINE void action_value(
  const batch * b, kind k, int64_t place, int64_t action, lanes * q, lanes * size)
{
  const gbs_world * w = b->world;
  const int64_t row = place * w->num_actions + action;
  const lanes reward = b->rewards[k.per_action ? row : place];
  const int64_t from = k.deterministic ? row : w->row_start[row];
  const int64_t to = k.deterministic ? row + 1 : w->row_start[row + 1];
  *q = reward * w->gain[row];
  if (k.mixed) {
    *size = absolute(reward) * w->gain[row];
  }
  for (int64_t entry = from; entry < to; entry++) {
    const double weight = w->weight[entry];
    const int32_t next = w->next[entry];
    *q += weight * b->values[next];
    if (k.mixed) {
      *size += weight * b->sizes[next];
    }
  }
  if (!k.mixed) {
    *size = absolute(*q);
  }
}

/* Update one state; return in which lanes it moved. */
INLINE flags update(const batch * b, kind k, int64_t place)
{
  lanes best, size;
  action_value(b, k, place, 0, &best, &size);
  for (int64_t action = 1; action < b->world->num_actions; action++) {
    lanes q, its_size;
    action_value(b, k, place, action, &q, &its_size);
    if (k.mixed) {
      const flags better = q > best + PREFERENCE * size;
      best = select_lanes(better, q, best);
      size = select_lanes(better, its_size, size);
    } else {
      best = select_lanes(q > best, q, best);
    }
  }
  if (!k.mixed) {
    size = absolute(best);
  }
  flags moved = absolute(best - b->values[place]) > SETTLED * size;
  b->values[place] = best;
  if (k.mixed) {
    moved |= absolute(size - b->sizes[place]) > SIZE_SETTLED * size;
    b->sizes[place] = size;
  }
  return moved;
}

/* Sweep through a component once; return in which lanes something moved. */
INLINE flags sweep(const batch * b, kind k, int64_t from, int64_t to, int backwards)
{
  flags moved = {0};
  if (backwards) {
    for (int64_t place = to - 1; place >= from; place--) {
      moved |= update(b, k, place);
    }
  } else {
    for (int64_t place = from; place < to; place++) {
      moved |= update(b, k, place);
    }
  }
  return moved;
}

/* Write the first of the best actions of every state. */
INLINE void choose_actions(const batch * b, kind k, int64_t from, int64_t to)
{
  for (int64_t place = from; place < to; place++) {
    lanes best, size;
    flags chosen = {0};
    action_value(b, k, place, 0, &best, &size);
    for (int64_t action = 1; action < b->world->num_actions; action++) {
      lanes q, its_size;
      action_value(b, k, place, action, &q, &its_size);
      const flags better = q > best + PREFERENCE * size;
      best = select_lanes(better, q, best);
      size = select_lanes(better, its_size, size);
      chosen = (chosen & ~better) | (better & action);
    }
    for (int lane = 0; lane < LANES; lane++) {
      b->policy[place * LANES + lane] = (int32_t)chosen[lane];
    }
  }
}

/* The reward of the action that a lane's policy takes, and where it leads. */
INLINE double step(const batch * b, kind k, int64_t place, int lane, int64_t * next)
{
  const int64_t row = place * b->world->num_actions + b->policy[place * LANES + lane];
  *next = b->world->weight[row] == 0.0 ? place : b->world->next[row];
  return b->rewards[k.per_action ? row : place][lane];
}

/*
 * Evaluate a deterministic policy exactly: follow it until something known, or a cycle, whose value
 * is a geometric series; then go back along the path.
 */
INLINE void evaluate(const batch * b, kind k, int64_t from, int64_t to, int lane)
{
  enum { UNKNOWN, ON_PATH, KNOWN };
  const double discount = b->world->discount;
  memset(b->mark + from, UNKNOWN, (size_t)(to - from));
  for (int64_t start = from; start < to; start++) {
    int64_t length = 0, place = start;
    while (place >= from && place < to && b->mark[place] == UNKNOWN) {
      int64_t next;
      step(b, k, place, lane, &next);
      b->mark[place] = ON_PATH;
      b->path[length++] = (int32_t)place;
      place = next;
    }
    if (place >= from && place < to && b->mark[place] == ON_PATH) {
      /* Around the cycle once, from its last state to its first. */
      double value = 0.0, size = 0.0, factor = 1.0;
      int64_t first = length;
      do {
        int64_t next;
        const double reward = step(b, k, b->path[--first], lane, &next);
        value = reward + discount * value;
        size = fabs(reward) + discount * size;
        factor *= discount;
      } while (b->path[first] != place);
      b->values[place][lane] = value / (1.0 - factor);
      if (k.mixed) {
        b->sizes[place][lane] = size / (1.0 - factor);
      }
      b->mark[place] = KNOWN;
    }
    while (length > 0) {
      const int32_t back = b->path[--length];
      if (b->mark[back] == KNOWN) {
        continue;
      }
      int64_t next;
      const double reward = step(b, k, back, lane, &next);
      b->values[back][lane] = reward + discount * b->values[next][lane];
      if (k.mixed) {
        b->sizes[back][lane] = fabs(reward) + discount * b->sizes[next][lane];
      }
      b->mark[back] = KNOWN;
    }
  }
}

/*
 * Two sweeps, there and back, do nearly the same linear thing to what is left to do every time. The
 * mixture of the last changes that is smallest, relative to m, says where they lead to: the same
 * mixture of values (reduced rank extrapolation: Mesina 1977, Eddy 1979). It need not be right:
 * values are only a start for further sweeps.
 */
INLINE void remember(const batch * b, int64_t from, int64_t to, int which)
{
  memcpy(b->past[which] + from, b->values + from, (size_t)(to - from) * sizeof(lanes));
}

/* Solve `products` x = 1 for each lane by elimination; the lower half of them is given. */
INLINE void solve_products(lanes products[DEPTH][DEPTH], lanes x[DEPTH])
{
  for (int i = 0; i < DEPTH; i++) {
    products[i][i] += RIDGE * products[i][i] + NOTHING;
    x[i] = all_lanes(1.0);
  }
  for (int i = 0; i < DEPTH; i++) {
    for (int j = i + 1; j < DEPTH; j++) {
      const lanes factor = products[j][i] / products[i][i];
      for (int below = j; below < DEPTH; below++) {
        products[below][j] -= factor * products[below][i];
      }
      x[j] -= factor * x[i];
    }
  }
  for (int i = DEPTH - 1; i >= 0; i--) {
    for (int j = i + 1; j < DEPTH; j++) {
      x[i] -= products[j][i] * x[j];
    }
    x[i] /= products[i][i];
  }
}

INLINE void extrapolate(const batch * b, kind k, int64_t from, int64_t to)
{
  lanes products[DEPTH][DEPTH], shares[DEPTH];
  memset(products, 0, sizeof(products));
  for (int64_t place = from; place < to; place++) {
    const lanes size = absolute(k.mixed ? b->sizes[place] : b->values[place]) + DBL_MIN;
    lanes change[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
      change[i] = (b->past[i + 1][place] - b->past[i][place]) / size;
      for (int j = 0; j <= i; j++) {
        products[i][j] += change[i] * change[j];
      }
    }
  }
  solve_products(products, shares);
  lanes total = all_lanes(0.0), largest = all_lanes(0.0);
  for (int i = 0; i < DEPTH; i++) {
    total += shares[i];
  }
  for (int i = 0; i < DEPTH; i++) {
    shares[i] /= total;
    largest += absolute(shares[i]);
  }
  const flags useful = largest < LARGEST_SHARES; /* and a number */
  for (int64_t place = from; place < to; place++) {
    lanes mixture = all_lanes(0.0);
    for (int i = 0; i < DEPTH; i++) {
      mixture += shares[i] * b->past[i + 1][place];
    }
    b->values[place] = select_lanes(useful, mixture, b->values[place]);
  }
}

/* Keep the values of a policy; return in which lanes they are better than those of the last one. */
INLINE flags improvement(const batch * b, kind k, int64_t from, int64_t to)
{
  flags improved = {0};
  for (int64_t place = from; place < to; place++) {
    const lanes size = k.mixed ? b->sizes[place] : absolute(b->values[place]);
    improved |= b->values[place] - b->past[0][place] > SETTLED * size;
    b->past[0][place] = b->values[place];
  }
  return improved;
}

/* Solve one component; return the sweeps it took. Lanes that are not done are left in `moving`. */
INLINE int64_t solve_component(
  const batch * b, kind k, int64_t from, int64_t to, int64_t max_sweeps, flags * moving)
{
  int64_t sweeps = 0, next = EXTRAPOLATE_AFTER;
  int kept = 0;     /* of `past` */
  flags done = {0}; /* the last policy could not be improved, whatever rounding says */
  for (;;) {
    const flags moved = sweep(b, k, from, to, sweeps % 2 == 1) & ~done;
    sweeps++;
    if (!any(moved)) {
      return sweeps;
    }
    if (sweeps >= max_sweeps) {
      *moving |= moved;
      return sweeps;
    }
    if (k.deterministic && sweeps % SWEEPS_PER_POLICY == 0) {
      choose_actions(b, k, from, to);
      for (int lane = 0; lane < LANES; lane++) {
        if (moved[lane]) {
          evaluate(b, k, from, to, lane);
        }
      }
      const flags improved = improvement(b, k, from, to);
      if (sweeps > SWEEPS_PER_POLICY) {
        done |= ~improved;
      }
    } else if (!k.deterministic && b->extrapolates) {
      if (sweeps >= next && sweeps % 2 == 0) {
        remember(b, from, to, kept++);
        if (kept > DEPTH) {
          extrapolate(b, k, from, to);
          kept = 0;
          next = sweeps + (sweeps / LONGER > PAUSE ? sweeps / LONGER : PAUSE);
        }
      }
    }
  }
}

/*
 * Find all actions that tie with the best: Q >= max Q - tolerance M, with
 * M(x) = max_a |r| + gamma sum_y P m. With u the value that `action_value` gives, Q is
 * V + (u - V) / gain, and likewise for sizes.
 */
INLINE void find_ties(
  const batch * b, kind k, double tolerance, int64_t first, int64_t count, int64_t size_of_word,
  gbs_plan_result * result)
{
  const gbs_world * w = b->world;
  for (int64_t place = 0; place < w->num_states; place++) {
    const int64_t state = w->state_of[place];
    const lanes value = b->values[place];
    const lanes old_size = k.mixed ? b->sizes[place] : absolute(value);
    lanes best = all_lanes(-INFINITY), scale = all_lanes(0.0);
    for (int64_t action = 0; action < w->num_actions; action++) {
      lanes q, size;
      action_value(b, k, place, action, &q, &size);
      const double part = 1.0 / w->gain[place * w->num_actions + action];
      q = (q - value) * part;
      size = old_size + (size - old_size) * part;
      best = select_lanes(q > best, q, best);
      scale = select_lanes(size > scale, size, scale);
    }
    const lanes threshold = best - tolerance * scale;
    flags sets = {0};
    for (int64_t action = 0; action < w->num_actions; action++) {
      lanes q, size;
      action_value(b, k, place, action, &q, &size);
      q = (q - value) * (1.0 / w->gain[place * w->num_actions + action]);
      sets |= (q >= threshold) & (int64_t)(UINT64_C(1) << action);
    }
    const flags vanishing = (scale > 0.0) & (scale < VANISHING * b->largest);
    uint8_t * out = result->bits + (size_t)((state * result->bits_stride + first) * size_of_word);
    for (int lane = 0; lane < count; lane++) {
      if (size_of_word > 0) {
        const uint64_t word = (uint64_t)sets[lane];
        memcpy(out + lane * size_of_word, &word, (size_t)size_of_word); /* little-endian */
      }
      if (vanishing[lane] && result->status[first + lane] == GBS_SOLVED) {
        result->status[first + lane] = GBS_VANISHED;
        result->where[first + lane] = state;
      }
    }
  }
}

INLINE void solve_batch(
  const batch * b, kind k, double tolerance, int64_t max_sweeps, int64_t first, int64_t count,
  gbs_plan_result * result)
{
  const gbs_world * w = b->world;
  int64_t updates = 0;
  flags moving = {0};
  for (int64_t c = 0; c < w->num_components; c++) {
    const int64_t from = w->component_start[c], to = w->component_start[c + 1];
    updates += solve_component(b, k, from, to, max_sweeps, &moving) * (to - from);
  }
  for (int64_t lane = 0; lane < count; lane++) {
    result->updates[first + lane] = updates;
    result->status[first + lane] = moving[lane] ? GBS_UNFINISHED : GBS_SOLVED;
    result->where[first + lane] = -1;
  }
  if (result->bits_size == 1 && count == LANES) { /* the usual case, known to the compiler */
    find_ties(b, k, tolerance, first, LANES, 1, result);
  } else {
    find_ties(b, k, tolerance, first, count, result->bits_size, result);
  }
}

/* One copy of everything for each kind of problem. */
FOR_EVERY_PROCESSOR
static void solve_any_batch(
  const batch * b, kind k, double tolerance, int64_t max_sweeps, int64_t first, int64_t count,
  gbs_plan_result * result)
{
#define CASE(d, p, m) \
  if (k.deterministic == d && k.per_action == p && k.mixed == m) { \
    solve_batch(b, (kind){d, p, m}, tolerance, max_sweeps, first, count, result); \
  }
  CASE(0, 0, 0)
  CASE(0, 0, 1)
  CASE(0, 1, 0)
  CASE(0, 1, 1)
  CASE(1, 0, 0)
  CASE(1, 0, 1)
  CASE(1, 1, 0)
  CASE(1, 1, 1)
#undef CASE
}

static void * lanes_of(int64_t count)
{
  const size_t size = (size_t)(count > 0 ? count : 1) * sizeof(lanes);
  return aligned_alloc(sizeof(lanes), size);
}

int gbs_plan(
  const gbs_world * world, const gbs_rewards * rewards, const double * initial, int64_t first,
  int64_t last, double tie_tolerance, int64_t max_sweeps, int64_t extrapolates,
  gbs_plan_result * result)
{
  const int64_t states = world->num_states;
  const int64_t columns = states * (rewards->per_action ? world->num_actions : 1);
  lanes * filled = lanes_of(columns);
  lanes * weights = lanes_of(rewards->num_features);
  batch b = {
    world,
    filled,
    lanes_of(states),
    lanes_of(states),
    {NULL},
    malloc((size_t)states * LANES * sizeof(int32_t)),
    malloc((size_t)states * sizeof(int32_t)),
    malloc((size_t)states),
    extrapolates != 0,
    all_lanes(0.0)};
  const int num_past = !world->deterministic && b.extrapolates ? DEPTH + 1 : 1;
  int enough = 1;
  for (int i = 0; i < num_past; i++) {
    b.past[i] = lanes_of(states);
    enough &= b.past[i] != NULL;
  }
  int32_t * place_of = malloc((size_t)states * sizeof(int32_t));
  enough &= filled != NULL && weights != NULL && b.values != NULL && b.sizes != NULL &&
    b.policy != NULL && b.path != NULL && b.mark != NULL && place_of != NULL;
  if (enough) {
    for (int64_t place = 0; place < states; place++) {
      place_of[world->state_of[place]] = (int32_t)place;
    }
  }
  for (int64_t reward = first; enough && reward < last; reward += LANES) {
    const int64_t count = last - reward < LANES ? last - reward : LANES;
    double scale[LANES];
    const kind k = {
      world->deterministic != 0, rewards->per_action != 0,
      gbs_fill_rewards(
        world, rewards, reward, count, place_of, weights, filled, scale, &b.largest)};
    for (int64_t place = 0; place < states; place++) {
      lanes value = all_lanes(0.0), size = all_lanes(0.0);
      if (initial != NULL) {
        const double * given = initial + 2 * world->state_of[place];
        for (int lane = 0; lane < LANES; lane++) {
          if (b.largest[lane] > 0.0) { /* without a reward the values are known: 0 */
            value[lane] = given[0] / scale[lane];
            size[lane] = given[1] / scale[lane];
          }
        }
      }
      b.values[place] = value;
      b.sizes[place] = size;
    }
    solve_any_batch(&b, k, tie_tolerance, max_sweeps, reward - first, count, result);
    if (result->values != NULL) {
      for (int64_t place = 0; place < states; place++) {
        for (int lane = 0; lane < count; lane++) {
          result->values[(reward - first + lane) * states + world->state_of[place]] =
            b.values[place][lane] * scale[lane];
        }
      }
    }
  }
  free(filled);
  free(weights);
  free(b.values);
  free(b.sizes);
  for (int i = 0; i < num_past; i++) {
    free(b.past[i]);
  }
  free(b.policy);
  free(b.path);
  free(b.mark);
  free(place_of);
  return enough ? 0 : -1;
}
