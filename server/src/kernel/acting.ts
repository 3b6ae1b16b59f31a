import { Act } from "./operation/act.ts";
import { type Outside, systemCaller } from "./access/caller.ts";
import type { Partition } from "./db/database.ts";
import type { Cause } from "./log/event.ts";
import type { WriteContext } from "./operation/operation.ts";

/** One act of the platform itself, in a transaction of its own: for engines, which are neither asked nor claimed. */
export function actBecause<T>(
  outside: Outside,
  partition: Partition,
  cause: Cause,
  work: (ctx: WriteContext) => Promise<T>,
): Promise<T> {
  return outside.db.write(partition, async (session) => {
    const act = new Act({ session, services: outside, caller: systemCaller(partition, cause) });
    const value = await work(act.ctx);
    act.finish();
    return value;
  });
}
