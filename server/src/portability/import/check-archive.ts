import type pg from "pg";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import type { Head, Manifest } from "../archive/frame.ts";
import { computeMac } from "../archive/passphrase.ts";
import { type ArchiveBytes, archiveError, type Frame, readArchive } from "../archive/reader.ts";
import { IGNORED, readCatalogue, type WorkspaceTable } from "../catalogue.ts";
import { partName } from "../export-workspace.ts";
import { type ArchiveKeys, openSecrets, parseManifest } from "./archive-content.ts";
import { assertAccepted } from "./import-state.ts";
import { assertRowForm, isSameSet } from "./row-lines.ts";

export interface CheckOptions {
  readonly owner: pg.ClientConfig;
  readonly archive: ArchiveBytes;
  readonly slug?: string | undefined;
  readonly passphrase?: string | undefined;
}

export interface CheckedArchive {
  readonly manifest: Manifest;
  readonly files: number;
  /** The rows of each part. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Reads a complete archive without writing anything, and verifies its declarations. */
export async function checkArchive(options: CheckOptions): Promise<CheckedArchive> {
  const frames = readArchive(options.archive);
  try {
    const manifest = await readManifest(frames);
    const tables = await withOwnerClient(options.owner, async (client) => {
      await assertAccepted(client, manifest, options.slug ?? manifest.workspace.slug);
      return (await readCatalogue(client)).tables;
    });
    // The keys and the authenticated end show whether the passphrase is correct.
    const keys =
      options.passphrase === undefined ? null : await openSecrets(manifest, options.passphrase);
    return { manifest, ...(await checkFrames(frames, { tables, keys })) };
  } finally {
    await frames.return(undefined);
  }
}

async function readManifest(frames: AsyncGenerator<Frame>): Promise<Manifest> {
  const { value, done } = await frames.next();
  if (done || value.head.kind !== "manifest") throw archiveError("does not start with a manifest");
  return parseManifest(await value.content());
}

async function checkFrames(
  frames: AsyncGenerator<Frame>,
  {
    tables,
    keys,
  }: { readonly tables: readonly WorkspaceTable[]; readonly keys: ArchiveKeys | null },
): Promise<Omit<CheckedArchive, "manifest">> {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const rows = new Map<string, number>();
  const files = new Set<string>();
  for await (const frame of frames) {
    const { head } = frame;
    const content = await frame.content();
    if (head.kind === "file") files.add(head.blob);
    if (head.kind === "rows") {
      assertKnown(head, byName);
      assertRowForm(head, content);
      rows.set(partName(head), (rows.get(partName(head)) ?? 0) + head.rows);
    }
    if (head.kind === "end") assertEnd(frame, head, { rows, files: files.size, keys });
  }
  return { rows, files: files.size };
}

/** Rows of user tables are checked against their definitions during the import. */
function assertKnown(
  { table: name, environment, columns }: Extract<Head, { kind: "rows" }>,
  tables: ReadonlyMap<string, WorkspaceTable>,
): void {
  if (environment !== undefined || IGNORED.has(name)) return;
  const table = tables.get(name);
  if (!table) throw archiveError(`has rows of ${name}, which is not a table of a workspace`);
  if (!isSameSet(table.columns, columns))
    throw archiveError(`has different columns in ${name} than this installation`);
}

function assertEnd(
  frame: Frame,
  head: Extract<Head, { kind: "end" }>,
  found: {
    readonly rows: ReadonlyMap<string, number>;
    readonly files: number;
    readonly keys: ArchiveKeys | null;
  },
): void {
  if (head.total !== frame.before) throw archiveError("was changed");
  if (found.keys?.passphrase && head.mac !== computeMac(found.keys.passphrase, head.total))
    throw archiveError("was not made with this passphrase");
  const counted = Array.from(found.rows, ([name, rows]) => `${name} ${rows}`);
  const declared = head.parts.map(({ name, rows }) => `${name} ${rows}`);
  if (!isSameSet(counted, declared)) throw archiveError("has a wrong number of rows");
  if (head.files !== found.files) throw archiveError("has a wrong number of files");
}
