import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, expect, inject } from "vitest";
import { systemCaller } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { Act } from "#kernel/operation/act.ts";
import { fastFolder } from "#kernel/testing/fast-folder.ts";
import { type Ask, useWorld, type World } from "#kernel/testing/world.ts";
import type { NewHead } from "../archive/frame.ts";
import { readArchiveFile } from "../archive/reader.ts";
import { openFileSink } from "../archive/sink.ts";
import { readCatalogue } from "../catalogue.ts";
import { exportWorkspace } from "../export-workspace.ts";
import { discardImport } from "../import/discard-import.ts";
import { importWorkspace } from "../import/import-workspace.ts";
import { mapColumn } from "../import/row-lines.ts";

/** Two installations with a folder for archives, and functions that move a workspace between them. */
export async function useArchiveWorlds() {
  const folder = mkdtempSync(join(fastFolder(), "millrace-archive-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    MILLRACE_LOGIN_RATE_LIMIT: "0",
    MILLRACE_SMTP_URL: "smtp://127.0.0.1:9",
    MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
  };
  const source = await useWorld({ env });
  const target = await useWorld({ env });
  const ownerOf = ({ database }: World) => ({
    ...inject("database").owner,
    database: database.app.database ?? "",
  });

  const writeArchive = (slug: string, path: string, passphrase?: string) => {
    const { masterKey, blobStores, readerNames } = source.kernel;
    const owner = ownerOf(source);
    return exportWorkspace({
      owner,
      masterKey,
      blobStores,
      readerNames,
      slug,
      openSink: () => openFileSink(path),
      passphrase,
    });
  };
  const readIn = (path: string, slug: string, passphrase?: string) =>
    importWorkspace({
      owner: ownerOf(target),
      kernel: target.kernel,
      archive: readArchiveFile(path),
      slug,
      passphrase,
    });
  const discard = (slug: string) => discardImport(ownerOf(target), target.kernel.blobStores, slug);

  const act = (workspace: string, run: (ctx: WriteContext) => Promise<void>) => {
    const partition = { workspace, environment: "production" } as const;
    const correlationId = newCorrelationId(target.kernel.clock);
    const caller = systemCaller(partition, { correlationId, depth: 0 });
    return target.kernel.db.write(partition, async (session) => {
      const one = new Act({ session, services: target.kernel, caller });
      await run(one.ctx);
      one.finish();
    });
  };
  const dump = (world: World, workspace: string) => dumpRows(ownerOf(world), workspace);
  return { folder, source, target, ownerOf, writeArchive, readIn, discard, act, dump };
}

/** An incident with a comment, and with a job that resumes it. */
export async function openTicket(ask: Ask): Promise<string> {
  const { body } = await ask("POST /api/v1/itsm/incidents", { title: "Broken" });
  const { id } = body.data;
  const comment = await ask(`POST /api/v1/itsm/incidents/${id}/comments`, { body: "Still" });
  expect(comment.status).toBe(201);
  const held = await ask(`PATCH /api/v1/itsm/incidents/${id}`, {
    state: "on_hold",
    onHoldReason: "awaiting_caller",
    holdUntil: "2999-01-01T00:00:00Z",
  });
  expect(held.status).toBe(200);
  return id;
}

/** Rows in COPY format with another value in one column. */
export const withValue = (lines: string, head: NewHead, column: string, value: string): string => {
  const index = head.kind === "rows" ? head.columns.indexOf(column) : -1;
  return mapColumn(Buffer.from(lines, "latin1"), index, () => value).toString("latin1");
};

/** Creates a small amount of everything that an archive can contain. */
export async function fillSmall(ask: Ask): Promise<void> {
  await ask("POST /api/v1/tables", {
    slug: "orders",
    name: "Orders",
    columns: [
      { name: "title", type: "text" },
      { name: "no", type: "autonumber" },
      { name: "parent", type: "reference", options: { table: "orders" } },
    ],
  });
  await ask("POST /api/v1/tables/orders/records", { title: "One\ttab\nline \\N" });
  await ask("POST /api/v1/files?name=a.json", { kept: true });
  await ask("POST /api/v1/oauth/applications", {
    name: "Client",
    redirectUris: ["https://client.test/back"],
    allowedScopes: ["profile"],
  });
  await ask("POST /api/v1/secrets", { name: "KEY", value: "planted 5d1" });
  await ask("POST /api/v1/connectors", {
    name: "Pets",
    type: "openapi",
    config: { document: JSON.stringify(PETS) },
  });
  await ask("POST /api/v1/cmdb/classes", {
    name: "rack",
    attributes: { units: { type: "integer" } },
  });
  await ask("POST /api/v1/queries", {
    name: "Late",
    sql: "select * from orders where no > $1",
    parameters: [{ name: "least", type: "integer", default: 3 }],
  });
  await openTicket(ask);
}

const PETS = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://pets.example.com" }],
  paths: {
    "/pets/{id}": {
      get: {
        operationId: "get",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string", pattern: "^p" } },
        ],
        responses: {},
      },
      post: {
        operationId: "change",
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  tags: { type: "array", items: { enum: ["a", "b"] } },
                  age: { minimum: 0 },
                },
                additionalProperties: false,
              },
            },
          },
        },
        responses: {},
      },
    },
  },
};

/** All rows of a workspace by table without its key, including user tables. */
async function dumpRows(owner: pg.ClientConfig, workspace: string): Promise<Map<string, string[]>> {
  return withOwnerClient(owner, async (client) => {
    const { tables } = await readCatalogue(client);
    const own = await client.query<{ relation: string }>(
      `select format('%I.%I', schemaname, tablename) as relation from pg_tables
        where schemaname like 'tables\\_%' and schemaname like '%' || $1 order by 1`,
      [workspace.replaceAll("-", "")],
    );
    const rows = new Map<string, string[]>();
    const read = async (name: string, sql: string) => {
      const found = await client.query<{ row: string }>(sql);
      if (found.rows.length > 0) rows.set(name, found.rows.map(({ row }) => row).toSorted());
    };
    for (const { name, keyColumn } of tables) {
      const where = `"${keyColumn}" = '${workspace}'`;
      await read(
        name,
        `select (to_jsonb(t) - '${keyColumn}')::text as row from "${name}" t where ${where}`,
      );
    }
    for (const { relation } of own.rows)
      await read(relation, `select to_jsonb(t)::text as row from ${relation} t`);
    return rows;
  });
}
