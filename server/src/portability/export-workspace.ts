import { randomBytes } from "node:crypto";
import pg from "pg";
import { objectName } from "#domains/files/index.ts";
import { seal, type MasterKey } from "#kernel/access/crypto.ts";
import type { BlobStores } from "#kernel/blob-store/blob-places.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { ENVIRONMENT_NAMES, setPartitionSql } from "#kernel/db/partition.ts";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import { PLATFORM_VERSION } from "#kernel/settings.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { ROWS_BYTES, type Manifest, type NewHead, type Person } from "./archive/frame.ts";
import { derivePassphraseKeys, computeMac, type PassphraseKeys } from "./archive/passphrase.ts";
import type { ArchiveSink } from "./archive/sink.ts";
import { ArchiveWriter } from "./archive/writer.ts";
import {
  KEPT_ROWS,
  REPLACED_COLUMNS,
  quote,
  readCatalogue,
  readSchemaVersion,
  SEALED_COLUMNS,
  SEALED_TABLES,
  type WorkspaceTable,
} from "./catalogue.ts";
import { withCopySocket } from "./copy-socket.ts";
import { copyOut } from "./copy.ts";

export interface ExportOptions {
  readonly owner: pg.ClientConfig;
  readonly masterKey: MasterKey;
  readonly blobStores: BlobStores;
  /** The readers whose cursors are included. */
  readonly readerNames: readonly string[];
  readonly slug: string;
  readonly openSink: () => Promise<ArchiveSink>;
  /** Includes sealed values. */
  readonly passphrase?: string | undefined;
  /** Called after each frame. */
  readonly onProgress?: (progress: ExportProgress) => void;
}

/** The content of the archive so far. */
export interface ExportProgress {
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
}

export interface ExportSummary {
  readonly workspaceKey: string;
  readonly bytes: number;
  readonly rows: ReadonlyMap<string, number>;
  readonly files: number;
  /** Open work at the time of the export, by table. */
  readonly open: ReadonlyMap<string, number>;
  /** Events not yet processed by webhooks, workflows and other readers. */
  readonly unread: number;
}

/** Writes the archive of a workspace in a consistent snapshot while the product keeps running. */
export async function exportWorkspace(options: ExportOptions): Promise<ExportSummary> {
  return withOwnerClient(withCopySocket(options.owner), async (client) => {
    await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
    await client.query("begin isolation level repeatable read read only");
    const workspace = await findWorkspace(client, options.slug);
    await client.query(
      setPartitionSql({ workspace: workspace.key, environment: "production" }, "local"),
    );
    const writer = await ArchiveWriter.create(await options.openSink());
    try {
      const archive = new WorkspaceExport(client, writer, workspace, options);
      const summary = await archive.write();
      await writer.finish();
      return { ...summary, bytes: writer.bytes };
    } catch (error) {
      await writer.discard();
      throw error;
    }
  });
}

interface ExportedWorkspace {
  readonly key: string;
  readonly slug: string;
  readonly name: string;
  readonly wrapped: Buffer;
}

async function findWorkspace(client: pg.Client, slug: string): Promise<ExportedWorkspace> {
  const { rows } = await client.query<ExportedWorkspace>(
    `select w.key, w.slug, w.name, k.wrapped from workspaces w
       join workspace_keys k on k.workspace_id = w.key where w.slug = $1`,
    [slug],
  );
  const [row] = rows;
  if (!row) throw new StartupError(`The workspace ${slug} does not exist.`);
  return row;
}

class WorkspaceExport {
  readonly #client: pg.Client;
  readonly #writer: ArchiveWriter;
  readonly #workspace: ExportedWorkspace;
  readonly #options: ExportOptions;
  readonly #rows = new Map<string, number>();
  readonly #open = new Map<string, number>();
  #files = 0;

  constructor(
    client: pg.Client,
    writer: ArchiveWriter,
    workspace: ExportedWorkspace,
    options: ExportOptions,
  ) {
    this.#client = client;
    this.#writer = writer;
    this.#workspace = workspace;
    this.#options = options;
  }

