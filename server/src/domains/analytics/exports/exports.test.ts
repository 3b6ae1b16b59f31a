import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFilledTable } from "#domains/records/testing/records.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import { unzipped } from "../testing/archive.ts";
import { openNode } from "../testing/dying-node.ts";

const ROWS = 6_300;
const COLUMNS = [
  { name: "title", type: "text" },
  { name: "price", type: "decimal" },
  { name: "extra", type: "json" },
];
const FIELDS = ["id", "title", "price", "extra"];
const TITLES = ["ID", "Title", "Price", "Extra"];

const world = await useWorld();
const owner = await world.member(["owner"]);
const table = await createFilledTable(world, owner, { columns: COLUMNS }, []);
await world.sql(
  `insert into ${table.place} (id, title, price, extra)
     select 'rec_' || lpad(n::text, 26, '0'), (array['=1+1', 'a "b"', 'plain', '', null])[n % 5 + 1] || n,
            n / 4.0, case when n % 3 = 0 then jsonb_build_object('n', n) end
       from generate_series(1, ${ROWS}) as n`,
);
const whole: string = expectedCsv();

/** The expected file, built independently. */
function expectedCsv(): string {
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const n = index + 1;
    const title = [`"a ""b""${n}"`, `plain${n}`, String(n), "", `'=1+1${n}`][(n + 4) % 5];
    const extra = n % 3 === 0 ? `"{""n"":${n}}"` : "";
    return `rec_${String(n).padStart(26, "0")},${title},${n / 4},${extra}\r\n`;
  });
  return `${TITLES.join(",")}\r\n${lines.join("")}`;
}

async function request(body: object, ask: Ask = owner): Promise<string> {
  const answer = await ask("POST /api/v1/analytics/exports", body);
  expect(answer.body.errors ?? [answer.status, answer.events]).toEqual([202, ["export.requested"]]);
  return answer.body.data.id;
}

async function over(id: string, ask: Ask = owner) {
  return until(async () => {
    const { body } = await ask(`GET /api/v1/analytics/exports/${id}`);
    return /completed|failed|cancelled/.test(body.data.status) && body.data;
  });
}

async function linkOf(id: string): Promise<string> {
  const { body } = await owner(`GET /api/v1/analytics/exports/${id}/download`);
  return (body.data.url as string).replace(/^https?:\/\/[^/]+/, "");
}

/** Returns bytes, which `Ask` would decode as text. */
async function fetched(url: string, headers: Record<string, string> = {}) {
  const reply = await world.app.inject({ method: "GET", url, headers });
  return { status: reply.statusCode, bytes: reply.rawPayload, headers: reply.headers };
}

async function eventsOf(id: string): Promise<string[]> {
  const rows = await world.sql(
    "select type from events where resource_id = $1 order by epoch, xid, seq",
    [id],
  );
  return rows.map(({ type }) => type as string);
}

const RECORDS = () => ({ source: { kind: "records", table: table.slug }, fields: FIELDS });

test("an export contains each row once, reports progress, and supports range downloads", async () => {
  const id = await request({ ...RECORDS(), name: "All of it" });
  const early = await owner(`GET /api/v1/analytics/exports/${id}/download`);
  expect([early.status, early.body.code]).toEqual([409, "export_not_ready"]);
  const kernel = await openNode(world);
  const done = await over(id);
  expect(done).toMatchObject({
    status: "completed",
    progress: { rows: ROWS, total: ROWS, percent: 100 },
    bytes: Buffer.byteLength(whole),
  });
  expect(await eventsOf(id)).toEqual(["export.requested", "export.completed"]);
  const url = await linkOf(id);
  const all = await fetched(url);
  expect(all.status).toBe(200);
  expect(all.bytes.toString()).toBe(whole);
  expect(all.headers).toMatchObject({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": 'attachment; filename="All_of_it.csv"',
    "accept-ranges": "bytes",
    "content-length": String(done.bytes),
  });
  const bytes = Buffer.from(whole);
  for (const [range, from, to] of [
    ["bytes=100000-", 100_000, bytes.length],
    ["bytes=7-7", 7, 8],
    ["bytes=-20", bytes.length - 20, bytes.length],
  ] as const) {
    const part = await fetched(url, { range });
    expect([part.status, part.headers["content-range"]]).toEqual([
      206,
      `bytes ${from}-${to - 1}/${bytes.length}`,
    ]);
    expect(part.bytes.equals(bytes.subarray(from, to))).toBe(true);
  }
  const beyond = await fetched(url, { range: `bytes=${bytes.length}-` });
  expect([beyond.status, beyond.headers["content-range"]]).toEqual([
    416,
    `bytes */${bytes.length}`,
  ]);
  const other = await fetched(url, { range: "bytes=0-3", "if-range": '"another"' });
  expect(other.status).toBe(200);
  // The URL is valid for one file and a limited time.
  expect((await fetched(url.replace(/.$/, (last) => (last === "A" ? "B" : "A")))).status).toBe(404);
  world.clock.advance(15 * 60_000);
  expect((await fetched(url)).status).toBe(404);
  await kernel.close();
});

