/* The rewards of a batch, from sparse weights and features to one number for each place. */

#include <math.h>
#include <string.h>

#include "lanes.h"

#define SMALL 1e-10 /* rewards between these are taken as they are */
#define LARGE 1e10

FOR_EVERY_PROCESSOR
int gbs_fill_rewards(
  const gbs_world * w, const gbs_rewards * r, int64_t first, int64_t count,
  const int32_t * place_of, lanes * weights, lanes * rewards, double scale[LANES], lanes * largest)
{
  const int64_t actions = r->per_action ? w->num_actions : 1;
  const int64_t columns = w->num_states * actions;
  if (r->num_features > 0) {
    memset(weights, 0, (size_t)r->num_features * sizeof(lanes));
  } else {
    memset(rewards, 0, (size_t)columns * sizeof(lanes));
  }
  for (int lane = 0; lane < count; lane++) {
    const int64_t reward = first + lane;
    for (int64_t k = r->weight_start[reward]; k < r->weight_start[reward + 1]; k++) {
      const int64_t column = r->weight_column[k];
      if (r->num_features > 0) {
        weights[column][lane] = r->weight_value[k];
      } else {
        rewards[place_of[column / actions] * actions + column % actions][lane] = r->weight_value[k];
      }
    }
  }
  lanes high = all_lanes(0.0), low = all_lanes(0.0);
  for (int64_t place = 0; place < w->num_states; place++) {
    for (int64_t action = 0; action < actions; action++) {
      lanes sum = rewards[place * actions + action];
      if (r->num_features > 0) {
        const int64_t column = w->state_of[place] * actions + action;
        sum = all_lanes(0.0);
        for (int64_t k = r->feature_start[column]; k < r->feature_start[column + 1]; k++) {
          sum += r->feature_value[k] * weights[r->feature_row[k]];
        }
        rewards[place * actions + action] = sum;
      }
      high = select_lanes(sum > high, sum, high);
      low = select_lanes(sum < low, sum, low);
    }
  }
  lanes factor = all_lanes(1.0);
  int usual = 1;
  for (int lane = 0; lane < LANES; lane++) {
    const double size = high[lane] > -low[lane] ? high[lane] : -low[lane];
    int exponent = 0;
    scale[lane] = 1.0;
    if (size > 0.0 && (size < SMALL || size > LARGE)) {
      frexp(size, &exponent);
      exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
      scale[lane] = ldexp(1.0, exponent);
      usual = 0;
    }
    factor[lane] = 1.0 / scale[lane];
    (*largest)[lane] = size * factor[lane];
  }
  for (int64_t entry = 0; !usual && entry < columns; entry++) {
    rewards[entry] *= factor;
  }
  return any((high > 0.0) & (low < 0.0));
}
