/** Names of resources and actors in the list of events. */
import type { LogEvent } from "../data/live/live.ts";
import { toWords } from "../ui/words.ts";

/** Returns the display name of an event's resource. */
export function nameThing({ resource, data }: Pick<LogEvent, "resource" | "data">): string {
  const { number, displayName, type } = resource;
  const named = [number, displayName].filter(Boolean).join(" ");
  if (named !== "") return named;
  const name = [data["title"], data["subject"], data["name"]].find(isText);
  // Resources without a name are labelled by their type. Their id is shown next to the event.
  return name ?? [toWords(type), data["eventType"]].filter(isText).join(" · ");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Describes what caused the event, or undefined for a person's direct action. */
export function nameMaker(event: LogEvent): string | undefined {
  const { runId, stepId, executionId, jobKind } = event;
  if (runId !== undefined) return stepId === undefined ? "a run" : `step ${stepId}`;
  if (executionId !== undefined) return "a script";
  return jobKind === undefined ? undefined : `job ${jobKind}`;
}

/** Formats the time with milliseconds, and the date if it is not today. */
export function tellTime(at: string, now = new Date()): string {
  const time = new Date(at);
  const clock = `${time.toLocaleTimeString("en-GB")}.${String(time.getMilliseconds()).padStart(3, "0")}`;
  if (time.toDateString() === now.toDateString()) return clock;
  const day = time.toLocaleDateString("en-GB", { day: "2-digit", month: "short" });
  return time.getFullYear() === now.getFullYear()
    ? `${day} ${clock}`
    : `${day} ${time.getFullYear()} ${clock}`;
}
