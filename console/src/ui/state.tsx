import { toWords } from "./words.ts";

export type Tone = "ok" | "warn" | "bad" | "wait" | "info" | "idle";

/** Each state has one colour everywhere: in lists, on the canvas and in charts. */
const TONES: Readonly<Record<string, Tone>> = {
  completed: "ok",
  succeeded: "ok",
  active: "ok",
  approved: "ok",
  resolved: "ok",
  published: "ok",
  met: "ok",
  fulfilled: "ok",
  delivered: "ok",
  up: "ok",
  ok: "ok",
  running: "info",
  in_progress: "info",
  implementing: "info",
  fulfilling: "info",
  queued: "idle",
  draft: "idle",
  closed: "idle",
  cancelled: "idle",
  retired: "idle",
  archived: "idle",
  skipped: "idle",
  pending: "warn",
  new: "warn",
  submitted: "warn",
  warning: "warn",
  retrying: "warn",
  paused: "wait",
  on_hold: "wait",
  waiting: "wait",
  awaiting_approval: "wait",
  in_review: "wait",
  failed: "bad",
  breached: "bad",
  rejected: "bad",
  rolled_back: "bad",
  timed_out: "bad",
  down: "bad",
  firing: "bad",
  fired: "bad",
};

export function toneOf(state: string): Tone {
  return TONES[state] ?? "idle";
}

/** A state as a tag. Running states pulse. */
export function State({ state, label }: { readonly state: string; readonly label?: string }) {
  const isAlive = state === "running" || state === "implementing";
  return (
    <span className={`tag ${toneOf(state)}${isAlive ? " live" : ""}`}>
      {label ?? toWords(state)}
    </span>
  );
}
