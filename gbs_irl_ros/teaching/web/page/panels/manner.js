// Where to go is clear, how is not: then one region is asked about, and not a list of tasks.

const CLEAR = 0.8;          // of the likeliest place
const OPEN = 0.1;           // that something else holds than what is likeliest of a region

/** The region that is most in doubt; null if it is not clear where to go, or nothing is open. */
export function openManner({ asked, belief, group }) {
  const { places, regions } = belief?.facets ?? {};
  if (asked?.kind !== 'task' || group !== null || !belief.answers || !regions?.length
    || !places.some(({ probability }) => probability >= CLEAR)) return null;
  const doubt = ({ manners }) => {
    const shares = Object.values(manners);
    return shares.reduce((sum, share) => sum + share, 0) - Math.max(...shares);
  };
  const [first] = [...regions].sort((one, other) => doubt(other) - doubt(one));
  return doubt(first) >= OPEN ? first : null;
}
