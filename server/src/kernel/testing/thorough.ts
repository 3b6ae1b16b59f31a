/**
 * True where there is time for all of it. Some tests show a property once and have a longer form: every look of a page,
 * every attack, every moment of a kill. `npm run proof` sets it for them.
 */
export const IS_THOROUGH = process.env["MILLRACE_THOROUGH"] === "1";

/** The number of random attempts: ten times as many where there is time, or the number given. */
export const tries = (few: number, many = 10 * few): number => (IS_THOROUGH ? many : few);
