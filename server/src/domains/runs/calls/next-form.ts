/** The form shown to the sender of the previous form. */
import { asksSender, type Graph, isBefore, type StepStatus } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { foldJournal, type JournalRecord, type WaitAnswer } from "../engine/journal-record.ts";
import { readJournals } from "../engine/store.ts";
import { awaitRun, type WaitOptions } from "../run-watch.ts";
import { makeFormPath } from "./resume-address.ts";

interface NextForm {
  /** The path of the page. Undefined if no more forms follow. */
  readonly path?: string;
  readonly hasFailed: boolean;
}

/** How long a submitted page waits for the next page. */
export const FORM_WAIT_MAX_MS = 30_000;

export type Steps = ReadonlyMap<string, JournalRecord>;

/**
 * Waits for the next form after a submission. Ends with the run, at the timeout, or when the response exists and no
 * form can follow.
 */
export async function awaitNextForm(
  platform: Platform,
  partition: Partition,
  {
    runId,
    graph,
    sender,
    isAnswered,
  }: {
    readonly runId: string;
    readonly graph: Graph;
    /** The step with the submitted form; undefined for the form trigger. */
    readonly sender: string | undefined;
    /** True if the steps contain the response to show when no form follows. */
    readonly isAnswered: (steps: Steps) => boolean;
  },
  options: WaitOptions,
): Promise<NextForm> {
  const { run, found } = await awaitRun(platform, partition, runId, {
    ...options,
    async look() {
      const entries = await readJournals(platform, [runId]);
      const steps = foldJournal(entries.flatMap(({ records }) => [...records]));
      const next = findNextForm(graph, steps.values(), sender);
      if (next !== undefined) return { next };
      return !asksFurther(graph, steps) && isAnswered(steps) ? {} : undefined;
    },
  });
  return {
    hasFailed: run?.status === "failed",
    ...(found?.next !== undefined && { path: makeFormPath(platform, runId, found.next) }),
  };
}

const FINAL: ReadonlySet<StepStatus> = new Set(["completed", "failed", "skipped", "cancelled"]);

/** True while a step can still show a form to the sender. */
function asksFurther({ nodes }: Graph, steps: Steps): boolean {
  return nodes.some(
    (node) => asksSender(node) && !FINAL.has(steps.get(node.id)?.status ?? "ready"),
  );
}

/** Finds the waiting step whose form is for the sender. */
export function findNextForm(
  graph: Graph,
  steps: Iterable<JournalRecord>,
  sender: string | undefined,
): string | undefined {
  const all = [...steps].filter(({ wait }) => wait?.kind === "form");
  const askers = new Map<string, string | undefined>();
  /**
   * Returns the step whose address was sent to the person, or undefined for the person who started the run.
   * Ignores forms on parallel branches because other people can submit them.
   */
  const findAsker = (path: string): string | undefined => {
    if (askers.has(path)) return askers.get(path);
    let before: SentRecord | undefined;
    for (const record of all) {
      if (isSent(record) && isBefore(graph, record.path, path)) {
        before = before ? pickLater(graph, before, record) : record;
      }
    }
    const asker = before && (isForSender(before) ? findAsker(before.path) : before.path);
    askers.set(path, asker);
    return asker;
  };
  const from = all.find(({ path }) => path === sender);
  const person = from && isForSender(from) ? findAsker(from.path) : sender;
  const isNext = (record: JournalRecord): boolean =>
    record.status === "waiting" &&
    !record.answer &&
    isForSender(record) &&
    findAsker(record.path) === person;
  return all.find(isNext)?.path;
}

type SentRecord = JournalRecord & {
  readonly answer: Extract<WaitAnswer, { readonly kind: "form" }>;
};

function isSent(record: JournalRecord): record is SentRecord {
  return record.answer?.kind === "form";
}

function isForSender({ wait }: JournalRecord): boolean {
  return wait?.kind === "form" && wait.shownTo === "sender";
}

/** The order of the graph takes precedence over timestamps, because each process has its own clock. */
function pickLater(graph: Graph, one: SentRecord, other: SentRecord): SentRecord {
  if (isBefore(graph, one.path, other.path)) return other;
  if (isBefore(graph, other.path, one.path)) return one;
  return other.answer.form.submittedAt > one.answer.form.submittedAt ? other : one;
}
