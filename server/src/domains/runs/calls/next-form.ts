/** The form to which whoever sent the one before is led. */
import { asksSender, type Graph, isBefore, type StepStatus } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { foldJournal, type JournalRecord, type WaitAnswer } from "../engine/journal-record.ts";
import { readJournals } from "../engine/store.ts";
import { awaitRun, type WaitOptions } from "../run-watch.ts";
import { makeFormPath } from "./resume-address.ts";

interface NextForm {
  /** Of the page; none where nobody is asked further. */
  readonly path?: string;
  readonly hasFailed: boolean;
}

/** How long a page that was sent waits for what comes next. */
export const FORM_WAIT_MAX_MS = 30_000;

export type Steps = ReadonlyMap<string, JournalRecord>;

/**
 * Waits for the form that follows one that was sent, until the run ends or the time does, or nothing asks further and
 * the answer is there.
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
    /** The step whose form was sent; undefined for the trigger. */
    readonly sender: string | undefined;
    /** True when the steps have what is shown where nobody is asked further. */
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

/** True while a step may still ask whoever sent a form. */
function asksFurther({ nodes }: Graph, steps: Steps): boolean {
  return nodes.some(
    (node) => asksSender(node) && !FINAL.has(steps.get(node.id)?.status ?? "ready"),
  );
}

/** The step that asks the sender. */
export function findNextForm(
  graph: Graph,
  steps: Iterable<JournalRecord>,
  sender: string | undefined,
): string | undefined {
  const all = [...steps].filter(({ wait }) => wait?.kind === "form");
  const askers = new Map<string, string | undefined>();
  /**
   * The step whose address the person who is asked was told; undefined for whoever began the run. Forms of branches and
   * items that are done beside it say nothing about that: others may fill them in.
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

/** The order of the graph counts before that of clocks, of which each process has its own. */
function pickLater(graph: Graph, one: SentRecord, other: SentRecord): SentRecord {
  if (isBefore(graph, one.path, other.path)) return other;
  if (isBefore(graph, other.path, one.path)) return one;
  return other.answer.form.submittedAt > one.answer.form.submittedAt ? other : one;
}
