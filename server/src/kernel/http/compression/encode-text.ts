import { TurnTimer } from "#kernel/work/turn-timer.ts";

/** A shorter text is encoded within a millisecond. */
const ENCODED_AT_ONCE_CHARACTERS = 500_000;
const PART_CHARACTERS = 128 * 1024;

export const isLongText = (text: string): boolean => text.length > ENCODED_AT_ONCE_CHARACTERS;

/** Encodes a text as UTF-8. A long text is encoded in several event loop turns. */
export async function encodeInTurns(text: string): Promise<Buffer> {
  if (!isLongText(text)) return Buffer.from(text);
  const turn = new TurnTimer();
  // Several large responses that end at the same time are sent in separate turns.
  await turn.next();
  const parts: Buffer[] = [];
  for (let at = 0; at < text.length;) {
    if (turn.isOver()) await turn.next();
    const end = endOfPart(text, at + PART_CHARACTERS);
    parts.push(Buffer.from(text.slice(at, end)));
    at = end;
  }
  return joinInTurns(parts, turn);
}

/** Keeps surrogate pairs together. */
function endOfPart(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? end + 1 : end;
}

/** Copies the parts one by one, because the first write to a large buffer's memory is the most expensive. */
async function joinInTurns(parts: readonly Buffer[], turn: TurnTimer): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    if (turn.isOver()) await turn.next();
    at += part.copy(whole, at);
  }
  return whole;
}
