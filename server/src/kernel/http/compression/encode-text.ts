import { TurnTimer } from "#kernel/work/turn-timer.ts";

/** A shorter text becomes bytes in a millisecond. */
const ENCODED_AT_ONCE_CHARACTERS = 500_000;
const PART_CHARACTERS = 128 * 1024;

export const isLongText = (text: string): boolean => text.length > ENCODED_AT_ONCE_CHARACTERS;

/** The bytes of a text in UTF-8; a long one is encoded in as many turns of the event loop as that takes. */
export async function encodeInTurns(text: string): Promise<Buffer> {
  if (!isLongText(text)) return Buffer.from(text);
  const turn = new TurnTimer();
  // Several large answers that end together are sent in a turn each.
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

/** A character of two code units stays whole. */
function endOfPart(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? end + 1 : end;
}

/** Copies the parts one by one: the memory of a large buffer costs most when it is first written to. */
async function joinInTurns(parts: readonly Buffer[], turn: TurnTimer): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    if (turn.isOver()) await turn.next();
    at += part.copy(whole, at);
  }
  return whole;
}
