/** Parses dates and times in the formats of different countries. */

/** The order of the numbers in `01/02/2026`. A leading four-digit year is always accepted. */
export const DATE_ORDERS = ["dmy", "mdy"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})\s*([-/. ])\s*(\d{1,2})\s*\2\s*(\d{4}|\d{2})\.?$/;
const DAY_AND_NAME =
  /^(?:\p{L}+\.?,?\s+)?(\d{1,2})(?:\.|st|nd|rd|th|er|º)?[\s-]*(?:de\s+)?(\p{L}{3,12})\.?,?[\s-]*(?:de\s+)?(\d{4}|\d{2})$/u;
const NAME_AND_DAY =
  /^(?:\p{L}{3,12},\s*)?(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/u;
const TIME =
  /^(.{6,40}?)(?:T|,?\s+(?:at\s+|um\s+)?)(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?(?:\s*(?:Uhr|h))?\s*([AaPp]\.?[Mm]\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/;
const CHARACTERS_MAX = 60;

/** Prefixes of the months in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const MONTHS: readonly RegExp[] = [
  /^(jan|janv|ene|gen)/,
  /^(feb|fev|fevr)/,
  /^(mar|mae|maa|mrz|mrt)/,
  /^(apr|avr|abr)/,
  /^(may|mai|mei|mag)/,
  /^(jun|juin|giu)/,
  /^(jul|juil|lug)/,
  /^(aug|aou|ago|aout)/,
  /^(sep|set)/,
  /^(oct|okt|ott|out)/,
  /^nov/,
  /^(dec|dez|dic)/,
];

/** A day as `2026-02-28`. Undefined for any other text. */
export function parseDay(text: string, order: DateOrder): string | undefined {
  if (text.length > CHARACTERS_MAX || !/\d/.test(text)) return undefined;
  const trimmed = text.trim();
  const iso = YEAR_FIRST.exec(trimmed);
  if (iso) return toDay(iso[1], iso[3], iso[4]);
  const last = YEAR_LAST.exec(trimmed);
  if (last) {
    const [, first, , second, year] = last;
    return order === "dmy" ? toDay(year, second, first) : toDay(year, first, second);
  }
  const named = DAY_AND_NAME.exec(trimmed);
  if (named) return toDay(named[3], monthOf(named[2] ?? ""), named[1]);
  const english = NAME_AND_DAY.exec(trimmed);
  return english ? toDay(english[3], monthOf(english[1] ?? ""), english[2]) : undefined;
}

/** A time as `2026-02-28T12:00:00Z`, in UTC unless it has an offset. A day becomes its start. */
export function parseTimeOfDay(text: string, order: DateOrder): string | undefined {
  if (text.length > CHARACTERS_MAX || !/\d/.test(text)) return undefined;
  const day = parseDay(text, order);
  if (day !== undefined) return `${day}T00:00:00Z`;
  const parts = TIME.exec(text.trim());
  if (!parts) return undefined;
  const [
    ,
    date = "",
    hourText = "",
    minute = "",
    second = "00",
    fraction = "",
    half = "",
    zone = "Z",
  ] = parts;
  const at = parseDay(date, order);
  const hour = toHour(Number(hourText), half);
  if (at === undefined || hour === undefined || Number(minute) > 59 || Number(second) > 59)
    return undefined;
  const clock = `${twoDigits(hour)}:${minute}:${second}`;
  const milliseconds = fraction === "" ? "" : `.${fraction.slice(0, 3).padEnd(3, "0")}`;
  return `${at}T${clock}${milliseconds}${toOffset(zone)}`;
}

function toHour(hour: number, half: string): number | undefined {
  if (half === "") return hour > 23 ? undefined : hour;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

function toOffset(zone: string): string {
  if (!/^[+-]/.test(zone)) return "Z";
  return zone.includes(":") ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}

function monthOf(name: string): string | undefined {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const index = MONTHS.findIndex((pattern) => pattern.test(plain));
  return index === -1 ? undefined : String(index + 1);
}

/** Two-digit years are from 1969 to 2068, as in POSIX. */
function toDay(year = "", month = "", day = ""): string | undefined {
  const whole = year.length === 2 ? String(Number(year) + (Number(year) < 69 ? 2000 : 1900)) : year;
  const [m, d] = [Number(month), Number(day)];
  if (whole === "0000" || m < 1 || m > 12 || d < 1 || d > daysIn(Number(whole), m))
    return undefined;
  return `${whole}-${twoDigits(m)}-${twoDigits(d)}`;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
