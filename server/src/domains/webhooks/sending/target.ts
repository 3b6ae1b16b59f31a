import type { Authority } from "#domains/identity/accounts/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { findSecretReferences } from "#kernel/secrets/secret-reference.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import { createScrubber } from "../header.ts";
import { signingSecrets } from "../secret.ts";
import type { RetryPolicy, RetryStrategy } from "./backoff.ts";

/** The endpoint of a webhook, with everything that an attempt needs. */
export interface Target {
  readonly id: string;
  readonly workspace: string;
  readonly revision: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** True when the headers refer to secrets. */
  readonly hasReferences: boolean;
  readonly timeoutMs: number;
  readonly policy: RetryPolicy;
  readonly maxPerSecond: number | null;
  /** The signing secrets, the current one first. */
  readonly secrets: readonly string[];
  /** Removes the secrets of the webhook from texts. */
  readonly scrubber: Scrubber;
  /** The expiry of the previous secret. */
  readonly secretsUntilMs: number;
  /** An error that prevents every attempt, such as a secret that cannot be decrypted. */
  readonly error?: unknown;
  /** In whose name it is sent. */
  readonly authority: Authority;
}

interface TargetRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly revision: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout_ms: number;
  readonly retries: number;
  readonly retry_strategy: RetryStrategy;
  readonly retry_max_delay_ms: number | null;
  readonly max_per_second: number | null;
  readonly secret: Buffer | null;
  readonly previous_secret: Buffer | null;
  readonly previous_secret_until: string | null;
  readonly saved_by: string | null;
  readonly permissions: readonly string[] | null;
}

const READ = `
  select id, workspace_id, revision, url, headers, timeout_ms, retries, retry_strategy, retry_max_delay_ms,
         max_per_second, secret, previous_secret, previous_secret_until, saved_by, permissions
    from webhooks where id = any($1) and (status = 'active' or $2)`;

/** Reads the target of a webhook, active or not. */
export async function readTarget(platform: Platform, id: string): Promise<Target | undefined> {
  const [row] = await platform.db.system<TargetRow>(READ, [[id], true]);
  return row && toTarget(platform, row);
}

/** Reads the targets of the active webhooks among these. */
export async function readTargets(platform: Platform, ids: readonly string[]): Promise<Target[]> {
  if (ids.length === 0) return [];
  const rows = await platform.db.system<TargetRow>(READ, [ids, false]);
  return Promise.all(rows.map((row) => toTarget(platform, row)));
}

async function toTarget(platform: Platform, row: TargetRow): Promise<Target> {
  const common = {
    id: row.id,
    workspace: row.workspace_id,
    revision: row.revision,
    url: row.url,
    headers: row.headers,
    hasReferences: findSecretReferences(row.headers).length > 0,
    timeoutMs: row.timeout_ms,
    policy: {
      retries: row.retries,
      strategy: row.retry_strategy,
      maxDelayMs: row.retry_max_delay_ms,
    },
    maxPerSecond: row.max_per_second,
    authority: { runAs: row.saved_by ?? "", permissions: row.permissions },
  };
  try {
    const { secrets, untilMs } = await signingSecrets(platform, row.workspace_id, row.id, row);
    const scrubber = createScrubber(row.headers, secrets);
    return { ...common, secrets, secretsUntilMs: untilMs, scrubber };
  } catch (error) {
    // One invalid webhook must not block the others.
    const scrubber = createScrubber(row.headers, []);
    return { ...common, secrets: [], secretsUntilMs: 0, scrubber, error };
  }
}
