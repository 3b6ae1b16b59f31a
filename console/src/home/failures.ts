/** Groups failed runs by workflow: a hundred failures of one workflow are one entry. */
export interface FailedRun {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly error: { readonly message: string } | null;
  readonly createdAt: string;
}

export interface Failure {
  readonly workflowId: string;
  readonly workflowName: string;
  /** The newest failed run. */
  readonly runId: string;
  readonly message: string;
  readonly times: number;
  readonly at: string;
}

/** The runs are sorted newest first, and so are the results. */
export function groupFailures(runs: readonly FailedRun[]): readonly Failure[] {
  const failures = new Map<string, Failure>();
  for (const { id, workflowId, workflowName, error, createdAt } of runs) {
    const known = failures.get(workflowId);
    const newest = {
      workflowId,
      workflowName,
      runId: id,
      message: error?.message ?? "",
      times: 0,
      at: createdAt,
    };
    failures.set(workflowId, { ...(known ?? newest), times: (known?.times ?? 0) + 1 });
  }
  return [...failures.values()];
}
