/** Keys that prevent duplicate runs for the same input. */
import type { Dedupe } from "#domains/workflows/index.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { RunContext } from "../engine/run-context.ts";

const WINDOW_MS = 86_400_000;
const FORGOTTEN_MAX = 100;

/**
 * Reserves the deduplication key before writing the run. Concurrent callers wait for the commit. Returns the
 * run if the key is already used.
 */
export async function takeKey(
  ctx: WriteContext<never>,
  run: RunContext,
  { rule, triggerId }: { readonly rule: Dedupe | undefined; readonly triggerId: string },
): Promise<string | undefined> {
  const key = rule && readKey(run.trigger, rule.key);
  if (rule === undefined || key === undefined) return undefined;
  const expiresAt = new Date(ctx.now.getTime() + (rule.windowMs ?? WINDOW_MS));
  const values = [run.workflowId, triggerId, sha256(key), run.id, expiresAt, ctx.now];
  const [row] = await ctx.send<{ run_id: string }>(TAKE, values);
  void ctx.send(FORGET, [ctx.now, FORGOTTEN_MAX]);
  return row?.run_id === run.id ? undefined : row?.run_id;
}

// An update that changes nothing locks the row and gives it back.
const TAKE = `
  insert into trigger_keys as k (workflow_id, trigger_id, hash, run_id, expires_at)
  values ($1, $2, $3, $4, $5)
  on conflict (workflow_id, environment, trigger_id, hash) do update
     set run_id = case when k.expires_at <= $6 then excluded.run_id else k.run_id end,
         expires_at = case when k.expires_at <= $6 then excluded.expires_at else k.expires_at end
  returning run_id`;
const FORGET = `
  delete from trigger_keys where ctid = any (array(
    select ctid from trigger_keys where expires_at <= $1 limit $2 for update skip locked))`;

/** The value at a path of names. A number is converted to a string. */
export function readKey(trigger: unknown, path: string): string | undefined {
  let value = trigger;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
