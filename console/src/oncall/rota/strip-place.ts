/** Positions on a timeline, in percent of its length. */

export interface Span {
  readonly from: string;
  readonly until: string;
}

/** The displayed period. */
export interface Frame {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Place {
  readonly left: number;
  readonly width: number;
}

const FULL = 100;

/** Returns the position of a period on the timeline; undefined if it is outside. */
export function placeSpan({ from, until }: Span, frame: Frame): Place | undefined {
  const begin = Math.max(Date.parse(from), frame.fromMs);
  const end = Math.min(Date.parse(until), frame.untilMs);
  if (end <= begin) return undefined;
  const share = FULL / (frame.untilMs - frame.fromMs);
  return { left: (begin - frame.fromMs) * share, width: (end - begin) * share };
}

/** Returns the time at a position on the timeline, rounded to a step. */
export function momentAt(share: number, { fromMs, untilMs }: Frame, stepMs: number): number {
  const inside = Math.max(0, Math.min(1, share));
  const ms = fromMs + inside * (untilMs - fromMs);
  return fromMs + Math.round((ms - fromMs) / stepMs) * stepMs;
}

/** Returns the period between two times of a drag in any order, at least one step long. */
export function spanOf(oneMs: number, otherMs: number, stepMs: number): Span {
  const [first, last] = [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)];
  const untilMs = Math.max(last, first + stepMs);
  return { from: new Date(first).toISOString(), until: new Date(untilMs).toISOString() };
}

/** Returns the periods that overlap another one. */
export function touching<S extends Span>(spans: readonly S[], span: Span): readonly S[] {
  return spans.filter(
    ({ from, until }) =>
      Date.parse(from) < Date.parse(span.until) && Date.parse(until) > Date.parse(span.from),
  );
}
