import type pg from "pg";
import { StartupError } from "#kernel/startup-error.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { Slug } from "#domains/workspaces/index.ts";
import type { Manifest } from "../archive/frame.ts";
import { readSchemaVersion } from "../catalogue.ts";

const slugs = new Validator(Slug, "body");

/** Rejects an unsuitable archive before anything is written. */
export async function assertAccepted(
  client: pg.Client,
  manifest: Manifest,
  slug: string,
): Promise<void> {
  if ("errors" in slugs.check(slug) || slug === "me")
    throw new StartupError(
      `${slug} is not a valid slug. Use lower-case letters, digits and hyphens.`,
    );
  const here = await readSchemaVersion(client);
  const { last, sha256 } = manifest.schema;
  if (sha256 !== here.sha256) {
    throw new StartupError(
      `The archive was exported from Millrace ${manifest.product} with the schema ${last}, but this installation has ${here.last}. ` +
        "Update both installations to the same release and export again.",
    );
  }
  const { rows } = await client.query<{ key: string; slug: string; state: string | null }>(
    `select w.key, w.slug, i.state from workspaces w left join workspace_imports i on i.workspace_id = w.key
      where w.key = $1 or w.slug = $2`,
    [manifest.workspace.key, slug],
  );
  for (const found of rows) {
    if (found.key !== manifest.workspace.key)
      throw new StartupError(
        `The slug ${slug} is already used by another workspace. Enter another slug (--slug).`,
      );
    if (found.state !== "loaded")
      throw new StartupError(`The workspace is already in this installation: ${found.slug}.`);
  }
}

export interface ImportState {
  readonly frames: number;
  /** The hash of the imported part. Null before the first frame. */
  readonly read: string | null;
  /** Everything is in the database, and only the event is missing. */
  readonly isLoaded: boolean;
}

/** Begins an import, or continues one of the same archive. A second concurrent one is rejected. */
export async function beginImport(
  client: pg.Client,
  { key, slug, archive }: { readonly key: string; readonly slug: string; readonly archive: Buffer },
): Promise<ImportState> {
  const locked = await client.query<{ free: boolean }>(
    "select pg_try_advisory_lock(hashtextextended('import of ' || $1, 0)) as free",
    [key],
  );
  if (!locked.rows[0]?.free) throw new StartupError("This workspace is already being imported.");
  const { rows } = await client.query<{
    archive: Buffer;
    frames: number;
    read: string | null;
    state: string;
  }>(
    `insert into workspace_imports (workspace_id, archive, slug) values ($1, $2, $3)
     on conflict (workspace_id) do update set slug = excluded.slug
     returning archive, frames, encode(read_sha256, 'hex') as read, state`,
    [key, archive, slug],
  );
  const [row] = rows;
  if (!row?.archive.equals(archive)) throw otherArchiveError();
  // Topics of a discarded import may be counted after its deletion, because their reader already had its events.
  if (row.frames === 0)
    await client.query("delete from topic_counts where workspace_id = $1", [key]);
  return { frames: row.frames, read: row.read, isLoaded: row.state === "loaded" };
}

export function otherArchiveError(): StartupError {
  return new StartupError(
    "An import of this workspace from another archive was interrupted. Continue that import, or discard it with " +
      "`millrace discard-import`.",
  );
}
