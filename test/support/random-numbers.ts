// Random numbers from a printed seed, so that a failed run can be repeated.

/** A small random number generator (xorshift), with numbers from 0 to below 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}
