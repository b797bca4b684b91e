/*
 * The probability of all policies that call an action optimal, for every class of states.
 *
 * Eight policies at a time: the bits of one action in eight sets make a byte, and a table knows
 * the probability of every such byte. Eight additions become one.
 */

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernel.h"

#define POLICIES 512        /* whose tables, 128 kB, stay in the cache */
#define CLASSES 512         /* gone through with the same tables */

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

/* tables[byte][m]: the sum of the probabilities of the policies whose bits are set in m. */
static void fill_tables(double (* tables)[256], const double * probabilities, int64_t count)
{
  for (int64_t policy = 0; policy < count; policy += 8) {
    double * sums = tables[policy / 8];
    sums[0] = 0.0;
    for (int bit = 0; bit < 8; bit++) {
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
  const uint8_t * sets, int64_t words, int64_t actions, double (* tables)[256], double * sums)
{
  double even[8] = {0.0}, odd[8] = {0.0};
  for (int64_t word = 0; word < words; word += 2) {
    for (int64_t action = 0; action < actions; action++) {
      const unsigned both = bits_of(sets + 8 * word, action);
      even[action] += tables[word][both & 255];
      odd[action] += tables[word + 1][both >> 8];
    }
  }
  for (int64_t action = 0; action < actions; action++) {
    sums[action] += even[action] + odd[action];
  }
}

/* The compiler unrolls the loop over actions where it knows their number. */
static void add_any_class(
  const uint8_t * sets, int64_t words, int64_t actions, double (* tables)[256], double * sums)
{
  switch (actions) {
    case 2:
      add_class(sets, words, 2, tables, sums);
      break;
    case 4:
      add_class(sets, words, 4, tables, sums);
      break;
    case 5:
      add_class(sets, words, 5, tables, sums);
      break;
    case 8:
      add_class(sets, words, 8, tables, sums);
      break;
    default:
      add_class(sets, words, actions, tables, sums);
  }
}

/* Copy byte `byte` of the sets of policies first .. last - 1 of a row; the rest is 0. */
static void copy_sets(
  const uint8_t * row, int64_t bits_size, int64_t byte, const int32_t * live, int64_t first,
  int64_t last, uint8_t copy[POLICIES])
{
  memset(copy, 0, POLICIES);
  for (int64_t k = first; k < last; k++) {
    copy[k - first] = row[(live == NULL ? k : live[k]) * bits_size + byte];
  }
}

int gbs_mass(
  const uint8_t * bits, int64_t bits_size, int64_t num_classes, int64_t num_policies,
  int64_t num_actions, const int32_t * live, int64_t num_live, const double * probabilities,
  double * mass)
{
  const int64_t count = live == NULL ? num_policies : num_live;
  double (* tables)[256] = calloc((size_t)(count / 8 + 2), sizeof(*tables));
  if (tables == NULL) {
    return -1;
  }
  fill_tables(tables, probabilities, count);
  memset(mass, 0, (size_t)(num_classes * num_actions) * sizeof(double));
  for (int64_t top = 0; top < num_classes; top += CLASSES) {
    const int64_t bottom = num_classes - top < CLASSES ? num_classes : top + CLASSES;
    for (int64_t first = 0; first < count; first += POLICIES) {
      const int64_t last = count - first < POLICIES ? count : first + POLICIES;
      const int whole = live == NULL && bits_size == 1 && last - first == POLICIES;
      for (int64_t i = top; i < bottom; i++) {
        const uint8_t * row = bits + (size_t)(i * num_policies * bits_size);
        for (int64_t byte = 0; 8 * byte < num_actions; byte++) {
          uint8_t copy[POLICIES];
          if (!whole) {
            copy_sets(row, bits_size, byte, live, first, last, copy);
          }
          const int64_t actions = num_actions - 8 * byte < 8 ? num_actions - 8 * byte : 8;
          add_any_class(whole ? row + first : copy, (last - first + 7) / 8, actions,
            tables + first / 8, mass + i * num_actions + 8 * byte);
        }
      }
    }
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
