import type { Caller, Outside } from "#kernel/caller.ts";
import { workspaceOf } from "../draft.ts";
import * as store from "../store.ts";
import { connectorTypeOf } from "../types/all.ts";
import type { TestAnswer } from "../types/connector-type.ts";
import { openUse } from "./opening.ts";
import { attempted } from "./outcome.ts";
import type { Invoked } from "./invoking.ts";

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
