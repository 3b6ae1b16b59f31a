/**
 * The work of export and import jobs, which the product starts in a separate process. It records its progress in the
 * job's row on a second connection.
 */
import pg from "pg";
import { type ArchiveSummary, exportObject, type Task } from "#domains/portability/index.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { StartupError } from "#kernel/startup-error.ts";
import type { ArchiveBytes } from "../portability/archive/reader.ts";
import { openStoreSink } from "../portability/archive/sink.ts";
import { exportWorkspace, type ExportProgress } from "../portability/export-workspace.ts";
import { releaseHeldRows } from "../portability/import/activate-workspace.ts";
import { checkArchive } from "../portability/import/check-archive.ts";
import { discardImport } from "../portability/import/discard-import.ts";
import { importWorkspace } from "../portability/import/import-workspace.ts";
import { recordActivation, recordImport } from "../portability/import/record-acts.ts";
import { performAct, withKernel } from "./kernel.ts";

const TELL_MS = 500;

/** Limits calls to two per second, in sequence. `flush` makes the last one. */
function throttle<T>(tell: (value: T) => Promise<unknown>) {
  let toldMs = 0;
  let last: T | undefined;
  let telling: Promise<unknown> = Promise.resolve();
  const flush = async () => {
    const value = last;
    last = undefined;
    if (value !== undefined) telling = telling.then(() => tell(value));
    await telling;
  };
  return {
    flush,
    push(value: T) {
      last = value;
      if (Date.now() - toldMs < TELL_MS) return;
      toldMs = Date.now();
      // Failures to report progress do not stop the work. `flush` throws them.
      flush().catch(() => undefined);
    },
  };
}

/** `run-export <id>`, for the export's job. */
export function runExport(env: NodeJS.ProcessEnv, exportId: string): Promise<string[]> {
  const passphrase = env["MILLRACE_PASSPHRASE"] || undefined;
  return withKernel(env, (kernel, owner) =>
    withOwnerClient(owner, async (client) => {
      const { rows } = await client.query<{ slug: string; withSecrets: boolean }>(
        `select w.slug, e.with_secrets as "withSecrets" from workspace_exports e
           join workspaces w on w.key = e.workspace_id where e.id = $1`,
        [exportId],
      );
      const [found] = rows;
      if (!found) throw new StartupError("The export does not exist.");
      if (found.withSecrets !== (passphrase !== undefined))
        throw new StartupError("The passphrase of the export is missing.");
      const { masterKey, blobStores, readerNames } = kernel;
      const progress = throttle(({ rows: count, files, bytes }: ExportProgress) =>
        client.query(
          "update workspace_exports set rows = $2, files = $3, bytes = $4 where id = $1",
          [exportId, count, files, bytes],
        ),
      );
      const { rows: counts, ...summary } = await exportWorkspace({
        owner,
        masterKey,
        blobStores,
        readerNames,
        slug: found.slug,
        openSink: () => openStoreSink(blobStores.at(blobStores.place), exportObject(exportId)),
        passphrase,
        onProgress: (made) => progress.push(made),
      });
      const total = counts.values().reduce((sum, n) => sum + n, 0);
      progress.push({ rows: total, files: summary.files, bytes: summary.bytes });
      await progress.flush();
      return [`${total} rows and ${summary.files} files of ${found.slug}.`];
    }),
  );
}

interface ImportRow {
  readonly slug: string | null;
  readonly key: string | null;
  readonly begun: boolean;
  readonly state: string;
}

/** `run-import <id> <task>`, for the task's job. */
export function runImportTask(
  env: NodeJS.ProcessEnv,
  importId: string,
  task: Task,
): Promise<string[]> {
  const passphrase = env["MILLRACE_PASSPHRASE"] || undefined;
  return withKernel(env, (kernel, owner) =>
    withOwnerClient(owner, async (client) => {
      const { rows } = await client.query<ImportRow>(
        "select slug, workspace_key as key, begun, state from archive_imports where id = $1",
        [importId],
      );
      const [row] = rows;
      if (!row) throw new StartupError("The import does not exist.");
      const work: ImportWork = { kernel, owner, client, importId, row, passphrase };
      await TASKS[task](work);
      return [`${task}: done.`];
    }),
  );
}

