import { localTime } from "#kernel/html/form/local-time.ts";
import type { Region } from "./page-state.ts";
import { type Child, h } from "#kernel/html/vnode.ts";

interface Formats {
  readonly number: Intl.NumberFormat;
  readonly money: Intl.NumberFormat;
  /** Formats a time as a day, in the region's time zone. */
  readonly day: Intl.DateTimeFormat;
  /** Formats a calendar day, which does not depend on a time zone. */
  readonly date: Intl.DateTimeFormat;
  readonly dateTime: Intl.DateTimeFormat;
}

const FORMATS_MAX = 200;
const cached = new Map<string, Formats>();
let region: Region = { locale: "en-GB", timeZone: "UTC" };

/**
 * Sets the region for formatting until the next call. A view is rendered synchronously, so no other region can
 * interfere; server and browser use the workspace's region, so that both agree.
 */
export function setRegion(next: Region): void {
  region = next;
}

function formatsOf({ locale, timeZone }: Region): Formats {
  const key = `${locale} ${timeZone}`;
  const known = cached.get(key);
  if (known) return known;
  const dateStyle = "medium";
  const built: Formats = {
    number: new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }),
    money: new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    day: new Intl.DateTimeFormat(locale, { dateStyle, timeZone }),
    date: new Intl.DateTimeFormat(locale, { dateStyle, timeZone: "UTC" }),
    dateTime: new Intl.DateTimeFormat(locale, {
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      timeZoneName: "short",
      timeZone,
    }),
  };
  if (cached.size >= FORMATS_MAX) cached.clear();
  cached.set(key, built);
  return built;
}

/** Formats a value for display. */
export function formatValue(value: unknown, format: string): Child {
  if (value === null || value === undefined || value === "")
    return h("span", { class: "faint" }, "–");
  switch (format) {
    case "number":
    case "money":
      return formatNumeric(value, formatsOf(region)[format]);
    case "date":
      return formatTime(value, formatsOf(region)[isCalendarDay(value) ? "date" : "day"]);
    case "datetime":
      return formatTime(value, formatsOf(region).dateTime);
    case "boolean":
      return value === true || value === "true" ? "Yes" : "No";
    case "link":
      return formatLink(value);
    case "file":
    case "image":
      return formatFiles(value, format);
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

/** The color of a value, consistent everywhere; words for success and failure have fixed colors. */
function toneOf(text: string): string {
  if (GOOD.test(text)) return "good";
  if (BAD.test(text)) return "bad";
  let sum = 0;
  for (const character of text.toLowerCase())
    sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return `t${(sum % TONES) + 1}`;
}

export function formatNumber(value: number): string {
  return formatsOf(region).number.format(value);
}

/** The text of a time control: to the minute, in the region's time zone. */
export function toControlTime(value: string): string {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? value.slice(0, 16) : localTime(time, region.timeZone);
}

/** Formats a month such as `2026-11`. */
export function formatMonth(month: string): string {
  const options = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(region.locale, options).format(new Date(`${month}-01`));
}

/** A calendar day as its weekday, or in full. */
export function formatDay(day: string, look: "weekday" | "full"): string {
  const options =
    look === "weekday" ? ({ weekday: "short" } as const) : ({ dateStyle: "full" } as const);
  const format = new Intl.DateTimeFormat(region.locale, { ...options, timeZone: "UTC" });
  return format.format(new Date(day));
}

/** Only HTTP URLs become links, because a record may contain any text. */
function formatLink(value: unknown): Child {
  const text = toText(value);
  const href = /^https?:\/\//.test(text)
    ? text
    : /^[^\s@]+@[^\s@]+$/.test(text)
      ? `mailto:${text}`
      : undefined;
  return href === undefined ? text : h("a", { href, rel: "noopener noreferrer" }, text);
}

interface ShownFile {
  readonly name?: unknown;
  readonly url?: unknown;
  readonly thumbnailUrl?: unknown;
}

/** Local or HTTP URLs only: a record may contain any value that looks like a file. */
const ADDRESS = /^(\/(?![/\\])|https?:\/\/)/;

function formatFiles(value: unknown, format: string): Child {
  const files = [value].flat().map((file) => Object(file) as ShownFile);
  const links = files.flatMap(({ name, url, thumbnailUrl }): Child[] => {
    if (typeof url !== "string" || !ADDRESS.test(url)) return [];
    const words = typeof name === "string" ? name : "File";
    if (format === "image" && typeof thumbnailUrl === "string")
      return [h("img", { src: thumbnailUrl, alt: words, class: "thumb", loading: "lazy" })];
    return [h("a", { href: url }, words)];
  });
  return links.length === 0
    ? h("span", { class: "faint" }, "–")
    : h("span", { class: "files" }, links);
}

function isCalendarDay(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
}

function formatNumeric(value: unknown, format: Intl.NumberFormat): string {
  const number = Number(value);
  return Number.isFinite(number) ? format.format(number) : toText(value);
}

function formatTime(value: unknown, format: Intl.DateTimeFormat): Child {
  const time = new Date(String(value));
  if (Number.isNaN(time.getTime())) return toText(value);
  return h("time", { datetime: time.toISOString() }, format.format(time));
}

function toText(value: unknown): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return typeof value === "object" ? JSON.stringify(value) : String(value as string | number);
}
