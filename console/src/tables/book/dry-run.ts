import { call, type Input, type OperationId, type Schemas } from "../../data/api.ts";

export type DryRun = Schemas["DryRun"];

/** Performs a command and takes it back: what would come of it, and nothing stays. Fails as the command would. */
export async function dryRun<O extends OperationId>(
  id: O,
  input: Input<O>,
  signal: AbortSignal,
): Promise<DryRun> {
  const { query } = input as { readonly query?: object };
  const tried = { ...input, query: { ...query, dryRun: true } };
  // A signal keeps it out of the outbox: a preview that nobody waits for any more is not sent later.
  const answer: unknown = await call(id, tried, { signal });
  return (answer as { readonly data: DryRun }).data;
}
