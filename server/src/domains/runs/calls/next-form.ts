/** The form to which whoever sent the one before is led. */
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { foldJournal, type JournalRecord } from "../engine/journal-record.ts";
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

/** Waits for the form that follows one that was sent, until the run ends or the time does. */
export async function awaitNextForm(
  platform: Platform,
  partition: Partition,
  {
    runId,
    sender,
  }: {
    readonly runId: string;
    /** The step whose form was sent; undefined for the trigger. */
    readonly sender: string | undefined;
  },
  options: WaitOptions,
): Promise<NextForm> {
  const { run, found } = await awaitRun(platform, partition, runId, {
    ...options,
    async look() {
      const entries = await readJournals(platform, [runId]);
      const steps = foldJournal(entries.flatMap(({ records }) => [...records]));
      return findNextForm(steps.values(), sender);
    },
  });
  return {
    hasFailed: run?.status === "failed",
    ...(found !== undefined && { path: makeFormPath(platform, runId, found) }),
  };
}

/** The step that asks the sender; nobody is led to one if somebody else has sent a form since. */
export function findNextForm(
  steps: Iterable<JournalRecord>,
  sender: string | undefined,
): string | undefined {
  let next: string | undefined;
  let latest: { readonly path: string; readonly at: string } | undefined;
  for (const { path, status, wait, answer } of steps) {
    if (wait?.kind !== "form") continue;
    if (answer?.kind === "form") {
      const { submittedAt: at } = answer.form;
      if (latest === undefined || at > latest.at) latest = { path, at };
    } else if (status === "waiting" && wait.shownTo === "sender") next ??= path;
  }
  return latest?.path === sender ? next : undefined;
}
