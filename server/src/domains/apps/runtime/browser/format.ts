import { type Child, h } from "./vnode.ts";

const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const MONEY = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const DATE_TIME = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** Formats a value for display; times in UTC, so that server and browser agree. */
export function formatValue(value: unknown, format: string): Child {
  if (value === null || value === undefined || value === "")
    return h("span", { class: "faint" }, "–");
  switch (format) {
    case "number":
    case "money":
      return formatNumeric(value, format === "money" ? MONEY : NUMBER);
    case "date":
      return formatTime(value, DAY, "");
    case "datetime":
      return formatTime(value, DATE_TIME, " UTC");
    case "boolean":
      return value === true || value === "true" ? "Yes" : "No";
    case "badge":
      return h("span", { class: `badge ${toneOf(toText(value))}` }, toText(value));
    default:
      return toText(value);
  }
}

const GOOD =
  /^(yes|ok|paid|done|active|approved|accepted|completed?|resolved|closed|succe\w*|delivered|healthy)$/i;
const BAD =
  /^(no|late|overdue|failed|failure|error|rejected|refused|breached|critical|blocked|cancell?ed|down)$/i;
const TONES = 7;

/** The colour of a value, equal everywhere; words of success and failure have theirs. */
function toneOf(text: string): string {
  if (GOOD.test(text)) return "good";
  if (BAD.test(text)) return "bad";
  let sum = 0;
  for (const character of text.toLowerCase())
    sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return `t${(sum % TONES) + 1}`;
}

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

function formatNumeric(value: unknown, format: Intl.NumberFormat): string {
  const number = Number(value);
  return Number.isFinite(number) ? format.format(number) : toText(value);
}

function formatTime(value: unknown, format: Intl.DateTimeFormat, suffix: string): Child {
  const time = new Date(String(value));
  if (Number.isNaN(time.getTime())) return toText(value);
  return h("time", { datetime: time.toISOString() }, format.format(time) + suffix);
}

function toText(value: unknown): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return typeof value === "object" ? JSON.stringify(value) : String(value as string | number);
}