  async write(): Promise<Omit<ExportSummary, "bytes">> {
    const keys = await this.#writeManifest();
    const { tables } = await readCatalogue(this.#client);
    const exported = tables.filter(({ name }) => keys !== null || !SEALED_TABLES.has(name));
    await this.#writePeople();
    for (const table of exported.filter(({ isLate }) => !isLate)) {
      await this.#writeTable(table, "settled", keys !== null);
      if (table.name === "blobs") await this.#writeFiles();
    }
    await this.#writeRecords();
    for (const table of exported.filter(({ isLate }) => isLate))
      await this.#writeTable(table, "settled", keys !== null);
    // Open work comes after everything that it references.
    for (const table of exported) await this.#writeTable(table, "open", keys !== null);
    await this.#writeEnd(keys);
    return {
      workspaceKey: this.#workspace.key,
      rows: this.#rows,
      files: this.#files,
      open: this.#open,
      unread: await this.#countUnread(),
    };
  }

  async #writeManifest(): Promise<PassphraseKeys | null> {
    const { key, slug, name, wrapped } = this.#workspace;
    const { passphrase, masterKey } = this.#options;
    const salt = randomBytes(32);
    const keys = passphrase === undefined ? null : await derivePassphraseKeys(passphrase, salt);
    const { rows } = await this.#client.query<{ epoch: number }>(
      "select coalesce(max(epoch), 0)::int as epoch from events where workspace_id = $1",
      [key],
    );
    const manifest: Manifest = {
      product: PLATFORM_VERSION,
      schema: await readSchemaVersion(this.#client),
      workspace: { key, slug, name },
      exportedAt: new Date().toISOString(),
      epoch: rows[0]?.epoch ?? 0,
      secrets: keys && {
        salt: salt.toString("base64"),
        wrapped: seal(keys.wrapping, masterKey.unwrap(wrapped, key), `archive of ${key}`).toString(
          "base64",
        ),
      },
    };
    await this.#writer.write({ kind: "manifest" }, Buffer.from(JSON.stringify(manifest)));
    return keys;
  }

  /** All current and former members, and users referenced by rows. */
  async #writePeople(): Promise<void> {
    const { foreignKeys, tables } = await readCatalogue(this.#client);
    const names = new Set(tables.map(({ name }) => name));
    const columns = [
      ["former_members", "user_id"],
      ...foreignKeys
        .filter(({ child, parent }) => parent === "users" && names.has(child))
        .map(({ child, columns: [column = ""] }) => [child, column]),
    ] as const;
    const referred = columns.map(
      ([table = "", column = ""]) =>
        `select ${quote(column)} from ${quote(table)} where workspace_id = $1`,
    );
    const { rows } = await this.#client.query<Person>(
      `select id, email, name, status, managed_by is not null as own from users
        where managed_by = $1 or (managed_by is null and id in (${referred.join(" union ")})) order by id`,
      [this.#workspace.key],
    );
    await this.#writer.write({ kind: "people" }, Buffer.from(JSON.stringify(rows)));
  }

