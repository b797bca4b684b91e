/*
 * The probability of all policies that call an action optimal, for every class of states.
 *
 * Four policies at a time: a table knows the probability of every combination of the bits that one
 * action has in four sets. Four additions become one. Tables for eight sets would save more, but do
 * not fit into the innermost cache, which takes longer; so do sums of eight under a mask (AVX-512).
 *
 * In most worlds that one can walk through, neighbours have almost the same sets: a step changes the
 * optimal actions of few policies. There the sums of a class are those of the class before and what
 * has changed, begun again every GBS_ANCHOR classes so that rounding does not pile up.
 */

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernel.h"

#define POLICIES 512  /* whose tables, 16 kB, stay in the innermost cache */
#define CLASSES 512   /* gone through with the same tables */
#define STEP 16       /* policies that are looked at together */
#define TABLE_SIZE 16 /* of four policies */
#define SCANNED 64    /* policies that are compared together */

/* Return bit `action` of sixteen bytes as one number. */
static inline __attribute__((always_inline)) unsigned bits_of(const uint8_t * bytes, int64_t action)
{
#ifdef __SSE2__
  const __m128i sixteen = _mm_loadu_si128((const __m128i *)bytes);
  return (unsigned)_mm_movemask_epi8(_mm_slli_epi16(sixteen, (int)(7 - action)));
#else
  unsigned found = 0;
  for (int half = 0; half < 2; half++) {
    uint64_t eight;
    memcpy(&eight, bytes + 8 * half, 8);
    eight = (eight >> action) & UINT64_C(0x0101010101010101);
    found |= (unsigned)((eight * UINT64_C(0x0102040810204080)) >> 56) << (8 * half);
  }
  return found;
#endif
}

/* tables[16 k + m]: the probability of those policies 4 k .. 4 k + 3 whose bits are set in m. */
static void fill_tables(double * tables, const double * probabilities, int64_t count)
{
  for (int64_t policy = 0; policy < count; policy += 4) {
    double * sums = tables + policy / 4 * TABLE_SIZE;
    sums[0] = 0.0;
    for (int bit = 0; bit < 4; bit++) {
      const double p = policy + bit < count ? probabilities[policy + bit] : 0.0;
      for (int m = 0; m < 1 << bit; m++) {
        sums[m | 1 << bit] = sums[m] + p;
      }
    }
  }
}

/*
 * Add up, for the first `actions` actions of a byte, what the tables say of the sets of a class.
 * Two sums for each action, so that one addition need not wait for the other.
 */
static inline __attribute__((always_inline)) void add_class(
  const uint8_t * sets, int64_t count, int64_t actions, const double * tables, double * sums)
{
  double even[8] = {0.0}, odd[8] = {0.0};
  for (int64_t policy = 0; policy < count; policy += 16) {
    const double * four = tables + policy / 4 * TABLE_SIZE;
    for (int64_t action = 0; action < actions; action++) {
      const unsigned found = bits_of(sets + policy, action);
      even[action] += four[found & 15] + four[TABLE_SIZE + (found >> 4 & 15)];
      odd[action] += four[2 * TABLE_SIZE + (found >> 8 & 15)] +
        four[3 * TABLE_SIZE + (found >> 12)];
    }
  }
  for (int64_t action = 0; action < actions; action++) {
    sums[action] += even[action] + odd[action];
  }
}

/* The compiler unrolls the loop over actions where it knows their number. */
static void add_any_class(
  const uint8_t * sets, int64_t count, int64_t actions, const double * tables, double * sums)
{
  switch (actions) {
    case 2:
      add_class(sets, count, 2, tables, sums);
      break;
    case 4:
      add_class(sets, count, 4, tables, sums);
      break;
    case 5:
      add_class(sets, count, 5, tables, sums);
      break;
    case 8:
      add_class(sets, count, 8, tables, sums);
      break;
    default:
      add_class(sets, count, actions, tables, sums);
  }
}

