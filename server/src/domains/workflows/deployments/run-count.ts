import type { Tx } from "#kernel/db/connection.ts";
import { extensionPoint } from "#kernel/extension-point.ts";

/** Counts the unfinished runs of a workflow in this environment, by version and status. */
export type RunCounter = (tx: Tx, workflowId: string) => Promise<readonly RunCount[]>;

export interface RunCount {
  readonly versionId: string;
  /** Null if the version was deleted. */
  readonly version: number | null;
  readonly status: string;
  readonly count: number;
}

/** Extension point through which the runs domain counts active runs. */
export const RunCountPoint = extensionPoint<RunCounter>("workflows.run_count");
