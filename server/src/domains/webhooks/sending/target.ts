import type { Platform } from "#kernel/contract.ts";
import { findSecretReferences } from "#kernel/secrets/secret-reference.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import { scrubberOf } from "../header.ts";
import { signingSecrets } from "../secret.ts";
import type { RetryPolicy, RetryStrategy } from "./backoff.ts";

/** Where a webhook's deliveries go, and how. */
export interface Target {
  readonly id: string;
  readonly workspace: string;
  readonly revision: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the headers refer to secrets. */
  readonly refers: boolean;
  readonly timeoutMs: number;
  readonly policy: RetryPolicy;
  readonly maxPerSecond: number | null;
  /** The signing secrets, the current one first. */
  readonly secrets: readonly string[];
  /** What takes out of texts what the webhook does not show. */
  readonly scrubber: Scrubber;
  /** When the second secret ends. */
  readonly secretsUntilMs: number;
  /** Why nothing can be sent to it, such as a secret that no longer opens. */
  readonly broken?: unknown;
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
}

const READ = `
  select id, workspace_id, revision, url, headers, timeout_ms, retries, retry_strategy, retry_max_delay_ms,
         max_per_second, secret, previous_secret, previous_secret_until
    from webhooks where id = any($1) and (status = 'active' or $2)`;

/** Where a webhook's deliveries go, whether or not it is active. */
export async function readTarget(platform: Platform, id: string): Promise<Target | undefined> {
  const [row] = await platform.db.system<TargetRow>(READ, [[id], true]);
  return row && toTarget(platform, row);
}

/** Those of these webhooks that are active. */
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
    refers: findSecretReferences(row.headers).length > 0,
    timeoutMs: row.timeout_ms,
    policy: {
      retries: row.retries,
      strategy: row.retry_strategy,
      maxDelayMs: row.retry_max_delay_ms,
    },
    maxPerSecond: row.max_per_second,
  };
  try {
    const { secrets, untilMs } = await signingSecrets(platform, row.workspace_id, row.id, row);
    const scrubber = scrubberOf(row.headers, secrets);
    return { ...common, secrets, secretsUntilMs: untilMs, scrubber };
  } catch (broken) {
    // One webhook that can't be sent for must not hold up the others.
    const scrubber = scrubberOf(row.headers, []);
    return { ...common, secrets: [], secretsUntilMs: 0, scrubber, broken };
  }
}
