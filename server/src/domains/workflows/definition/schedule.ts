import type { FieldError } from "#kernel/operation/failure.ts";
import { normaliseCron, parseCron } from "./cron-time.ts";

/** Checks a cron expression and its time zone. */
export function checkSchedule(trigger: Readonly<Record<string, unknown>>): FieldError[] {
  const { cron, timezone = "UTC" } = trigger;
  const errors: FieldError[] = [];
  if (typeof timezone === "string" && !isTimezone(timezone)) {
    errors.push({ path: "/timezone", message: "is not a known time zone" });
  }
  if (typeof cron === "string") {
    const message = cronError(cron);
    if (message !== undefined) errors.push({ path: "/cron", message });
  }
  return errors;
}

// A leap year: a schedule without a time after this date never runs.
const LEAP_YEAR = new Date("2024-01-01T00:00:00Z");

function cronError(cron: string): string | undefined {
  // The library also accepts a single date, and replaces `?` by the current time.
  if (/[:?]/.test(normaliseCron(cron))) return "is not a cron expression";
  try {
    return parseCron(cron).nextRun(LEAP_YEAR) === null ? "never matches a time" : undefined;
  } catch (error) {
    // The library throws errors of any type for invalid expressions.
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "";
    return `is not a cron expression: ${reason}`;
  }
}

function isTimezone(name: string): boolean {
  // UTC offsets are rejected, because a schedule would not follow local clock changes.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