interface ImportWork {
  readonly kernel: Kernel;
  readonly owner: pg.ClientConfig;
  readonly client: pg.Client;
  readonly importId: string;
  readonly row: ImportRow;
  readonly passphrase: string | undefined;
}

const TASKS: Readonly<Record<Task, (work: ImportWork) => Promise<void>>> = {
  check,
  load,
  activate,
  discard,
};

const TABLES_SHOWN = 10;

async function check(work: ImportWork): Promise<void> {
  const { owner, client, importId, row, passphrase } = work;
  const { manifest, rows, files } = await withProgress(work, (archive) =>
    checkArchive({ owner, archive, slug: row.slug ?? undefined, passphrase }),
  );
  const tables = Array.from(rows, ([name, count]) => ({ name, rows: count }));
  const summary: ArchiveSummary = {
    product: manifest.product,
    schema: manifest.schema.last,
    workspace: { slug: manifest.workspace.slug, name: manifest.workspace.name },
    exportedAt: manifest.exportedAt,
    withSecrets: manifest.secrets !== null,
    rows: tables.reduce((sum, table) => sum + table.rows, 0),
    files,
    tables: tables.toSorted((left, right) => right.rows - left.rows).slice(0, TABLES_SHOWN),
  };
  await client.query("update archive_imports set summary = $2, workspace_key = $3 where id = $1", [
    importId,
    JSON.stringify(summary),
    manifest.workspace.key,
  ]);
}

async function load(work: ImportWork): Promise<void> {
  const { kernel, owner, client, row, passphrase } = work;
  // An attempt interrupted after the event has already completed the work.
  if (row.key !== null && (await readState(client, row.key)) === "imported") return;
  const imported = await withProgress(work, (archive) =>
    importWorkspace({ owner, kernel, archive, slug: row.slug ?? undefined, passphrase }),
  );
  await performAct(kernel, { workspace: imported.key, environment: "production" }, (ctx) =>
    recordImport(ctx, imported),
  );
}

async function activate({ kernel, owner, client, row: { key } }: ImportWork): Promise<void> {
  const { rows } = await client.query<{ slug: string }>(
    "select slug from workspaces where key = $1",
    [key],
  );
  const [workspace] = rows;
  if (key === null || !workspace)
    throw new StartupError("The workspace does not exist in this installation.");
  if ((await readState(client, key)) === "activated") return;
  await releaseHeldRows(owner, kernel, key);
  await performAct(kernel, { workspace: key, environment: "production" }, (ctx) =>
    recordActivation(ctx, { key, slug: workspace.slug }),
  );
}

async function discard({ kernel, owner, client, row }: ImportWork): Promise<void> {
  if (row.key === null || !row.begun || row.state === "activated") return;
  const { rows } = await client.query<{ slug: string; state: string }>(
    "select slug, state from workspace_imports where workspace_id = $1",
    [row.key],
  );
  const [found] = rows;
  if (found) await discardImport(owner, kernel.blobStores, found.slug, row.key);
}

async function readState(client: pg.Client, key: string): Promise<string | undefined> {
  const { rows } = await client.query<{ state: string }>(
    "select state from workspace_imports where workspace_id = $1",
    [key],
  );
  return rows[0]?.state;
}

/** Yields the bytes of the parts in order and reports how many were read. */
async function withProgress<T>(
  { kernel, client, importId }: ImportWork,
  run: (archive: ArchiveBytes) => Promise<T>,
): Promise<T> {
  const progress = throttle((bytes: number) =>
    client.query("update archive_imports set read_bytes = $2 where id = $1", [importId, bytes]),
  );
  const { rows: parts } = await client.query<{ object: string; place: string; bytes: string }>(
    `select object, place, bytes from archive_parts
      where import_id = $1 and position is not null order by position`,
    [importId],
  );
  async function* read(): ArchiveBytes {
    let total = 0;
    for (const { object, place, bytes } of parts) {
      const span = { from: 0, to: Number(bytes) };
      for await (const chunk of kernel.blobStores.at(place).read(object, span)) {
        total += chunk.length;
        progress.push(total);
        yield chunk;
      }
    }
  }
  try {
    return await run(read());
  } finally {
    await progress.flush();
  }
}
