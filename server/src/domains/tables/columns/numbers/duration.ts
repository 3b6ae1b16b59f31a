import { object } from "#kernel/schema/schema.ts";
import type { ColumnType, Json } from "../column-type.ts";
import { isTextual, toTextSql } from "../to-text.ts";

/** Some three hundred years. */
const SECONDS_MAX = 10_000_000_000;
const MS_PER_SECOND = 1_000;

const CLOCK = /^(\d{1,7}):([0-5]?\d)(?::([0-5]?\d(?:\.\d{1,3})?))?$/;
const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/i;
const WORDS =
  /^(?:(\d+)\s*w)?\s*(?:(\d+)\s*d)?\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+(?:\.\d{1,3})?)\s*s)?$/i;

const UNITS = [604_800, 86_400, 3_600, 60, 1];

export const duration: ColumnType = {
  summary:
    "A duration in seconds, with up to three decimal places. Also accepts `1:30:00` (hours first), `PT1H30M` or `1h 30m`",
  options: object({}),
  sqlType: () => "numeric",
  parameterType: "numeric",
  constraint: (_, quoted) =>
    `${quoted} between 0 and ${SECONDS_MAX} and scale(trim_scale(${quoted})) <= 3`,
  parse(value) {
    const seconds = typeof value === "string" ? parseSeconds(value.trim()) : value;
    if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= SECONDS_MAX)) {
      return { error: "must be a number of seconds, or a duration such as 1:30:00 or PT1H30M" };
    }
    const rounded = Math.round(seconds * MS_PER_SECOND) / MS_PER_SECOND;
    if (rounded !== seconds) return { error: "must have at most 3 decimal places" };
    return { value: seconds === 0 ? 0 : seconds };
  },
  store: (value) => value,
  show: Number,
  kind: "number",
  parseCell: (cell) => cell.trim(),
  formatCell: formatClock,
  convertFrom(from, _, quoted) {
    if (from.type === "duration" || from.type === "decimal") return quoted;
    if (from.type === "integer") return `${quoted}::numeric`;
    if (!isTextual(from)) return undefined;
    const text = toTextSql(from, quoted);
    // Hours, minutes and seconds; any other value must be a number of seconds.
    return (
      `case when ${text} ~ '^[0-9]+:[0-5]?[0-9](:[0-5]?[0-9])?$' then ` +
      `split_part(${text}, ':', 1)::numeric * 3600 + split_part(${text}, ':', 2)::numeric * 60 + ` +
      `coalesce(nullif(split_part(${text}, ':', 3), ''), '0')::numeric else ${text}::numeric end`
    );
  },
};

/** The seconds that a text means; undefined for any other text. */
function parseSeconds(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const clock = CLOCK.exec(text);
  if (clock) return weigh(clock.slice(1), UNITS.slice(2));
  const units = text === "" || /^PT?$/i.test(text) ? null : (ISO.exec(text) ?? WORDS.exec(text));
  return units ? weigh(units.slice(1), UNITS) : undefined;
}

function weigh(parts: readonly (string | undefined)[], units: readonly number[]): number {
  const seconds = parts.reduce(
    (sum, part, index) => sum + Number(part ?? 0) * (units[index] ?? 0),
    0,
  );
  return Math.round(seconds * MS_PER_SECOND) / MS_PER_SECOND;
}

/** Formats `1:30:00`, which spreadsheets read as a duration. */
function formatClock(value: Json): string {
  const milliseconds = Math.round(Number(value) * MS_PER_SECOND);
  const whole = Math.floor(milliseconds / MS_PER_SECOND);
  const [hours, minutes, seconds] = [
    Math.floor(whole / 3_600),
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  const rest = milliseconds % MS_PER_SECOND;
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(3, "0").replace(/0+$/, "")}`;
  return `${hours}:${twoDigits(minutes)}:${twoDigits(seconds)}${fraction}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
