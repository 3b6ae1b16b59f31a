/**
 * Where the log stands for this page. Each answer says how far the log had come before it was read, and the stream
 * begins at the earliest of them: what happens between the first answer and the opening of the stream, which takes
 * seconds on a slow line, is told by it. Ids of events sort as the log does.
 */
let earliest: string | undefined;
/** Where the stream began; what was read before that and answered since may lack what it does not tell. */
let begin: string | undefined;
const first = Promise.withResolvers<void>();

/** Resolves with the first answer of the server, whatever it is. */
export const firstAnswer: Promise<void> = first.promise;

/** The position that a stream has to begin at, or before; undefined where no answer has named one. */
export const earliestPosition = (): string | undefined => earliest;

/** From here on the stream that is being opened tells everything. */
export function beginAt(position: string | undefined): void {
  begin = position;
}

/** After a loss, all that is shown is read again, and what was known of the log is worth nothing. */
export function forgetPositions(): void {
  earliest = undefined;
  begin = undefined;
}

/** A read that is about to be sent. The returned function takes its answer's position, and says if it came too late. */
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