/* Copy byte `byte` of the sets of policies first .. last - 1 of a row; the rest is 0. */
static void copy_sets(
  const uint8_t * row, int64_t bits_size, int64_t byte, const int32_t * live, int64_t first,
  int64_t last, uint8_t copy[POLICIES])
{
  const int64_t count = last - first;
  memset(copy + count, 0, (size_t)((count + STEP - 1) / STEP * STEP - count));
  if (live == NULL && bits_size == 1) {
    memcpy(copy, row + first, (size_t)count);
    return;
  }
  for (int64_t k = first; k < last; k++) {
    copy[k - first] = row[(live == NULL ? k : live[k]) * bits_size + byte];
  }
}

/* Whose sets are added up, and with which probabilities. */
typedef struct {
  const uint8_t * bits;
  int64_t bits_size, num_policies, num_actions;
  const int32_t * live; /* NULL: all policies */
  int64_t count;        /* of those */
  const double * tables;
} sets;

/* Add up the sets of classes top .. bottom - 1 into sums: [bottom - top, A]. */
static void add_classes(const sets * s, int64_t top, int64_t bottom, double * sums)
{
  const int64_t width = TABLE_SIZE / 4; /* numbers in the tables for each policy */
  memset(sums, 0, (size_t)((bottom - top) * s->num_actions) * sizeof(double));
  for (int64_t first = 0; first < s->count; first += POLICIES) {
    const int64_t last = s->count - first < POLICIES ? s->count : first + POLICIES;
    const int64_t copied = s->live != NULL || s->bits_size > 1 ? last - first
                                                               : (last - first) % STEP;
    const int64_t whole = last - copied;
    for (int64_t i = top; i < bottom; i++) {
      const uint8_t * row = s->bits + (size_t)(i * s->num_policies * s->bits_size);
      for (int64_t byte = 0; 8 * byte < s->num_actions; byte++) {
        const int64_t actions = s->num_actions - 8 * byte < 8 ? s->num_actions - 8 * byte : 8;
        double * own = sums + (i - top) * s->num_actions + 8 * byte;
        add_any_class(row + first, whole - first, actions, s->tables + width * first, own);
        if (whole < last) {
          uint8_t copy[POLICIES];
          copy_sets(row, s->bits_size, byte, s->live, whole, last, copy);
          add_any_class(copy, last - whole, actions, s->tables + width * whole, own);
        }
      }
    }
  }
}

/* Cut off what rounding has added to a probability; write the largest of each class. */
static void finish(double * sums, int64_t num_classes, int64_t num_actions, double * largest)
{
  for (int64_t i = 0; i < num_classes; i++) {
    double best = 0.0;
    for (int64_t action = 0; action < num_actions; action++) {
      double * sum = sums + i * num_actions + action;
      *sum = *sum < 0.0 ? 0.0 : *sum > 1.0 ? 1.0 : *sum;
      best = *sum > best ? *sum : best;
    }
    if (largest != NULL) {
      largest[i] = best;
    }
  }
}

int gbs_mass(
  const uint8_t * bits, int64_t bits_size, int64_t num_classes, int64_t num_policies,
  int64_t num_actions, const int32_t * live, int64_t num_live, const double * probabilities,
  double * mass, double * largest)
{
  const int64_t count = live == NULL ? num_policies : num_live;
  const int64_t size = TABLE_SIZE / 4 * (count + STEP);
  const int64_t most = num_classes < CLASSES ? num_classes : CLASSES;
  double * tables = calloc((size_t)(size + most * num_actions), sizeof(*tables));
  if (tables == NULL) {
    return -1;
  }
  fill_tables(tables, probabilities, count);
  const sets all = {bits, bits_size, num_policies, num_actions, live, count, tables};
  for (int64_t top = 0; top < num_classes; top += CLASSES) {
    const int64_t bottom = num_classes - top < CLASSES ? num_classes : top + CLASSES;
    double * sums = mass == NULL ? tables + size : mass + top * num_actions;
    add_classes(&all, top, bottom, sums);
    finish(sums, bottom - top, num_actions, largest == NULL ? NULL : largest + top);
  }
  free(tables);
  return 0;
}

