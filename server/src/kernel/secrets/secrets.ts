import type { Caller } from "../access/caller.ts";
import { open, seal } from "../access/crypto.ts";
import { permission } from "../access/permission.ts";
import type { Database } from "../db/database.ts";
import { Failure, failure, Forbidden } from "../operation/failure.ts";
import type { WorkspaceKeys } from "../access/workspace-keys.ts";
import { recentSecrets } from "./recent-secrets.ts";
import { findSecretReferences, substituteSecrets } from "./secret-reference.ts";
import { Scrubber } from "./scrubber.ts";
import { recordSecretUse } from "./used-secrets.ts";

export const UnknownSecret = failure(
  "unknown_secret",
  422,
  "A secret that is referred to does not exist.",
);

/** The right to have the value of a secret put in, in whatever one writes. */
export const SecretsUse = permission(
  "secrets:use",
  "Use the values of secrets in own workflows, scripts, webhooks and connectors",
  ["builder"],
);

/** Finds the rights of whoever a secret is used for; asked only where there is a secret to use. */
export type SecretUser = () => Promise<Pick<Caller, "permissions"> | undefined>;

const BATCH_SECRETS_MAX = 1_000;

const READ = `
  select s.workspace_id, s.name, s.sealed
    from unnest($1::uuid[], $2::text[]) as r (workspace_id, name)
    join secrets s on s.workspace_id = r.workspace_id and s.name = r.name`;

/** Written no oftener than once a minute for each: a row that changes all the time is dear. */
const TOUCH = `
  update secrets s set last_used_at = now()
    from unnest($1::uuid[], $2::text[]) as u (workspace_id, name)
   where s.workspace_id = u.workspace_id and s.name = u.name
     and (s.last_used_at is null or s.last_used_at < now() - interval '1 minute')`;
const TOUCH_MS = 10_000;

interface SecretRow {
  readonly workspace_id: string;
  readonly name: string;
  readonly sealed: Buffer;
}

interface PendingRead {
  readonly workspace: string;
  readonly name: string;
  readonly resolve: (sealed: Buffer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The values of the vault, for code that acts on behalf of a workspace. Each use reads the database, so
 * that a rotation is effective at once on every node; under load many uses share one query.
 */
export class Secrets {
  readonly #db: Database;
  readonly #keys: WorkspaceKeys;
  #pending: PendingRead[] = [];
  #reading = false;
  /** The secrets that were used since the last touch, by workspace. */
  #used = new Map<string, Set<string>>();

  constructor(db: Database, keys: WorkspaceKeys) {
    this.#db = db;
    this.#keys = keys;
  }

  /** Replaces `{{secrets.NAME}}` in a value; the scrubber removes the secrets from results. */
  async resolve<T>(
    workspace: string,
    value: T,
    user: SecretUser,
  ): Promise<{ readonly value: T; readonly scrubber: Scrubber }> {
    const { values, scrubber } = await this.read(workspace, findSecretReferences(value), user);
    // Only texts are replaced, so the type stays.
    return { value: values.size === 0 ? value : (substituteSecrets(value, values) as T), scrubber };
  }

  /**
   * The values of these secrets by name. Fails when they are for somebody who may not use secrets, and with
   * `unknown_secret` when one does not exist.
   */
  async read(
    workspace: string,
    names: readonly string[],
    user: SecretUser,
  ): Promise<{ readonly values: ReadonlyMap<string, string>; readonly scrubber: Scrubber }> {
    if (names.length > 0) assertMayUse(await user());
    const rows = await this.#find(workspace, names);
    const absent = rows.filter(({ sealed }) => sealed === undefined).map(({ name }) => name);
    if (absent.length > 0) {
      throw new Failure(UnknownSecret, { detail: `There is no secret ${absent.join(", ")}.` });
    }
    const key = rows.length === 0 ? undefined : await this.#keys.of(workspace);
    const secrets = rows.flatMap(({ name, sealed }) =>
      key && sealed
        ? [recentSecrets.remember(name, open(key, sealed, sealContext(workspace, name)).toString())]
        : [],
    );
    recordSecretUse(secrets);
    for (const { name } of secrets) this.#noteUse(workspace, name);
    const values = new Map(secrets.map(({ name, value }) => [name, value]));
    return { values, scrubber: new Scrubber(secrets) };
  }

  /** Writes when secrets were used, one statement for many uses; resolves to when it wants to be called next. */
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

  /** The names without a secret. */
  async findMissing(workspace: string, names: readonly string[]): Promise<string[]> {
    const rows = await this.#find(workspace, names);
    return rows.filter(({ sealed }) => sealed === undefined).map(({ name }) => name);
  }

  /** Seals a value as the vault stores it. */
  async seal(workspace: string, name: string, value: string): Promise<Buffer> {
    const key = await this.#keys.of(workspace);
    return seal(key, Buffer.from(value), sealContext(workspace, name));
  }

  #find(workspace: string, names: readonly string[]) {
    const found = [...new Set(names)].map(async (name) => ({
      name,
      sealed: await new Promise<Buffer | undefined>((resolve, reject) => {
        this.#pending.push({ workspace, name, resolve, reject });
      }),
    }));
    if (!this.#reading) void this.#readAll();
    return Promise.all(found);
  }

  /** Runs one query after another, each for all reads that were added during the one before. */
  async #readAll(): Promise<void> {
    this.#reading = true;
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, BATCH_SECRETS_MAX);
      try {
        const rows = await this.#db.system<SecretRow>(READ, [
          batch.map(({ workspace }) => workspace),
          batch.map(({ name }) => name),
        ]);
        const sealed = new Map(
          rows.map((row) => [sealContext(row.workspace_id, row.name), row.sealed]),
        );
        for (const { workspace, name, resolve } of batch) {
          resolve(sealed.get(sealContext(workspace, name)));
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#reading = false;
  }
}

function assertMayUse(user: Pick<Caller, "permissions"> | undefined): void {
  if (user?.permissions.has(SecretsUse.name)) return;
  throw new Failure(Forbidden, {
    detail: `The secrets in it need the permission ${SecretsUse.name} of the person in whose name it acts.`,
  });
}

/** Binds a sealed value to its secret: moved to another name or workspace it does not open. */
function sealContext(workspace: string, name: string): string {
  return `secret ${workspace} ${name}`;
}