  async #writeTable(
    table: WorkspaceTable,
    which: "settled" | "open",
    withSealed: boolean,
  ): Promise<void> {
    if (which === "open" && table.open === undefined) return;
    const { name, columns, keyColumn, open = "false" } = table;
    const emptied = withSealed ? [] : (SEALED_COLUMNS.get(name) ?? []);
    const replaced: Record<string, string> = { ...REPLACED_COLUMNS.get(name) };
    for (const column of emptied) replaced[column] ??= "null";
    const selected = columns.map((column) =>
      column in replaced ? `${replaced[column]} as ${quote(column)}` : quote(column),
    );
    const conditions = [
      `${quote(keyColumn)} = ${pg.escapeLiteral(this.#workspace.key)}`,
      which === "open" ? `(${open})` : `(${open}) is not true`,
      ...(KEPT_ROWS.has(name) ? [`(${KEPT_ROWS.get(name)})`] : []),
    ];
    // In log order, so that it is inserted in the same order.
    const order = name === "events" ? " order by epoch, xid, seq" : "";
    await this.#writeRows(
      `select ${selected.join(", ")} from public.${quote(name)} where ${conditions.join(" and ")}${order}`,
      { kind: "rows", table: name, columns: [...columns], open: which === "open" },
    );
  }

  /** User tables with their sequence values. */
  async #writeRecords(): Promise<void> {
    const sequences: object[] = [];
    for (const environment of ENVIRONMENT_NAMES) {
      const schema = schemaOf({ workspace: this.#workspace.key, environment });
      const { rows } = await this.#client.query<{ slug: string; columns: string[] }>(
        `select c.relname as slug, array_agg(a.attname::text order by a.attnum) as columns
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
           join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          where n.nspname = $1 and c.relkind = 'r' group by c.relname order by c.relname`,
        [schema],
      );
      for (const { slug, columns } of rows) {
        await this.#writeRows(
          `select ${columns.map(quote).join(", ")} from ${quote(schema)}.${quote(slug)}`,
          { kind: "rows", table: slug, environment, columns, open: false },
        );
      }
      const counted = await this.#client.query(
        `select $2 as environment, c.relname as table, a.attname as column,
                pg_sequence_last_value(pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname)::regclass)
                  as last
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
           join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
          where n.nspname = $1 and c.relkind = 'r' order by 2, 3`,
        [schema, environment],
      );
      sequences.push(...counted.rows);
    }
    await this.#writer.write({ kind: "sequences" }, Buffer.from(JSON.stringify(sequences)));
  }

  async #writeRows(query: string, head: Extract<NewHead, { kind: "rows" }> | RowsHead) {
    const part = partName(head);
    await copyOut(this.#client, query, {
      blockBytes: ROWS_BYTES,
      take: async ({ rows, lines }) => {
        this.#rows.set(part, (this.#rows.get(part) ?? 0) + rows);
        if (head.open) this.#open.set(head.table, (this.#open.get(head.table) ?? 0) + rows);
        await this.#writer.write({ ...head, rows }, lines);
        this.#tell();
      },
    });
  }

  async #writeFiles(): Promise<void> {
    const { rows } = await this.#client.query<{ id: string; place: string; size: string }>(
      `select id, place, size from blobs
        where workspace_id = $1 and state = 'stored' and place <> 'database' order by id`,
      [this.#workspace.key],
    );
    for (const { id, place, size } of rows) {
      const name = objectName(this.#workspace.key, id);
      const store = this.#options.blobStores.at(place);
      let at = 0;
      // An empty file also has one frame.
      for (const total = Number(size); at === 0 || at < total;) {
        const to = Math.min(total, at + ROWS_BYTES);
        const content =
          to > at
            ? Buffer.concat(await Array.fromAsync(store.read(name, { from: at, to })))
            : Buffer.alloc(0);
        const last = to === total;
        await this.#writer.write({ kind: "file", blob: id, at, last }, content);
        if (last) break;
        at = to;
      }
      this.#files += 1;
      this.#tell();
    }
  }

  #tell(): void {
    const { onProgress } = this.#options;
    if (!onProgress) return;
    const rows = this.#rows.values().reduce((sum, n) => sum + n, 0);
    onProgress({ rows, files: this.#files, bytes: this.#writer.bytes });
  }

  async #writeEnd(keys: PassphraseKeys | null): Promise<void> {
    const total = await this.#writer.total();
    const parts = Array.from(this.#rows, ([name, rows]) => ({ name, rows }));
    await this.#writer.write({
      kind: "end",
      parts,
      files: this.#files,
      total,
      mac: keys && computeMac(keys, total),
    });
  }

  async #countUnread(): Promise<number> {
    const { rows } = await this.#client.query<{ n: number }>(
      `select count(*)::int as n from events e
        where e.workspace_id = $1 and (e.epoch, e.xid, e.seq) > (
          select r.epoch, r.xid, r.seq from readers r where r.name = any($2) order by 1, 2, 3 limit 1)`,
      [this.#workspace.key, this.#options.readerNames],
    );
    return rows[0]?.n ?? 0;
  }
}

type RowsHead = Omit<Extract<NewHead, { kind: "rows" }>, "rows">;

/** The name under which the rows of a frame are counted. */
export function partName({ table, environment, open }: Omit<RowsHead, "columns">): string {
  return `${environment === undefined ? "" : `${environment}/`}${table}${open ? " (open)" : ""}`;
}
