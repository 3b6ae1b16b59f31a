/**
 * True in thorough runs. Some tests check a property once and have a longer form for all page variants, attacks or
 * kill times. `npm run proof` sets it.
 */
export const IS_THOROUGH = process.env["MILLRACE_THOROUGH"] === "1";

/** The number of random attempts: in thorough runs ten times as many, or the given number. */
export const tries = (few: number, many = 10 * few): number => (IS_THOROUGH ? many : few);
