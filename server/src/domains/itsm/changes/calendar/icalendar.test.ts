import fc from "fast-check";
import { expect, test } from "vitest";
import { type CalendarEntry, toICalendar } from "./icalendar.ts";
import { parseICalendar, text } from "./testing/parse-icalendar.ts";

const ENTRY: CalendarEntry = {
  uid: "chg_1@millrace",
  start: "2026-12-05T22:00:00.000Z",
  end: "2026-12-06T02:00:00.000Z",
  stamp: "2026-12-01T10:11:12.345Z",
  sequence: 3,
  summary: "CHG0000001 Disks; new, \\ old",
  description: "First\nSecond\r\nThird",
  status: "CONFIRMED",
  categories: ["Change", "normal"],
};

test("a calendar follows RFC 5545", () => {
  expect(toICalendar("Changes", [ENTRY])).toBe(
    [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//Millrace//Changes//EN",
      "CALSCALE:GREGORIAN",
      "METHOD:PUBLISH",
      "X-WR-CALNAME:Changes",
      "BEGIN:VEVENT",
      "UID:chg_1@millrace",
      "DTSTAMP:20261201T101112Z",
      "LAST-MODIFIED:20261201T101112Z",
      "SEQUENCE:3",
      "DTSTART:20261205T220000Z",
      "DTEND:20261206T020000Z",
      "SUMMARY:CHG0000001 Disks\\; new\\, \\\\ old",
      "DESCRIPTION:First\\nSecond\\nThird",
      "STATUS:CONFIRMED",
      "CATEGORIES:Change,normal",
      "END:VEVENT",
      "END:VCALENDAR",
      "",
    ].join("\r\n"),
  );
});

test("a parser reads any text back, in lines of at most 75 octets", () => {
  const unit = fc.oneof(
    fc.constantFrom("\r", "\n", "\t", "\0", "\\", ";", ",", ":", " ", "n", "é", "\u0085", "😀"),
    fc.integer({ min: 0, max: 0xd7ff }).map((code) => String.fromCodePoint(code)),
  );
  const words = fc.string({ unit, maxLength: 200 });
  fc.assert(
    fc.property(fc.array(fc.tuple(words, words), { maxLength: 3 }), (written) => {
      const entries = written.map(([summary, description]) => ({ ...ENTRY, summary, description }));
      const calendar = toICalendar("Changes", entries);
      // A split character would produce malformed halves.
      const bad = calendar
        .split("\r\n")
        .filter((line) => Buffer.byteLength(line) > 75 || !line.isWellFormed());
      expect(bad).toEqual([]);
      const events = parseICalendar(calendar);
      expect(events.map((event) => [text(event, "SUMMARY"), text(event, "DESCRIPTION")])).toEqual(
        written.map(([summary, description]) => [plain(summary), plain(description)]),
      );
    }),
  );
});

/** Normalises line ends and removes control characters. */
function plain(written: string): string {
  return written
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/\p{Cc}/gu, (control) => (/[\n\t\u0080-\u009f]/.test(control) ? control : ""));
}
