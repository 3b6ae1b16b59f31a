import type { Tx } from "#kernel/db/connection.ts";
import { extensionPoint } from "#kernel/extension-point.ts";

/** Counts the runs of a workflow in this environment that are not over, by version and status. */
export type RunCounter = (tx: Tx, workflowId: string) => Promise<readonly RunCount[]>;

export interface RunCount {
  readonly versionId: string;
  /** Null when the version is no longer kept. */
  readonly version: number | null;
  readonly status: string;
  readonly count: number;
}

/** Where the domain that runs workflows tells how many are under way. */
export const RunCountPoint = extensionPoint<RunCounter>("workflows.run_count");
