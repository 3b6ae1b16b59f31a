import { type MasterKey, newDataKey } from "./crypto.ts";
import type { Database } from "../db/database.ts";

const CACHED_KEYS_MAX = 1_000;

/** The data key of each workspace, unwrapped once and cached in memory. */
export class WorkspaceKeys {
  readonly #db: Database;
  readonly #masterKey: MasterKey;
  readonly #cache = new Map<string, Buffer>();

  constructor(db: Database, masterKey: MasterKey) {
    this.#db = db;
    this.#masterKey = masterKey;
  }

  async of(workspace: string): Promise<Buffer> {
    const cached = this.#cache.get(workspace);
    if (cached) return cached;
    const [row] = await this.#db.system<{ wrapped: Buffer }>(
      "select wrapped from workspace_keys where workspace_id = $1",
      [workspace],
    );
    if (!row) throw new Error("A workspace has no data key.");
    const key = this.#masterKey.unwrap(row.wrapped, workspace);
    if (this.#cache.size >= CACHED_KEYS_MAX) this.#cache.clear();
    this.#cache.set(workspace, key);
    return key;
  }

  /** A new data key for a new workspace, wrapped for storage. */
  wrapNew(workspace: string): Buffer {
    return this.#masterKey.wrap(newDataKey(), workspace);
  }
}
