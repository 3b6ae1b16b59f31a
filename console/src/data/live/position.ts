/**
 * The log position of this page. Each response contains the log position before it was read, and the stream starts
 * at the earliest of them. So it includes events between the first response and the opening of the stream, which
 * can take seconds. Event ids sort in log order.
 */
let earliest: string | undefined;
/**
 * The start of the stream. A response read earlier but received later can miss changes not reported by the
 * stream.
 */
let begin: string | undefined;
const first = Promise.withResolvers<void>();

/** Resolves with the first response, of any status. */
export const firstAnswer: Promise<void> = first.promise;

/** Returns the latest position at which a stream may start; undefined if no response had one. */
export const earliestPosition = (): string | undefined => earliest;

/** Sets the start position of the stream that is being opened. */
export function beginAt(position: string | undefined): void {
  begin = position;
}

/** After lost events, everything is reloaded and earlier positions are invalid. */
export function forgetPositions(): void {
  earliest = undefined;
  begin = undefined;
}

/** Registers a request. The returned function records its position, and returns whether the response came too late. */
export function beginReading(): (position: string | null) => boolean {
  const isBeforeStream = begin === undefined;
  return (position) => {
    first.resolve();
    if (position === null || !isBeforeStream) return false;
    if (begin !== undefined) return position < begin;
    if (earliest === undefined || position < earliest) earliest = position;
    return false;
  };
}
