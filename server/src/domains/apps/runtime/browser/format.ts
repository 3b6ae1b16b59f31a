import { type Child, h } from "./vnode.ts";

const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const MONEY = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const MOMENT = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** A value as people read it: the same on the server and in the browser, so times are in UTC. */
export function formatted(value: unknown, format: string): Child {
  if (value === null || value === undefined || value === "")
    return h("span", { class: "faint" }, "–");
  switch (format) {
    case "number":
    case "money":
      return numberOf(value, format === "money" ? MONEY : NUMBER);
    case "date":
      return timeOf(value, DAY, "");
    case "datetime":
      return timeOf(value, MOMENT, " UTC");
    case "boolean":
      return value === true || value === "true" ? "Yes" : "No";
    case "badge":
      return h("span", { class: "badge" }, plain(value));
    default:
      return plain(value);
  }
}

/** A number with its thousands apart; anything else as it is. */
export function numeral(value: number): string {
  return NUMBER.format(value);
}

function numberOf(value: unknown, format: Intl.NumberFormat): string {
  const number = Number(value);
  return Number.isFinite(number) ? format.format(number) : plain(value);
}

function timeOf(value: unknown, format: Intl.DateTimeFormat, suffix: string): Child {
  const time = new Date(String(value));
  if (Number.isNaN(time.getTime())) return plain(value);
  return h("time", { datetime: time.toISOString() }, format.format(time) + suffix);
}

function plain(value: unknown): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return typeof value === "object" ? JSON.stringify(value) : String(value as string | number);
}
