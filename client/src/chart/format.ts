/** Formats numbers and times in charts. */
export type NumberFormat = "number" | "percent" | "duration";

export interface NumberStyle {
  readonly format?: NumberFormat | undefined;
  readonly unit?: string | undefined;
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const PLAIN = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const COMPACT_FROM = 10_000;
const SECOND_MS = 1_000;
const DURATIONS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", SECOND_MS],
] as const;

/** Formats a number for people, short if space is limited. */
export function formatValue(
  value: number | null | undefined,
  { format = "number", unit }: NumberStyle = {},
  { short = false }: { readonly short?: boolean } = {},
): string {
  if (value === null || value === undefined) return "–";
  if (format === "percent") return SHARE.format(value);
  if (format === "duration") return formatDuration(value);
  const isLong = short && Math.abs(value) >= COMPACT_FROM;
  const words = (isLong ? COMPACT : PLAIN).format(value);
  if (unit === undefined || unit === "") return words;
  return /^[€$£¥]$/.test(unit) ? `${unit}${words}` : `${words} ${unit}`;
}

/** Milliseconds in the largest unit with at least one. */
function formatDuration(ms: number): string {
  const size = Math.abs(ms);
  const [unit, unitMs] = DURATIONS.find(([, each]) => size >= each) ?? ["ms", 1];
  return `${PLAIN.format(Math.round((ms / unitMs) * 10) / 10)} ${unit}`;
}

/** The change relative to an earlier value. Null without a comparable value. */
export function changeOf(value: number | null, before: number | null | undefined): number | null {
  if (value === null || before === null || before === undefined || before === 0) return null;
  return (value - before) / Math.abs(before);
}

export function formatChange(change: number): string {
  return `${change > 0 ? "+" : change < 0 ? "−" : "±"}${SHARE.format(Math.abs(change))}`;
}

const BUCKETS: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  hour: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { day: "numeric", month: "short" },
  week: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
  year: { year: "numeric" },
};

/** The start of a bucket, in its time zone. */
export function formatBucket(at: string, unit: string, timezone: string): string {
  const date = new Date(at);
  if (unit === "quarter") {
    const parts = new Intl.DateTimeFormat("en", {
      timeZone: timezone,
      month: "numeric",
      year: "numeric",
    }).formatToParts(date);
    const part = (type: string): number =>
      Number(parts.find((one) => one.type === type)?.value ?? 0);
    return `Q${Math.ceil(part("month") / 3)} ${part("year")}`;
  }
  const options = BUCKETS[unit] ?? BUCKETS["day"];
  return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: timezone }).format(date);
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Fields with predefined values, by source kind. Values entered by users are not translated. */
const OWN_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  deliveries: new Set(["status"]),
  events: new Set(["actorType", "resourceType"]),
  runs: new Set(["status", "triggerType"]),
  sla_clocks: new Set(["state", "metric", "entity"]),
  tickets: new Set(["state", "severity", "type", "riskLevel", "outcome"]),
};

/** The label of a group value, as in the whole console. `source` is the kind of the counted resource. */
export function formatGroup(name: string, value: unknown, source = ""): string {
  if (value === null || value === undefined || value === "") return "(none)";
  if (name === "weekday" && typeof value === "number") return WEEKDAYS[value - 1] ?? `${value}`;
  if (name === "hour" && typeof value === "number") return `${value}`.padStart(2, "0") + ":00";
  if (name === "priority" && source === "tickets") return `P${Number(value)}`;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value !== "string") return JSON.stringify(value);
  return OWN_WORDS[source]?.has(name) === true ? toTitle(value) : value;
}

/** A name of the API as a title: `sum_amount` becomes "Sum amount". */
export function toTitle(name: string): string {
  const words = name
    .replaceAll(/[_.]+/g, " ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
