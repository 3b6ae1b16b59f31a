import {
  type Form,
  type PlanNode,
  SENT_BRANCH,
  type StepError,
  type StepRecord,
  TIMEOUT_BRANCH,
} from "#domains/workflows/index.ts";

export interface StepLogLine {
  readonly at: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly metadata?: unknown;
}

/** One approver's decision. */
export interface ApprovalDecision {
  readonly userId: string;
  readonly name: string;
  readonly approved: boolean;
  readonly comment?: string;
  /** Part of the step's output. */
  readonly data?: unknown;
  readonly at: string;
  /** True for an owner's decision. It replaces all missing approvers. */
  readonly isFinal?: true;
}

/** A submitted form as the output of its step. */
export interface SentForm {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly submittedAt: string;
}

/** The event, the call, the form or the child run's end that a step waited for. */
export type WaitAnswer =
  | { readonly kind: "event"; readonly event: unknown }
  | { readonly kind: "call"; readonly call: unknown }
  | { readonly kind: "form"; readonly form: SentForm }
  | {
      readonly kind: "child";
      readonly status: "completed" | "failed" | "cancelled";
      readonly output?: unknown;
      readonly error?: StepError;
    };

/** A step's wait condition, with the timeout `untilMs`. */
export type StepWait =
  | { readonly kind: "delay"; readonly untilMs: number; readonly output?: unknown }
  | {
      readonly kind: "event";
      readonly topic: string;
      readonly eventType?: string;
      readonly filter?: Readonly<Record<string, unknown>>;
      /** Events count since this moment: the start of the run, or the start of the wait. */
      readonly since?: "run" | "wait";
      readonly untilMs?: number;
    }
  | {
      readonly kind: "approval";
      readonly approvers: readonly string[];
      readonly quorum: number;
      readonly message?: string;
      readonly decisions: readonly ApprovalDecision[];
      readonly untilMs?: number;
    }
  | { readonly kind: "call"; readonly untilMs?: number }
  | {
      readonly kind: "form";
      readonly form: Form;
      readonly shownTo: "link" | "sender";
      readonly untilMs?: number;
    }
  | { readonly kind: "child"; readonly runId: string; readonly untilMs?: number };

/** The page of a list read by a step. */
export interface ListPage {
  /** True if more items follow. */
  readonly truncated: boolean;
  /** The start of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** A step in the journal: the record of the interpreter, with details for readers. */
export interface JournalRecord extends StepRecord {
  readonly input?: unknown;
  /** For a list: the part that the step did not read. */
  readonly page?: ListPage;
  readonly logs?: readonly StepLogLine[];
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly wait?: StepWait;
  /** The child run started by a step. */
  readonly childRunId?: string;
  readonly answer?: WaitAnswer;
  /** Reverts earlier records of the step, as if it had not started. */
  readonly forgotten?: true;
}

export interface StoredJournal {
  readonly lines: Iterable<JournalLine>;
  readonly entries: number;
  /**
   * False if no other process can have executed the run before. Otherwise a step may have been executed without a
   * record.
   */
  readonly isBegun?: boolean;
}

/** The record of a step before its start. */
export function newStepRecord(path: string): JournalRecord {
  return { path, node: path.slice(path.lastIndexOf(".") + 1), status: "ready", attempts: 0 };
}

/** The field that distinguishes messages from records in stored journals. Renaming it would break stored journals. */
const MESSAGE_MARK = "told";

/** A response or decision appended to the journal for a waiting step. */
export interface StepMessage {
  readonly path: string;
  readonly [MESSAGE_MARK]: true;
  readonly answer?: WaitAnswer;
  readonly decision?: ApprovalDecision;
}

/** A line of the journal: a record of the runner, or a message that adds to a record. */
export type JournalLine = JournalRecord | StepMessage;

export function stepMessage(
  path: string,
  content: Pick<StepMessage, "answer" | "decision">,
): StepMessage {
  return { path, [MESSAGE_MARK]: true, ...content };
}

export function isStepMessage(line: JournalLine): line is StepMessage {
  return MESSAGE_MARK in line;
}

/** The latest record of each step, with the messages for it. */
export function foldJournal(
  lines: Iterable<JournalLine>,
  records: Map<string, JournalRecord> = new Map(),
): Map<string, JournalRecord> {
  for (const line of lines) {
    const record = records.get(line.path);
    if (!isStepMessage(line)) {
      if (line.forgotten) records.delete(line.path);
      else records.set(line.path, line);
    } else if (record) records.set(line.path, applyMessage(record, line));
  }
  return records;
}

/** The first response counts; decisions accumulate. */
export function applyMessage(
  record: JournalRecord,
  { answer, decision }: StepMessage,
): JournalRecord {
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

/** The timeout of a node also limits its wait. */
export function limitWait({ timeoutMs, type }: PlanNode, wait: StepWait, nowMs: number): StepWait {
  if (timeoutMs === undefined || type.effect === "pure" || wait.kind === "delay") return wait;
  const untilMs = Math.min(wait.untilMs ?? Number.POSITIVE_INFINITY, nowMs + timeoutMs);
  return { ...wait, untilMs };
}

/** The outcome of a decided approval. One rejection decides. */
export function verdictOf({ wait }: JournalRecord): "approved" | "rejected" | undefined {
  if (wait?.kind !== "approval") return undefined;
  if (wait.decisions.some(({ approved }) => !approved)) return "rejected";
  const isFinal = wait.decisions.some((decision) => decision.isFinal);
  return isFinal || wait.decisions.length >= wait.quorum ? "approved" : undefined;
}

/** The time at which a waiting step must continue. */
export function dueMsOf(record: JournalRecord): number {
  const { status, retryAtMs, wait, answer } = record;
  if (status !== "waiting" && status !== "paused") return Number.POSITIVE_INFINITY;
  if (answer || verdictOf(record)) return 0;
  if (retryAtMs !== undefined) return retryAtMs;
  return wait && "untilMs" in wait && wait.untilMs !== undefined
    ? wait.untilMs
    : Number.POSITIVE_INFINITY;
}

/** Returns the step result after a wait: the response or a timeout. Calls and forms can have a timeout branch. */
export function resolveWait(
  record: JournalRecord,
  hasTimeoutBranch: boolean,
): { readonly output: unknown; readonly branch?: string } | { readonly error: StepError } {
  const { path, wait, answer } = record;
  if (answer?.kind === "event") return { output: answer.event };
  if (answer?.kind === "call") return { output: answer.call, branch: "called" };
  if (answer?.kind === "form") return { output: answer.form, branch: SENT_BRANCH };
  if (answer?.kind === "child" && answer.status === "completed") return { output: answer.output };
  if (answer?.kind === "child") {
    const message = answer.error?.message ?? `The status of the run was ${answer.status}.`;
    return { error: { code: "subworkflow_failed", message } };
  }
  const branch = verdictOf(record);
  if (wait?.kind === "approval" && branch) {
    const { decisions } = wait;
    const data = decisions.findLast((decision) => decision.data !== undefined)?.data ?? null;
    return { output: { approved: branch === "approved", data, decisions }, branch };
  }
  if (wait?.kind === "delay") return { output: wait.output ?? null };
  if ((wait?.kind === "call" || wait?.kind === "form") && hasTimeoutBranch) {
    return { output: { timedOut: true }, branch: TIMEOUT_BRANCH };
  }
  const code = wait?.kind === "approval" ? "approval_expired" : "wait_expired";
  return { error: { code, message: `${path} timed out.`, retryable: false } };
}
