const MULTIPLIER = 1_103_515_245;
const INCREMENT = 12_345;
const MODULUS = 2 ** 31;

/** Rolls the same numbers for the same seed: a picture that is taken again differs by what has changed alone. */
export function dice(seed: number): (sides: number) => number {
  let state = (seed * 7_919 + 17) % MODULUS;
  return (sides) => {
    state = Number((BigInt(state) * BigInt(MULTIPLIER) + BigInt(INCREMENT)) % BigInt(MODULUS));
    return Math.floor((state / MODULUS) * sides);
  };
}
