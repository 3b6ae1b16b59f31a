import type { Caller, Outside } from "#kernel/access/caller.ts";
import { workspaceOf } from "../connector-input.ts";
import * as store from "../store.ts";
import { connectorTypeOf } from "../types/registry.ts";
import type { TestAnswer } from "../types/connector-type.ts";
import { openUse } from "../invocation/open-connection.ts";
import { attempted } from "../invocation/outcome.ts";
import type { Invoked } from "../invocation/invoke.ts";

/** Tries a connection, whatever the breaker says, and once. */
export async function tryOut(outside: Outside, caller: Caller, id: string): Promise<Invoked> {
  const partition = { workspace: workspaceOf(caller), environment: caller.environment };
  const guarded = await outside.db.read(partition, (tx) => store.getGuarded(tx, id));
  const type = connectorTypeOf(guarded.connector.type);
  const use = await openUse(outside, caller, guarded, { retries: 0 });
  try {
    const outcome = await attempted((): Promise<TestAnswer> => type.test(use as never));
    return { guarded, outcome };
  } finally {
    use.deadline.stop();
  }
}
