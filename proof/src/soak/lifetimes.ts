import type { SharedDatabase } from "../nodes/database.ts";

/**
 * If the product has a fixed retention time, a trigger in this database shortens it when a row is written. Updating
 * rows afterwards would leave a dead row for each.
 */
const SHORTENED: readonly (readonly [table: string, change: string])[] = [
  ["idempotency_keys", "new.expires_at := least(new.expires_at, now() + kept)"],
  ["message_keys", "new.expires_at := least(new.expires_at, now() + kept)"],
  ["sessions", "new.expires_at := least(new.expires_at, now() + kept)"],
  ["notifications", "new.created_at := new.created_at - interval '90 days' + kept"],
  ["app_embed_tokens", "new.created_at := new.created_at - interval '8 days' + kept"],
];

/** Shortens fixed lifetimes to this number of minutes. */
export async function shorten({ rows }: SharedDatabase, minutes: number): Promise<void> {
  for (const [table, change] of SHORTENED) {
    await rows(`
      create function soak_${table}() returns trigger language plpgsql as $$
      declare kept constant interval := interval '${minutes} minutes';
      begin ${change}; return new; end $$;
      create trigger soak before insert on ${table} for each row execute function soak_${table}()`);
  }
  // An export gets its expiry when it is finished.
  await rows(`
    create function soak_exports() returns trigger language plpgsql as $$
    begin new.expires_at := least(new.expires_at, now() + interval '${minutes} minutes'); return new; end $$;
    create trigger soak before insert or update on exports for each row execute function soak_exports()`);
}
