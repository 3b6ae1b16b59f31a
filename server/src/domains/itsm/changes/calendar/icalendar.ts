/** iCalendar format (RFC 5545), limited to what a calendar of changes needs. */

export interface CalendarEntry {
  readonly uid: string;
  /** ISO 8601 in UTC, like the other times. */
  readonly start: string;
  readonly end: string;
  /** The time of the last change. */
  readonly stamp: string;
  /** Increases with each change. */
  readonly sequence: number;
  readonly summary: string;
  readonly description: string;
  readonly status: "TENTATIVE" | "CONFIRMED";
  readonly categories: readonly string[];
}

const LINE_OCTETS_MAX = 75;

/** Formats a calendar. */
export function toICalendar(name: string, entries: readonly CalendarEntry[]): string {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Millrace//Changes//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `X-WR-CALNAME:${escapeText(name)}`,
    ...entries.flatMap(entryLines),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
}

function entryLines(entry: CalendarEntry): string[] {
  const { uid, stamp, start, end, sequence, summary, description, status, categories } = entry;
  return [
    "BEGIN:VEVENT",
    `UID:${uid}`,
    `DTSTAMP:${formatUtc(stamp)}`,
    `LAST-MODIFIED:${formatUtc(stamp)}`,
    `SEQUENCE:${sequence}`,
    `DTSTART:${formatUtc(start)}`,
    `DTEND:${formatUtc(end)}`,
    `SUMMARY:${escapeText(summary)}`,
    ...(description === "" ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    `STATUS:${status}`,
    `CATEGORIES:${categories.map(escapeText).join(",")}`,
    "END:VEVENT",
  ];
}

/** `20260102T030405Z`, with whole seconds. */
function formatUtc(iso: string): string {
  return `${iso.slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/** Formats a value of type TEXT. Control characters are not allowed and are removed. */
function escapeText(text: string): string {
  return (
    text
      .replaceAll(/\r\n?/g, "\n")
      // oxlint-disable-next-line no-control-regex -- these are what must go
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
      .replaceAll(/[\\;,]/g, "\\$&")
      .replaceAll("\n", "\\n")
  );
}

/**
 * Folds a line into lines of at most 75 octets. Continuation lines start with a space, and characters are not split.
 */
function foldLine(line: string): string {
  const parts: string[] = [];
  let part = "";
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LINE_OCTETS_MAX) {
      parts.push(part);
      part = " ";
      octets = 1;
    }
    part += character;
    octets += size;
  }
  return [...parts, part].join("\r\n");
}