/* Write down where a row differs from the row before; return how often, or -1: there is no room. */
static int64_t write_changes(
  const uint8_t * row, int64_t num_policies, uint32_t * changes, int64_t room)
{
  const uint8_t * before = row - num_policies;
  int64_t found = 0;
  for (int64_t first = 0; first < num_policies; first += SCANNED) {
    const int64_t last = num_policies - first < SCANNED ? num_policies : first + SCANNED;
    if (memcmp(row + first, before + first, (size_t)(last - first)) == 0) {
      continue;
    }
    for (int64_t policy = first; policy < last; policy++) {
      const uint32_t is = row[policy], was = before[policy];
      if (is != was) {
        if (found == room) {
          return -1;
        }
        changes[found++] = (uint32_t)policy | (is & ~was) << 16 | (was & ~is) << 24;
      }
    }
  }
  return found;
}

int gbs_changes(
  const uint8_t * bits, int64_t first, int64_t last, int64_t num_policies, int64_t room,
  uint32_t * changes, int64_t * start, int32_t * count, int64_t * too_many)
{
  int64_t used = first * room;
  for (int64_t i = first; i < last; i++) {
    start[i] = used;
    count[i] = 0;
    if (i % GBS_ANCHOR != 0) {
      const uint8_t * row = bits + (size_t)(i * num_policies);
      const int64_t found = write_changes(row, num_policies, changes + used, last * room - used);
      if (found < 0) {
        *too_many = 1;
        return 0;
      }
      count[i] = (int32_t)found;
      used += found;
    }
  }
  return 0;
}

int gbs_mass_by_changes(
  const uint8_t * bits, int64_t first, int64_t last, int64_t num_policies, int64_t num_actions,
  const uint32_t * changes, const int64_t * start, const int32_t * count,
  const double * probabilities, double * mass, double * largest)
{
  double * tables = calloc((size_t)(TABLE_SIZE / 4 * (num_policies + STEP)), sizeof(*tables));
  if (tables == NULL) {
    return -1;
  }
  fill_tables(tables, probabilities, num_policies);
  const sets all = {bits, 1, num_policies, num_actions, NULL, num_policies, tables};
  double sums[8] = {0.0}, own[8];
  for (int64_t i = first; i < last; i++) {
    if (i % GBS_ANCHOR == 0) {
      add_classes(&all, i, i + 1, sums);
    }
    for (int64_t k = start[i]; k < start[i] + count[i]; k++) {
      const double p = probabilities[changes[k] & 0xffff];
      for (unsigned gained = changes[k] >> 16 & 0xff; gained != 0; gained &= gained - 1) {
        sums[__builtin_ctz(gained)] += p;
      }
      for (unsigned lost = changes[k] >> 24; lost != 0; lost &= lost - 1) {
        sums[__builtin_ctz(lost)] -= p;
      }
    }
    double * place = mass == NULL ? own : mass + i * num_actions;
    memcpy(place, sums, (size_t)num_actions * sizeof(double));
    finish(place, 1, num_actions, largest == NULL ? NULL : largest + i);
  }
  free(tables);
  return 0;
}

int gbs_patterns(const uint8_t * bits, int64_t bits_size, int64_t count, uint8_t * seen)
{
  if (bits_size == 1) {
    for (int64_t k = 0; k < count; k++) {
      seen[bits[k]] = 1;
    }
  } else {
    for (int64_t k = 0; k < count; k++) {
      seen[bits[2 * k] | bits[2 * k + 1] << 8] = 1;
    }
  }
  return 0;
}
