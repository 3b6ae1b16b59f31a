import type { StepError, StepRecord } from "#domains/workflows/index.ts";

export interface StepLogLine {
  readonly at: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly metadata?: unknown;
}

/** One person's word on an approval. */
export interface Decision {
  readonly userId: string;
  readonly name: string;
  readonly approved: boolean;
  readonly comment?: string;
  /** What the person adds for the steps that follow. */
  readonly data?: unknown;
  readonly at: string;
}

/** What others say to a step that waits. */
export type Answer =
  | { readonly kind: "event"; readonly event: unknown }
  | {
      readonly kind: "child";
      readonly status: "completed" | "failed" | "cancelled";
      readonly output?: unknown;
      readonly error?: StepError;
    };

/** What a step waits for. With `untilMs` it waits no longer than that. */
export type Wait =
  | { readonly kind: "delay"; readonly untilMs: number }
  | {
      readonly kind: "event";
      readonly topic: string;
      readonly eventType?: string;
      readonly filter?: Readonly<Record<string, unknown>>;
      readonly untilMs?: number;
    }
  | {
      readonly kind: "approval";
      readonly approvers: readonly string[];
      readonly quorum: number;
      readonly message?: string;
      readonly decisions: readonly Decision[];
      readonly untilMs?: number;
    }
  | { readonly kind: "child"; readonly runId: string; readonly untilMs?: number };

/** What the journal says of a step: what the interpreter needs, and what people want to see. */
export interface JournalRecord extends StepRecord {
  readonly input?: unknown;
  readonly logs?: readonly StepLogLine[];
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly wait?: Wait;
  readonly answer?: Answer;
  /** The record is taken back: the step has not happened. */
  readonly forgotten?: true;
}

/** What is known of a step before anything happened to it. */
export function blank(path: string): JournalRecord {
  return { path, node: path.slice(path.lastIndexOf(".") + 1), status: "ready", attempts: 0 };
}

/**
 * A line of the journal: what the runner says of a step, or a word that others left for it and that
 * only adds to what is known.
 */
export type JournalLine = JournalRecord | JournalDecision;

export interface JournalDecision {
  readonly path: string;
  readonly told: true;
  readonly answer?: Answer;
  readonly decision?: Decision;
}

/** What all lines together say of each step. */
export function foldJournal(
  lines: Iterable<JournalLine>,
  onto: Map<string, JournalRecord> = new Map(),
): Map<string, JournalRecord> {
  for (const line of lines) {
    const known = onto.get(line.path);
    if (!("told" in line)) {
      if (line.forgotten) onto.delete(line.path);
      else onto.set(line.path, line);
    } else if (known) onto.set(line.path, hear(known, line));
  }
  return onto;
}

/** The first answer counts; decisions add up. */
export function hear(record: JournalRecord, { answer, decision }: JournalDecision): JournalRecord {
  const { wait } = record;
  return {
    ...record,
    ...(answer && !record.answer && { answer }),
    ...(decision &&
      wait?.kind === "approval" && {
        wait: { ...wait, decisions: [...wait.decisions, decision] },
      }),
  };
}

/** Whether an approval was given or refused; one who rejects decides. */
export function verdictOf({ wait }: JournalRecord): "approved" | "rejected" | undefined {
  if (wait?.kind !== "approval") return undefined;
  if (wait.decisions.some(({ approved }) => !approved)) return "rejected";
  return wait.decisions.length >= wait.quorum ? "approved" : undefined;
}

/** When a step that waits must be looked at. */
export function dueMsOf(record: JournalRecord): number {
  const { status, retryAtMs, wait, answer } = record;
  if (status !== "waiting" && status !== "paused") return Number.POSITIVE_INFINITY;
  if (answer || verdictOf(record)) return 0;
  if (retryAtMs !== undefined) return retryAtMs;
  return wait && "untilMs" in wait && wait.untilMs !== undefined
    ? wait.untilMs
    : Number.POSITIVE_INFINITY;
}
