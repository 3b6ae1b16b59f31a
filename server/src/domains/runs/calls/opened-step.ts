/** Finds the step for a resume address. */
import {
  nodeAt,
  type PlannedVersion,
  type PlanNode,
  planOfVersion,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { foldJournal, type JournalRecord } from "../engine/journal-record.ts";
import type { RunRow } from "../engine/store.ts";
import { readEntries, readRows } from "../store.ts";
import { WaitOver } from "./call-state.ts";
import { readResumeToken } from "./resume-address.ts";

export interface OpenedStep {
  readonly row: RunRow;
  readonly version: PlannedVersion;
  readonly path: string;
  readonly node: PlanNode;
  /** Undefined before the step starts. */
  readonly record: JournalRecord | undefined;
}

/** Finds the step of an address. Throws 404 for a forged address, and 410 if the execution plan was deleted. */
export async function openStep(
  platform: Platform,
  { runId, token }: { readonly runId: string; readonly token: string },
  { address }: Pick<Caller, "address">,
): Promise<OpenedStep> {
  const path = readResumeToken(platform, runId, token);
  if (path === undefined) throw new Failure(NotFound);
  // Checked before the journal is read, which can be long.
  const { rateLimit, settings } = platform;
  rateLimit.assert(`call ${runId} from ${classifyAddress(address)}`, settings.rateLimit);
  rateLimit.assert(`call ${runId}`, settings.rateLimit);
  const [place] = await platform.db.system<Pick<RunRow, "workspace_id" | "environment">>(
    "select workspace_id, environment from runs where id = $1",
    [runId],
  );
  if (!place) throw new Failure(NotFound);
  const partition = { workspace: place.workspace_id, environment: place.environment };
  const { row, record } = await platform.db.read(partition, async (tx) => {
    const [found] = await readRows(tx, [runId]);
    const entries = await readEntries(tx, runId);
    const steps = foldJournal(entries.flatMap(({ records }) => [...records]));
    return { row: found, record: steps.get(path) };
  });
  if (!row) throw new Failure(NotFound);
  const version = await planOfVersion(platform, row.version_id);
  const node = version && nodeAt(version.plan.graph, path);
  if (!version || !node?.type.takesCalls) throw new Failure(WaitOver);
  return { row, version, path, node, record };
}
