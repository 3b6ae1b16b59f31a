import type { Caller } from "../access/caller.ts";
import { open, seal } from "../access/crypto.ts";
import { permission } from "../access/permission.ts";
import { BatchedRead } from "../work/batched-read.ts";
import type { Database } from "../db/database.ts";
import type { Partition } from "../db/partition.ts";
import { Failure, failure, Forbidden } from "../operation/failure.ts";
import type { WorkspaceKeys } from "../access/workspace-keys.ts";
import { recentSecrets } from "./recent-secrets.ts";
import { findSecretReferences, substituteSecrets } from "./secret-reference.ts";
import { Scrubber } from "./scrubber.ts";
import { recordSecretUse } from "./used-secrets.ts";

export const UnknownSecret = failure("unknown_secret", 422, "A referenced secret does not exist.");

/** The permission to use secret values in definitions that the user writes. */
export const SecretsUse = permission(
  "secrets:use",
  "Use secret values in own workflows, scripts, webhooks and connectors",
  ["builder"],
);

/** Finds the permissions of the user a secret is used for. Only called if there is a secret to use. */
export type SecretUser = () => Promise<Pick<Caller, "permissions"> | undefined>;

const BATCH_SECRETS_MAX = 1_000;

/** The value of the environment, or of production unless the secret is limited to it. */
const READ = `
  select r.at::int - 1 as at, coalesce(v.sealed, s.sealed) as sealed, v.sealed is not null as own,
         v.sealed is null and s.own_values_only and r.environment <> 'production' as withheld
    from unnest($1::uuid[], $2::text[], $3::environment[]) with ordinality as r (workspace_id, name, environment, at)
    join secrets s on s.workspace_id = r.workspace_id and s.name = r.name
    left join secret_values v
      on v.workspace_id = r.workspace_id and v.name = r.name and v.environment = r.environment`;

/** Written at most once a minute per secret, because frequent row updates are expensive. */
const TOUCH = `
  update secrets s set last_used_at = now()
    from unnest($1::uuid[], $2::text[]) as u (workspace_id, name)
   where s.workspace_id = u.workspace_id and s.name = u.name
     and (s.last_used_at is null or s.last_used_at < now() - interval '1 minute')`;
const TOUCH_MS = 10_000;

interface SecretRow {
  readonly at: number;
  readonly sealed: Buffer;
  /** True for a value of the environment itself. */
  readonly own: boolean;
  /** True if only production has a value, and other environments must not use it. */
  readonly withheld: boolean;
}

interface SecretKey extends Pick<Partition, "workspace" | "environment"> {
  readonly name: string;
}

/**
 * Vault values for code that acts for a workspace. Each use reads the database, so a rotation is effective immediately
 * on every node. Under load, many uses share one query.
 */
export class Secrets {
  readonly #db: Database;
  readonly #keys: WorkspaceKeys;
  readonly #rows: BatchedRead<SecretKey, SecretRow>;
  /** Secrets used since the last touch, by workspace. */
  #used = new Map<string, Set<string>>();

  constructor(db: Database, keys: WorkspaceKeys) {
    this.#db = db;
    this.#keys = keys;
    this.#rows = new BatchedRead(BATCH_SECRETS_MAX, (batch) => this.#readRows(batch));
  }

  /** Replaces `{{secrets.NAME}}` in a value. The scrubber removes the secrets from results. */
  async resolve<T>(
    partition: Partition,
    value: T,
    user: SecretUser,
  ): Promise<{ readonly value: T; readonly scrubber: Scrubber }> {
    const { values, scrubber } = await this.read(partition, findSecretReferences(value), user);
    // Only texts are replaced, so the type stays the same.
    return { value: values.size === 0 ? value : (substituteSecrets(value, values) as T), scrubber };
  }

