/** Failed runs by workflow: a workflow that failed a hundred times is one thing to look at. */
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
  /** The newest of them. */
  readonly runId: string;
  readonly message: string;
  readonly times: number;
  readonly at: string;
}

/** The runs are newest first, and so are the failures. */
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
