import { createHash, hash } from "node:crypto";
import type pg from "pg";
import { objectName } from "#domains/files/index.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { setPartitionSql } from "#kernel/db/partition.ts";
import { ownerOf, schemaOf } from "#kernel/db/sql-runner.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Head, Manifest, Person } from "../archive/frame.ts";
import { computeMac } from "../archive/passphrase.ts";
import {
  type ArchiveBytes,
  archiveError,
  type Frame,
  nextFrame,
  readAhead,
  readArchive,
} from "../archive/reader.ts";
import {
  type Catalogue,
  IGNORED,
  MIRRORS,
  quote,
  readCatalogue,
  type WorkspaceTable,
} from "../catalogue.ts";
import { partName } from "../export-workspace.ts";
import { adaptRows } from "./adapt-rows.ts";
import {
  type ArchiveKeys,
  openSecrets,
  parseManifest,
  parsePeople,
  parseSequences,
} from "./archive-content.ts";
import {
  assertAccepted,
  beginImport,
  type ImportState,
  otherArchiveError,
} from "./import-state.ts";
import { openLog } from "./open-log.ts";
import { insertPeople, matchPeople, type PeopleMap, replacePeople } from "./people.ts";
import { RecordTables } from "./record-tables.ts";
import { assertRows, copyRows, explainRowError, isSameSet } from "./row-lines.ts";
import { verifyDefinitions } from "./verify-definitions.ts";
import {
  countIdentitiesOn,
  verifyMemberships,
  verifyReferences,
  verifyRest,
} from "./verify-rows.ts";

export interface ImportOptions {
  readonly owner: pg.ClientConfig;
  readonly kernel: Pick<
    Kernel,
    "db" | "masterKey" | "blobStores" | "readerNames" | "contributions"
  >;
  readonly archive: ArchiveBytes;
  /** Replaces the slug of the archive. */
  readonly slug?: string | undefined;
  readonly passphrase?: string | undefined;
}

export interface ImportedWorkspace {
  readonly key: string;
  readonly slug: string;
  readonly exportedAt: string;
}

/**
 * Imports an archive into this installation. Each frame is a transaction that records its completion, so an
 * interrupted import continues. Rows that give access are inserted with the last frame, after all checks.
 */
export async function importWorkspace(options: ImportOptions): Promise<ImportedWorkspace> {
  const frames = readArchive(options.archive);
  try {
    const first = await nextFrame(frames);
    if (first.head.kind !== "manifest") throw archiveError("does not start with a manifest");
    const content = await first.content();
    const manifest = parseManifest(content);
    const slug = options.slug ?? manifest.workspace.slug;
    const keys = await openSecrets(manifest, options.passphrase);
    await withOwnerClient(options.owner, async (client) => {
      await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
      await assertAccepted(client, manifest, slug);
      const archive = hash("sha256", content, "buffer");
      const state = await beginImport(client, { key: manifest.workspace.key, slug, archive });
      if (state.isLoaded) return;
      await openLog(client, { epoch: manifest.epoch, readerNames: options.kernel.readerNames });
      const ahead = readAhead(frames, {
        from: state.frames,
        check: (head, rows) => head.kind === "rows" && assertRows(head, rows, manifest.epoch),
      });
      await new WorkspaceImport(client, ahead, { options, manifest, slug, keys }).run(state);
    });
    return { key: manifest.workspace.key, slug, exportedAt: manifest.exportedAt };
  } finally {
    await frames.return(undefined);
  }
}

interface ImportContext {
  readonly options: ImportOptions;
  readonly manifest: Manifest;
  readonly slug: string;
  readonly keys: ArchiveKeys;
}

type HeadOf<K extends Head["kind"]> = Extract<Head, { kind: K }>;

class WorkspaceImport {
  readonly #client: pg.Client;
  readonly #frames: AsyncGenerator<Frame>;
  readonly #context: ImportContext;
  readonly #key: string;
  readonly #records: RecordTables;
  readonly #rows = new Map<string, number>();
  /** The blobs whose files were read. */
  readonly #files = new Set<string>();
  #catalogue: Catalogue | undefined;
  #people: readonly Person[] = [];
  #matched: PeopleMap = new Map();
  #hasRecordTables = false;
  #isComplete = false;
  /** True in the last transaction, which makes the workspace visible. */
  #isOpening = false;
  #lastPart = "";

  constructor(client: pg.Client, frames: AsyncGenerator<Frame>, context: ImportContext) {
    this.#client = client;
    this.#frames = frames;
    this.#context = context;
    this.#key = context.manifest.workspace.key;
    this.#records = new RecordTables(client, context.options.kernel.db, this.#key);
  }