  /**
   * Reads secret values by name. Fails if the user lacks the permission to use secrets, or with
   * `unknown_secret` if a secret or its value is missing.
   */
  async read(
    partition: Partition,
    names: readonly string[],
    user: SecretUser,
  ): Promise<{ readonly values: ReadonlyMap<string, string>; readonly scrubber: Scrubber }> {
    if (names.length > 0) assertMayUse(await user());
    const { workspace, environment } = partition;
    const found = await this.#find(partition, names);
    assertPresent(found, environment);
    const key = found.length === 0 ? undefined : await this.#keys.of(workspace);
    const secrets = found.flatMap(({ name, row }) => {
      if (!key || !row) return [];
      const context = sealContext(workspace, name, row.own ? environment : undefined);
      return [recentSecrets.remember(name, open(key, row.sealed, context).toString())];
    });
    recordSecretUse(secrets);
    for (const { name } of secrets) this.#noteUse(workspace, name);
    const values = new Map(secrets.map(({ name, value }) => [name, value]));
    return { values, scrubber: new Scrubber(secrets) };
  }

  /** Saves the last use of secrets in one statement for many uses. Resolves to the delay until the next call. */
  async touch(): Promise<number> {
    const used = [...this.#used].flatMap(([workspace, names]) =>
      [...names].map((name) => ({ workspace, name })),
    );
    this.#used = new Map();
    if (used.length > 0) {
      await this.#db.system(TOUCH, [
        used.map(({ workspace }) => workspace),
        used.map(({ name }) => name),
      ]);
    }
    return TOUCH_MS;
  }

  #noteUse(workspace: string, name: string): void {
    const names = this.#used.get(workspace);
    if (names) names.add(name);
    else this.#used.set(workspace, new Set([name]));
  }

  /** The names without a secret value in this environment. */
  async findMissing(partition: Partition, names: readonly string[]): Promise<string[]> {
    const found = await this.#find(partition, names);
    return found.filter(({ row }) => !row || row.withheld).map(({ name }) => name);
  }

  /** Seals a value for the vault. A value of one environment cannot be opened in another. */
  async seal(
    { workspace, name, environment }: Omit<SecretKey, "environment"> & Partial<SecretKey>,
    value: string,
  ): Promise<Buffer> {
    const key = await this.#keys.of(workspace);
    return seal(key, Buffer.from(value), sealContext(workspace, name, environment));
  }

  #find({ workspace, environment }: Partition, names: readonly string[]) {
    return Promise.all(
      [...new Set(names)].map(async (name) => ({
        name,
        row: await this.#rows.get({ workspace, environment, name }),
      })),
    );
  }

  async #readRows(keys: readonly SecretKey[]): Promise<ReadonlyMap<number, SecretRow>> {
    const rows = await this.#db.system<SecretRow & Record<string, unknown>>(READ, [
      keys.map(({ workspace }) => workspace),
      keys.map(({ name }) => name),
      keys.map(({ environment }) => environment),
    ]);
    return new Map(rows.map((row) => [row.at, row]));
  }
}

/** Fails if a secret does not exist or has no value in this environment. The detail states which. */
function assertPresent(
  found: readonly { readonly name: string; readonly row: SecretRow | undefined }[],
  environment: string,
): void {
  const absent = found.filter(({ row }) => !row).map(({ name }) => name);
  if (absent.length > 0) {
    throw new Failure(UnknownSecret, { detail: `There is no secret ${absent.join(", ")}.` });
  }
  const withheld = found.filter(({ row }) => row?.withheld).map(({ name }) => name);
  if (withheld.length > 0) {
    const names = withheld.join(", ");
    const detail = `${names} has no value for ${environment}, and the production value must not be used there.`;
    throw new Failure(UnknownSecret, { detail });
  }
}

function assertMayUse(user: Pick<Caller, "permissions"> | undefined): void {
  if (user?.permissions.has(SecretsUse.name)) return;
  throw new Failure(Forbidden, {
    detail: `The owner needs the permission ${SecretsUse.name} to use these secrets.`,
  });
}

/** Binds a sealed value to its secret: under another name, workspace or environment it does not open. */
function sealContext(workspace: string, name: string, environment?: string): string {
  const secret = `secret ${workspace} ${name}`;
  return environment === undefined ? secret : `${secret} ${environment}`;
}
