import { call, type Input, type OperationId, type Schemas } from "../../data/api.ts";

export type DryRun = Schemas["DryRun"];

/** Runs a command and rolls it back, to show its effect. It fails if the command would fail. */
export async function dryRun<O extends OperationId>(
  id: O,
  input: Input<O>,
  signal: AbortSignal,
): Promise<DryRun> {
  const { query } = input as { readonly query?: object };
  const tried = { ...input, query: { ...query, dryRun: true } };
  // The signal keeps the request out of the offline queue: an abandoned preview must not be sent later.
  const answer: unknown = await call(id, tried, { signal });
  return (answer as { readonly data: DryRun }).data;
}