  /** Processes all frames. Completed ones are already in the database, from identical bytes. */
  async run({ frames: done, read }: Pick<ImportState, "frames" | "read">): Promise<void> {
    this.#catalogue = await readCatalogue(this.#client);
    try {
      for (;;) {
        const frame = await nextFrame(this.#frames);
        const isEnd = frame.head.kind === "end";
        // Rows in the database must be authenticated by the end of the same file.
        if ((frame.number === done || (isEnd && frame.number < done)) && frame.before !== read)
          throw otherArchiveError();
        if (frame.head.kind === "end") {
          await this.#finish(frame, frame.head);
          return;
        }
        await this.#take(frame, frame.number < done);
      }
    } catch (error) {
      await this.#client.query("rollback");
      throw explainRowError(error);
    }
  }

  async #take(frame: Frame, isDone: boolean): Promise<void> {
    const { head } = frame;
    if (head.kind === "people") return this.#takePeople(frame);
    if (head.kind === "rows") return this.#takeRows(frame, head, isDone);
    if (head.kind === "file") return this.#takeFile(frame, head, isDone);
    if (head.kind === "sequences") return this.#takeSequences(frame, isDone);
    throw archiveError("has two manifests");
  }

  async #takePeople(frame: Frame): Promise<void> {
    this.#people = parsePeople(await frame.content());
    this.#matched = await matchPeople(this.#client, this.#people);
  }

  async #takeRows(frame: Frame, head: HeadOf<"rows">, isDone: boolean): Promise<void> {
    const part = partName(head);
    const isFirst = this.#lastPart !== part;
    this.#lastPart = part;
    this.#rows.set(part, (this.#rows.get(part) ?? 0) + head.rows);
    if (isDone) return;
    if (head.environment === undefined && IGNORED.has(head.table)) return;
    const lines = await frame.content();
    if (head.environment !== undefined) return this.#takeRecords(frame, head, lines);
    const table = this.#catalogue?.tables.find(({ name }) => name === head.table);
    if (!table)
      throw archiveError(`has rows of ${head.table}, which is not a table of a workspace`);
    if (!isSameSet(table.columns, head.columns))
      throw archiveError(`has different columns in ${head.table} than this installation`);
    this.#assertPlace(table, head);
    if (table.isLate || head.open) await this.#beginOpening();
    const { slug, options } = this.#context;
    const { place } = options.kernel.blobStores;
    const adapted = adaptRows(head, lines, { people: this.#matched, slug, place });
    if (head.open) {
      await this.#client.query("insert into held_rows values ($1, $2, $3, $4, $5)", [
        this.#key,
        frame.number,
        head.table,
        head.columns,
        adapted,
      ]);
      return;
    }
    await this.#transact(frame, async () => {
      if (isFirst && MIRRORS.has(head.table))
        await this.#client.query(`delete from ${quote(head.table)} where workspace_id = $1`, [
          this.#key,
        ]);
      await copyRows(this.#client, head, `public.${quote(head.table)}`, adapted);
      await verifyRest(this.#client, table, this.#key);
      if (head.table === "workspaces") await this.#takeWorkspace();
    });
  }

  /** Rejects rows in places where they would not be verified: among held rows, or after the end of the records. */
  #assertPlace({ name, isLate, open }: WorkspaceTable, head: HeadOf<"rows">): void {
    if (head.open ? open === undefined : !isLate && this.#isComplete)
      throw archiveError(`has rows of ${name} in the wrong position`);
  }

  async #takeRecords(frame: Frame, head: HeadOf<"rows">, lines: Buffer): Promise<void> {
    const { environment = "production", table, columns } = head;
    if (this.#isOpening || this.#isComplete) throw archiveError("has records after their end");
    await this.#createRecordTables();
    const partition = { workspace: this.#key, environment };
    const { rows } = await this.#client.query<{ name: string }>(
      `select a.attname::text as name from pg_attribute a join pg_class c on c.oid = a.attrelid
         join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = $1 and c.relname = $2 and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
      [schemaOf(partition), table],
    );
    const known = rows.map(({ name }) => name);
    if (!isSameSet(known, columns))
      throw archiveError(`has different columns in the table ${table} than its definition`);
    replacePeople(lines, this.#matched);
    await this.#transact(frame, async () => {
      await this.#client.query(`set local role ${quote(ownerOf(partition))}`);
      const relation = `${quote(schemaOf(partition))}.${quote(table)}`;
      await copyRows(this.#client, head, relation, lines);
      await this.#client.query("set local role none");
    });
  }

  /** The bytes of a file are consecutive frames, which are completed together. */
  async #takeFile(frame: Frame, head: HeadOf<"file">, isDone: boolean): Promise<void> {
    if (head.at === 0) {
      if (this.#files.has(head.blob)) throw archiveError("has a file twice");
      this.#files.add(head.blob);
    }
    if (isDone) return;
    if (head.at !== 0 || this.#isOpening)
      throw archiveError("has part of a file in the wrong position");
    const { rows } = await this.#client.query<{ sha256: Buffer; size: string; place: string }>(
      "select sha256, size, place from blobs where workspace_id = $1 and id = $2",
      [this.#key, head.blob],
    );
    const [row] = rows;
    if (!row || row.place === "database") throw archiveError("has a file without a row");
    const { blobStores } = this.#context.options.kernel;
    const store = blobStores.at(row.place);
    const name = objectName(this.#key, head.blob);
    // An interrupted import may have left a part of it.
    await store.remove(name);
    const meter = { hash: createHash("sha256"), bytes: 0, last: frame };
    await store.put(name, this.#readFile(frame, Number(row.size), meter));
    if (meter.bytes !== Number(row.size) || !meter.hash.digest().equals(row.sha256))
      throw archiveError("has a file that does not match its row");
    await this.#transact(meter.last, async () => undefined);
  }

  async *#readFile(
    first: Frame,
    size: number,
    meter: { readonly hash: ReturnType<typeof createHash>; bytes: number; last: Frame },
  ): AsyncGenerator<Uint8Array> {
    for (let frame = first; ; frame = await nextFrame(this.#frames)) {
      const { head } = frame;
      if (
        head.kind !== "file" ||
        first.head.kind !== "file" ||
        head.blob !== first.head.blob ||
        head.at !== meter.bytes
      )
        throw archiveError("has part of a file in the wrong position");
      const content = await frame.content();
      meter.bytes += content.length;
      meter.last = frame;
      if (meter.bytes > size) throw archiveError("has a file that is larger than its row declares");
      meter.hash.update(content);
      if (content.length > 0) yield content;
      if (head.last) return;
    }
  }

  async #takeSequences(frame: Frame, isDone: boolean): Promise<void> {
    if (this.#isComplete || this.#isOpening) throw archiveError("has a part in the wrong position");
    this.#isComplete = true;
    if (isDone) return;
    await this.#createRecordTables();
    const sequences = parseSequences(await frame.content());
    await this.#transact(frame, () => this.#records.complete(sequences));
  }

  async #createRecordTables(): Promise<void> {
    if (this.#hasRecordTables) return;
    await this.#records.create();
    this.#hasRecordTables = true;
  }

  /** The workspace row, and the users without an account here. */
  async #takeWorkspace(): Promise<void> {
    const { keys, options } = this.#context;
    await this.#client.query("update workspaces set paused_at = now() where key = $1", [this.#key]);
    await this.#client.query(
      "insert into workspace_keys (workspace_id, wrapped, created_at) values ($1, $2, now())",
      [this.#key, options.kernel.masterKey.wrap(keys.dataKey, this.#key)],
    );
    await insertPeople(this.#client, this.#people, {
      workspace: this.#key,
      matched: this.#matched,
    });
  }

  async #beginOpening(): Promise<void> {
    if (this.#isOpening) return;
    if (!this.#isComplete) throw archiveError("has incomplete records");
    this.#isOpening = true;
    await this.#client.query("begin");
    await this.#enter();
  }

  async #enter(): Promise<void> {
    await this.#client.query(
      setPartitionSql({ workspace: this.#key, environment: "production" }, "local"),
    );
    await this.#client.query("set local millrace.importing = 'on'");
  }

  /** One frame and its completion, alone or in the last transaction. */
  async #transact(frame: Frame, work: () => Promise<void>): Promise<void> {
    if (this.#isOpening) return work();
    // The last transaction waits for the disk, and so for all earlier ones. A crash loses rows and their progress
    // together.
    await this.#client.query("begin; set local synchronous_commit = off");
    await this.#enter();
    await work();
    await this.#client.query(
      "update workspace_imports set frames = $2, read_sha256 = decode($3, 'hex') where workspace_id = $1",
      [this.#key, frame.number + 1, frame.after],
    );
    await this.#client.query("commit");
  }

  async #finish(frame: Frame, head: HeadOf<"end">): Promise<void> {
    const { keys } = this.#context;
    await frame.content();
    if (head.total !== frame.before) throw archiveError("was changed");
    if (keys.passphrase && head.mac !== computeMac(keys.passphrase, head.total))
      throw archiveError("was not made with this passphrase");
    const counted = Array.from(this.#rows, ([name, rows]) => `${name} ${rows}`);
    const declared = head.parts.map(({ name, rows }) => `${name} ${rows}`);
    if (!isSameSet(counted, declared)) throw archiveError("has a wrong number of rows");
    if (head.files !== this.#files.size) throw archiveError("has a wrong number of files");
    await this.#beginOpening();
    const { rows } = await this.#client.query<{ files: number; workspaces: number }>(
      `select (select count(*)::int from blobs where workspace_id = $1 and place <> 'database') as files,
              (select count(*)::int from workspaces where key = $1) as workspaces`,
      [this.#key],
    );
    if (rows[0]?.files !== this.#files.size) throw archiveError("has rows whose files are missing");
    if (rows[0]?.workspaces !== 1) throw archiveError("does not contain a workspace");
    await verifyMemberships(this.#client, this.#key);
    await verifyDefinitions(this.#client, this.#context.options.kernel, { workspace: this.#key });
    const { tables, foreignKeys } = this.#catalogue ?? { tables: [], foreignKeys: [] };
    const people = this.#people.map(({ id }) => this.#matched.get(id) ?? id);
    await verifyReferences(this.#client, foreignKeys, {
      workspace: this.#key,
      people,
      tables: new Set(tables.map(({ name }) => name)),
    });
    await countIdentitiesOn(this.#client, tables, this.#key);
    await this.#client.query(
      "update workspace_imports set state = 'loaded', people = $2 where workspace_id = $1",
      [this.#key, JSON.stringify(people)],
    );
    await this.#client.query("commit");
  }
}
