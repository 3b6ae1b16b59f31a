/** Moments in the history of a thing, as addresses name them: times of the API. */

/** The change before and the one after a moment. */
export interface Neighbours {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A text that is a time of the API; what is not is no moment, and the present is shown. */
export const isMoment = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text));

/** The moments of changes next to this one, in any order of the list. */
export function neighboursOf(at: string, moments: readonly string[]): Neighbours {
  const now = Date.parse(at);
  const earlier = moments.filter((one) => Date.parse(one) < now).toSorted();
  const later = moments.filter((one) => Date.parse(one) > now).toSorted();
  return { before: earlier.at(-1), after: later[0] };
}
