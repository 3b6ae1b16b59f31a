import type pg from "pg";
import { pino } from "pino";
import { systemCaller } from "#kernel/access/caller.ts";
import { loadMasterKey } from "#kernel/access/crypto.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { prepareDatabase } from "#kernel/db/setup/prepare-database.ts";
import { Kernel } from "#kernel/kernel.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { Act } from "#kernel/operation/act.ts";
import { readSettings } from "#kernel/settings.ts";
import { domains } from "../app.ts";
import { withDatabase } from "./database.ts";

/**
 * Runs work on an installation with the product's kernel. A running server learns of it from the log, as from another
 * node.
 */
export async function withKernel<T>(
  env: NodeJS.ProcessEnv,
  work: (kernel: Kernel, owner: pg.ClientConfig) => Promise<T>,
): Promise<T> {
  const settings = readSettings(env);
  return withDatabase(
    settings,
    async (owner) => {
      const masterKey = loadMasterKey(settings.masterKey, settings.dataDir);
      const database = await prepareDatabase(owner, masterKey);
      const log = pino({ level: "silent" });
      const kernel = await Kernel.open({ database, settings, masterKey, domains, log });
      try {
        return await work(kernel, owner);
      } finally {
        await kernel.close();
      }
    },
    { beside: true },
  );
}

/** One transaction of the operator with its events. */
export async function performAct<T>(
  kernel: Kernel,
  partition: Partition,
  run: (ctx: WriteContext) => Promise<T>,
): Promise<T> {
  const caller = systemCaller(partition, {
    correlationId: newCorrelationId(kernel.clock),
    depth: 0,
  });
  return kernel.db.write(partition, async (session) => {
    const act = new Act({ session, services: kernel, caller });
    const value = await run(act.ctx);
    act.finish();
    return value;
  });
}