test.each([
  [2, false],
  [2, true],
  [4, false],
  [4, true],
])(
  "continues where it stopped if its writer dies at write %i (after it: %s)",
  async (dieAt, after) => {
    const id = await request(RECORDS());
    const first = await openNode(world, dieAt, after);
    await until(async () => first.state.dead);
    await first.close().catch(() => undefined);
    const [{ chunks }] = await world.sql("select chunks from exports where id = $1", [id]);
    expect(chunks).toBeGreaterThan(0);
    // The lease of the dead one runs out.
    world.clock.advance(120_000);
    const second = await openNode(world);
    expect((await over(id)).progress.rows).toBe(ROWS);
    await second.close();
    expect((await fetched(await linkOf(id))).bytes.toString()).toBe(whole);
    expect(await eventsOf(id)).toEqual(["export.requested", "export.completed"]);
  },
);

describe("with a node that works", () => {
  let kernel: Kernel;
  beforeAll(async () => {
    kernel = await openNode(world);
  });
  afterAll(() => kernel.close());

  test("an XLSX file can be opened by spreadsheets, and texts stay texts", async () => {
    const filter = { price: { lte: 1.25 } };
    const id = await request({ ...RECORDS(), filter, format: "xlsx" });
    expect((await over(id)).status).toBe("completed");
    const { bytes, headers } = await fetched(await linkOf(id));
    expect(headers["content-type"]).toMatch(/spreadsheetml\.sheet$/);
    const entries = unzipped(bytes);
    expect([...entries.keys()]).toEqual([
      "[Content_Types].xml",
      "_rels/.rels",
      "xl/workbook.xml",
      "xl/_rels/workbook.xml.rels",
      "xl/styles.xml",
      "xl/worksheets/sheet1.xml",
    ]);
    const sheet = entries.get("xl/worksheets/sheet1.xml") ?? "";
    const text = (cell: string, value: string) =>
      `<c r="${cell}" t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
    const number = (cell: string, value: number) => `<c r="${cell}"><v>${value}</v></c>`;
    const record = (n: number) => text(`A${n + 1}`, `rec_${String(n).padStart(26, "0")}`);
    expect(sheet.replace(/^[^]*<sheetData>/, "")).toBe(
      `<row r="1">${TITLES.map((name, at) => text(`${"ABCD"[at]}1`, name)).join("")}</row>` +
        `<row r="2">${record(1)}${text("B2", 'a "b"1')}${number("C2", 0.25)}</row>` +
        `<row r="3">${record(2)}${text("B3", "plain2")}${number("C3", 0.5)}</row>` +
        `<row r="4">${record(3)}${text("B4", "3")}${number("C4", 0.75)}${text("D4", '{"n":3}')}</row>` +
        `<row r="5">${record(4)}${number("C5", 1)}</row>` +
        `<row r="6">${record(5)}${text("B6", "=1+15")}${number("C6", 1.25)}</row>` +
        `</sheetData></worksheet>`,
    );
  });

  test("days and times are stored as such in a workbook, and no text can break it or be read as another type", async () => {
    const columns = [
      { name: "day", type: "date" },
      { name: "moment", type: "timestamp" },
      { name: "note", type: "text" },
    ];
    const rows = [
      { day: "2026-02-28", moment: "2026-12-31T18:00:00.000Z", note: "2026-02-28" },
      { day: "1900-03-01", moment: "1900-02-28T00:00:00.000Z", note: "_x000D_ _xABCd_x0001_ _x1_" },
      { day: "9999-12-31", moment: null, note: "\u0001<\r\uffff" },
    ];
    const { slug } = await createFilledTable(world, owner, { columns }, rows);
    const source = { kind: "records", table: slug };
    const fields = ["day", "moment", "note"];
    const id = await request({ source, fields, format: "xlsx" });
    expect((await over(id)).status).toBe("completed");
    const entries = unzipped((await fetched(await linkOf(id))).bytes);
    const cells = (entries.get("xl/worksheets/sheet1.xml") ?? "").matchAll(
      /<c r="([A-C][2-4])"(?: s="(\d)")?[^>]*>(?:<v>|<is><t[^>]*>)([^<]*)</g,
    );
    expect([...cells].map(([, cell, style, value]) => [cell, style, value])).toEqual([
      ["A2", "1", "46081"],
      ["B2", "2", "46387.75"],
      ["C2", undefined, "2026-02-28"],
      ["A3", "1", "61"],
      ["B3", undefined, "1900-02-28T00:00:00.000Z"],
      ["C3", undefined, "_x005F_x000D_ _x005F_xABCd_x005F_x0001_ _x1_"],
      ["A4", "1", "2958465"],
      ["C4", undefined, "_x0001_&lt;&#13;_xFFFF_"],
    ]);
    const formats = entries.get("xl/styles.xml") ?? "";
    expect(formats.match(/formatCode="[^"]*"/g)).toEqual([
      String.raw`formatCode="yyyy\-mm\-dd"`,
      String.raw`formatCode="yyyy\-mm\-dd\ hh:mm:ss"`,
    ]);
  });

  test("a report can be exported immediately or in the background, as csv, json and xlsx", async () => {
    const { body } = await owner("POST /api/v1/analytics/reports", {
      name: "Exported",
      source: { kind: "records", table: table.slug },
      filter: { price: { lte: 2 } },
      groupBy: ["title"],
      aggregates: [{ fn: "sum", field: "price", as: "total" }],
      sort: "total",
      limit: 2,
    });
    const path = `/api/v1/analytics/reports/${body.data.id}/export`;
    const csv = 'Title,total\r\n"a ""b""1",0.25\r\nplain2,0.5\r\n';
    expect((await owner(`GET ${path}`)).body).toBe(csv);
    expect((await owner(`POST ${path}?format=csv`)).body).toBe(csv);
    const rows = [
      { title: 'a "b"1', total: 0.25 },
      { title: "plain2", total: 0.5 },
    ];
    expect((await owner(`GET ${path}?format=json`)).body).toEqual(rows);
    const book = await fetched(`${path}?format=xlsx`, {
      authorization: `Bearer ${owner.token}`,
      "x-workspace": "default",
    });
    expect(unzipped(book.bytes).get("xl/worksheets/sheet1.xml")).toContain("<v>0.25</v>");
    const id = await request({ reportId: body.data.id, format: "json" });
    expect((await over(id)).progress).toEqual({ rows: 2, total: 2, percent: 100 });
    expect(JSON.parse((await fetched(await linkOf(id))).bytes.toString())).toEqual(rows);
  });

  test("uses the rights of its requester, and only they can see it", async () => {
    const rules = [{ roles: ["viewer"], actions: ["read"], where: { title: "seen" } }];
    const columns = [{ name: "title", type: "text" }];
    const { slug } = await createFilledTable(world, owner, { columns, rules }, [
      { title: "seen" },
      { title: "hidden" },
    ]);
    const [viewer, another] = [await world.member(["viewer"]), await world.member(["viewer"])];
    const asked = { source: { kind: "records", table: slug }, fields: ["title"] };
    const id = await request(asked, viewer);
    expect((await over(id, viewer)).progress.rows).toBe(1);
    expect((await fetched(await linkOf(id))).bytes.toString()).toBe("Title\r\nseen\r\n");
    expect((await another(`GET /api/v1/analytics/exports/${id}`)).status).toBe(404);
    expect((await another("GET /api/v1/analytics/exports")).body.data).toEqual([]);
    const log = await owner("POST /api/v1/analytics/reports", {
      name: "Log",
      source: { kind: "events" },
    });
    for (const body of [{ source: { kind: "events" } }, { reportId: log.body.data.id }]) {
      const refused = await viewer("POST /api/v1/analytics/exports", body);
      expect([refused.status, refused.events]).toEqual([403, []]);
    }
  });

  test("does not return its URL to a token without permission for such rows", async () => {
    const id = await request({ source: { kind: "runs" } });
    await over(id);
    const path = `GET /api/v1/analytics/exports/${id}/download`;
    const withScopes = async (scopes: readonly string[]) => {
      const { body } = await owner("POST /api/v1/auth/tokens", {
        name: scopes.join(),
        scopes,
        expiresIn: null,
      });
      return world.asToken(body.data.token, "default")(path);
    };
    expect((await withScopes(["analytics:read", "workflows:read"])).status).toBe(200);
    const refused = await withScopes(["analytics:read"]);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      "Viewing runs requires the permission workflows:read.",
    ]);
  });

  test("returns a URL that becomes invalid when its requester leaves", async () => {
    const left = await world.member(["viewer"]);
    const id = await request({ source: { kind: "runs" } }, left);
    await over(id, left);
    const { body } = await left(`GET /api/v1/analytics/exports/${id}/download`);
    const path = `GET ${new URL(body.data.url).pathname}`;
    expect((await world.stranger(path)).status).toBe(200);
    await owner(`DELETE /api/v1/settings/users/${left.userId}`);
    expect(await world.stranger(path)).toMatchObject({ status: 404, events: [] });
  });

  test("continues after its table changes between two pages", async () => {
    const columns = [
      { name: "title", type: "text" },
      { name: "kind", type: "text" },
    ];
    const rules = [{ roles: ["viewer"], actions: ["read"], where: { kind: "seen" } }];
    const { slug, place } = await createFilledTable(world, owner, { columns, rules }, []);
    await world.sql(
      `insert into ${place} (id, title, kind)
       select 'rec_' || lpad(n::text, 26, '0'), n, 'seen' from generate_series(1, 300) as n`,
    );
    await kernel.close();
    const viewer = await world.member(["viewer"]);
    const asked = { source: { kind: "records", table: slug }, fields: ["title"] };
    const id = await request(asked, viewer);
    kernel = await openNode(world);
    // After the first written page, this node's cached schema is outdated.
    const write = kernel.db.write.bind(kernel.db);
    let isRenamed = false;
    kernel.db.write = async (partition, work) => {
      const value = await write(partition, work);
      const [{ chunks }] = await world.sql("select chunks from exports where id = $1", [id]);
      if (chunks === 0 || isRenamed) return value;
      isRenamed = true;
      await owner(`PATCH /api/v1/tables/${slug}`, { renameColumns: { kind: "sort" } });
      return value;
    };
    expect((await over(id, viewer)).progress.rows).toBe(300);
    const lines = Array.from({ length: 300 }, (_, index) => `${index + 1}\r\n`);
    expect((await fetched(await linkOf(id))).bytes.toString()).toBe(`Title\r\n${lines.join("")}`);
  });

  test("fails with a reason if its subject was deleted", async () => {
    await kernel.close();
    const { slug } = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "a", type: "text" }] },
      [],
    );
    const id = await request({ source: { kind: "records", table: slug } });
    await owner(`DELETE /api/v1/tables/${slug}`);
    kernel = await openNode(world);
    expect(await over(id)).toMatchObject({
      status: "failed",
      error: `is not a table in this environment: ${slug}`,
    });
    expect(await eventsOf(id)).toEqual(["export.requested", "export.failed"]);
  });

  test("can be cancelled while it runs, and is deleted after its retention time", async () => {
    const id = await request({ source: { kind: "runs" } });
    await over(id);
    const late = await owner(`DELETE /api/v1/analytics/exports/${id}`);
    expect([late.status, late.body.code, late.events]).toEqual([409, "export_over", []]);
    await kernel.close();
    const waiting = await request({ source: { kind: "runs" } });
    const cancelled = await owner(`DELETE /api/v1/analytics/exports/${waiting}`);
    expect([cancelled.status, cancelled.events]).toEqual([204, ["export.cancelled"]]);
    world.clock.advance(8 * 86_400_000);
    kernel = await openNode(world);
    await until(async () => (await world.sql("select from exports")).length === 0);
    expect(await world.sql("select from export_chunks")).toEqual([]);
    expect(await eventsOf(id)).toEqual(["export.requested", "export.completed", "export.expired"]);
    expect(await eventsOf(waiting)).toEqual([
      "export.requested",
      "export.cancelled",
      "export.expired",
    ]);
  });
});
