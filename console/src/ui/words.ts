/** Formats words and numbers for display. */

/** Converts `in_progress` to `In progress` and `sla.breached` to `SLA breached`. */
export function toWords(name: string): string {
  return toSentence(name.replaceAll(/[_.-]+/g, " ").trim());
}

const STATE = /^[a-z]+(_[a-z]+)*$/;

/** Converts a state to words; user texts are not changed. */
export function toStateWords(text: string | null): string | undefined {
  if (text === null) return undefined;
  return STATE.test(text) ? toWords(text) : text;
}

/** Converts the field name `cmdbItems` to `CMDB items`. */
export function splitWords(name: string): string {
  return toWords(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

const ACRONYMS =
  /\b(api|cab|cmdb|csv|html|http|imap|json|kpi|mfa|ok|saml|sla|smtp|sql|sso|url)(s?)\b/gi;

/** Capitalizes the first letter and known acronyms. */
export function toSentence(words: string): string {
  const text = words
    .replaceAll(ACRONYMS, (_, acronym: string, plural: string) => acronym.toUpperCase() + plural)
    .replaceAll(/\boauth\b/gi, "OAuth");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const plurals = new Intl.PluralRules("en");

/** Formats a count: `1 step`, `2 steps`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${plurals.select(n) === "one" ? one : many}`;
}

const SECOND_MS = 1_000;
const [MINUTE_S, HOUR_S, DAY_S] = [60, 3_600, 86_400];
const UNITS = [
  ["day", DAY_S],
  ["hour", HOUR_S],
  ["minute", MINUTE_S],
] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });

/** Formats an age: `6m ago`; below one minute `now`. Rounds down, to avoid `60m ago`. */
export function toAge(at: string, nowMs: number): string {
  const seconds = (Date.parse(at) - nowMs) / SECOND_MS;
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return "now";
}

/** Formats the remaining time, negative if overdue: `45m 35s`, `−2h 04m`, `3d 4h`. */
export function toCountdown(ms: number): string {
  const sign = ms < 0 ? "−" : "";
  const seconds = Math.floor(Math.abs(ms) / SECOND_MS);
  const two = (n: number): string => String(n).padStart(2, "0");
  if (seconds >= DAY_S) {
    return `${sign}${Math.floor(seconds / DAY_S)}d ${Math.floor((seconds % DAY_S) / HOUR_S)}h`;
  }
  if (seconds >= HOUR_S) {
    const minutes = Math.floor((seconds % HOUR_S) / MINUTE_S);
    return `${sign}${Math.floor(seconds / HOUR_S)}h ${two(minutes)}m`;
  }
  return `${sign}${Math.floor(seconds / MINUTE_S)}m ${two(seconds % MINUTE_S)}s`;
}

/** Formats a duration: `47 ms`, `1.52 s`, `2m 05s`. */
export function toDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "";
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_S * SECOND_MS) return `${(ms / SECOND_MS).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < HOUR_S) {
    return `${Math.floor(seconds / MINUTE_S)}m ${String(seconds % MINUTE_S).padStart(2, "0")}s`;
  }
  const minutes = Math.floor((seconds % HOUR_S) / MINUTE_S);
  return `${Math.floor(seconds / HOUR_S)}h ${String(minutes).padStart(2, "0")}m`;
}

type Time = string | number;

/** Formats `18 Nov 2026`: month names avoid ambiguous date orders. */
export const toDay = (at: Time): string =>
  new Date(at).toLocaleDateString("en-GB", { dateStyle: "medium" });

/** Formats `18 Nov 2026, 11:06`. */
export const toMoment = (at: Time): string =>
  new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Formats `18 Nov 2026, 11:06:21`. */
export const toExactTime = (at: Time): string =>
  new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });

const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Converts the timestamps in a server message to local time. */
export const tellTimes = (text: string): string => text.replaceAll(ISO_TIME, toMoment);

const KIB = 1_024;

/** Formats a size: `12 KB`, `3.4 MB`. */
export function toSize(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  if (bytes < KIB * KIB) return `${Math.round(bytes / KIB)} KB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MB`;
}
