/** Schedule times as selected by users. */
export interface Times {
  readonly cron: string;
  readonly timezone?: string | undefined;
}

export type Rhythm = "day" | "workday" | "week" | "month" | "other";

export const RHYTHMS: readonly (readonly [Rhythm, string])[] = [
  ["day", "Every day"],
  ["workday", "Monday to Friday"],
  ["week", "Every week"],
  ["month", "On the first of the month"],
  ["other", "Cron expression"],
];
export const WEEKDAYS: readonly (readonly [string, string])[] = [
  ["1", "Monday"],
  ["2", "Tuesday"],
  ["3", "Wednesday"],
  ["4", "Thursday"],
  ["5", "Friday"],
  ["6", "Saturday"],
  ["0", "Sunday"],
];

export interface Chosen {
  readonly rhythm: Rhythm;
  /** A time such as `07:00`. */
  readonly time: string;
  readonly weekday: string;
}

/** Parses a cron expression, if it is one of the selectable patterns. */
export function readTimes(cron: string): Chosen {
  const [, minute = "0", hour = "7", day = "", month = "", weekday = ""] =
    /^\s*(\d{1,2})\s+(\d{1,2})\s+(\S+)\s+(\S+)\s+(\S+)\s*$/.exec(cron) ?? [];
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  const chosen = { time, weekday: /^[0-6]$/.test(weekday) ? weekday : "1" };
  if (month !== "*") return { rhythm: "other", ...chosen };
  if (day === "1" && weekday === "*") return { rhythm: "month", ...chosen };
  if (day !== "*") return { rhythm: "other", ...chosen };
  if (weekday === "*") return { rhythm: "day", ...chosen };
  if (weekday === "1-5") return { rhythm: "workday", ...chosen };
  return { rhythm: /^[0-6]$/.test(weekday) ? "week" : "other", ...chosen };
}

/** Returns the cron expression of the selection. */
export function writeTimes({ rhythm, time, weekday }: Chosen, before: string): string {
  const [hour = "7", minute = "0"] = time.split(":").map((part) => String(Number(part)));
  switch (rhythm) {
    case "day":
      return `${minute} ${hour} * * *`;
    case "workday":
      return `${minute} ${hour} * * 1-5`;
    case "week":
      return `${minute} ${hour} * * ${weekday}`;
    case "month":
      return `${minute} ${hour} 1 * *`;
    case "other":
      return before;
  }
}

/** Describes a schedule as text. */
export function timesWords({ cron, timezone }: Times): string {
  const { rhythm, time, weekday } = readTimes(cron);
  const zone = timezone === undefined || timezone === "UTC" ? " UTC" : `, ${timezone}`;
  if (rhythm === "other") return `${cron}${zone}`;
  const day = WEEKDAYS.find(([value]) => value === weekday)?.[1] ?? "";
  const when = {
    day: "Every day",
    workday: "Monday to Friday",
    week: `Every ${day}`,
    month: "On the first of the month",
  }[rhythm];
  return `${when} at ${time}${zone}`;
}
