/** Points in time in the address, as API timestamps. */

/** The changes before and after a time. */
export interface Neighbours {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Returns whether the text is an API timestamp; if it is invalid, the present is shown. */
export const isMoment = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text));

/** Returns the changes before and after this time, from a list in any order. */
export function neighboursOf(at: string, moments: readonly string[]): Neighbours {
  const now = Date.parse(at);
  const earlier = moments.filter((one) => Date.parse(one) < now).toSorted();
  const later = moments.filter((one) => Date.parse(one) > now).toSorted();
  return { before: earlier.at(-1), after: later[0] };
}
