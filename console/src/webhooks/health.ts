/** Describes the health of a webhook. */
import type { Schemas } from "../data/api.ts";
import { count } from "../ui/words.ts";

export type Health = Schemas["WebhookHealth"];
export type Webhook = Schemas["Webhook"];

/** Returns the state for lists: an active webhook with failures is shown as failing. */
export function stateOf(
  webhook: Pick<Webhook, "status" | "catchingUp">,
  health: Health | undefined,
): { readonly state: string; readonly label: string } {
  if (webhook.status === "paused") return { state: "paused", label: "Paused" };
  if (webhook.catchingUp) return { state: "running", label: "Catching up" };
  if (health && health.recent.at(-1) === "failed") return { state: "failed", label: "Failing" };
  if (health && health.recent.at(-1) === "retrying")
    return { state: "retrying", label: "Retrying" };
  return { state: "active", label: "Active" };
}

const PAUSES: Readonly<Record<string, string>> = {
  manual: "Paused manually.",
  failures: "Paused after five deliveries failed in a row.",
  gone: "Paused because the endpoint responded with 410 Gone.",
};

export function pauseReason(because: string | null): string {
  return PAUSES[because ?? ""] ?? "Paused.";
}

/** Formats `98 %`; a webhook with one failure in a thousand is not shown at 100 %. */
export function shareOf(share: number): string {
  const percent = share * 100;
  if (percent === 100 || percent === 0) return `${percent} %`;
  return `${Math.min(99.9, Math.max(0.1, percent)).toFixed(percent > 99 || percent < 1 ? 1 : 0)} %`;
}

/** Describes the strip of recent deliveries in one sentence. */
export function describeRecent(recent: Health["recent"]): string {
  if (recent.length === 0) return "No deliveries yet";
  const failed = recent.filter((status) => status === "failed").length;
  const open = recent.filter((status) => status === "pending" || status === "retrying").length;
  const parts = [
    `${recent.length - failed - open} of the newest ${count(recent.length, "delivery", "deliveries")} succeeded`,
    failed > 0 && `${failed} failed`,
    open > 0 && `${open} in progress`,
  ];
  return parts.filter((part) => part !== false).join(", ");
}

/** Describes the last failure in a few words. */
export function describeFailure(failure: NonNullable<Health["lastFailure"]>): string {
  return failure.status === null ? (failure.error ?? "No response") : `Status ${failure.status}`;
}
