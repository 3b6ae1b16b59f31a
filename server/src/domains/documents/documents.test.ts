import { createHash } from "node:crypto";
import { constants, deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { makeWorkbook, makeZip } from "#domains/imports/testing/spreadsheet.ts";
import { download, upload } from "#domains/files/testing/upload.ts";
import {
  deployAndRun,
  deployWorkflow,
  runWorkflow,
  stepsOf,
} from "#domains/runs/testing/workflows.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { makePdf, pdfOf } from "./testing/pdf.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const reader = await deployWorkflow(owner, [
  {
    id: "read",
    type: "file.read",
    timeoutMs: 120_000,
    config: { file: "{{ trigger.input.file }}", as: "{{ trigger.input.as }}" },
  },
]);

/** Reads a file with the workflow step. */
async function read(name: string, content: string | Buffer, as?: string) {
  const { body } = await upload(world, owner, content, { name });
  return runWorkflow(owner, reader, { file: { $file: body.data.id }, ...(as && { as }) });
}

/** A PDF of one mebibyte whose page inflates to a gigabyte, deflated once and repeated. */
function makePdfBomb(): Buffer {
  const part = deflateRawSync(Buffer.alloc(2 ** 24), { finishFlush: constants.Z_FULL_FLUSH });
  const [head, end] = [Buffer.from([0x78, 0x9c]), Buffer.from([3, 0, 0, 0, 0, 0])];
  const stream = Buffer.concat([head, ...Array.from({ length: 64 }, () => part), end]);
  return pdfOf(stream.toString("latin1"), "/Filter /FlateDecode");
}

test("reads documents as data by their format", async () => {
  const files: readonly (readonly [string, string | Buffer, unknown])[] = [
    [
      "a.csv",
      'name;n\r\n"Bär; & Co";=1+1\r\n',
      { columns: ["name", "n"], rows: [{ name: "Bär; & Co", n: "=1+1" }], more: false },
    ],
    ["a.json", '{"a":[1,null]}', { data: { a: [1, null] } }],
    [
      "a.xml",
      '<?xml version="1.0"?><o id="1"><i>a &amp; b</i><i><![CDATA[<c>]]></i><e/></o>',
      { data: { o: { "@id": "1", i: ["a & b", "<c>"], e: "" } } },
    ],
    ["a.txt", "grüß", { text: "grüß" }],
    ["latin.txt", Buffer.from([0x67, 0x72, 0xfc, 0xdf]), undefined],
    [
      "a.html",
      '<!doctype html><title>T &amp; U</title><script>bad()</script><p>One <a href="/x">two</a></p><table><tr><td>1</td></tr></table>',
      {
        title: "T & U",
        text: "One two\n\n1",
        links: [{ href: "/x", text: "two" }],
        tables: [[["1"]]],
      },
    ],
    ["a.pdf", makePdf("Invoice 42"), { text: "Invoice 42", pages: ["Invoice 42"], pageCount: 1 }],
  ];
  for (const [name, content, expected] of files) {
    const run = await read(name, content, expected === undefined ? "text" : undefined);
    expect([name, run.error, run.output]).toEqual([name, null, expected ?? { text: "grüß" }]);
  }
});

test("hostile files fail with a clear message and position, and the next file is read", async () => {
  const bomb = makeWorkbook({ rows: `<row><c><v>${"9".repeat(3_000_000)}` });
  const hostile: readonly (readonly [string, string | Buffer, string, string?])[] = [
    ["bomb.xlsx", bomb, "xlsx"],
    ["zip.xlsx", makeZip([["a", Buffer.alloc(1_000)]]), "xlsx"],
    ["laugh.xml", '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "xml", "document type"],
    ["deep.xml", "<a>".repeat(200), "xml", "too many levels of nesting"],
    ["open.xml", "<a>\n<b></a>", "xml", "(line 2)"],
    ["bad.json", '{\n"a": }', "json", "(line 2)"],
    ["no.pdf", "%PDF-1.4 nothing", "pdf", "not a valid PDF"],
    ["bomb.pdf", makePdfBomb(), "pdf", "memory or time limit"],
    ["picture.pdf", Buffer.from("89504e470d0a1a0a0000", "hex"), "pdf", "not a valid PDF"],
    ["wide.csv", `a\r\n${"x,".repeat(700_000)}`, "csv"],
    ["big.txt", "x".repeat(5_000_000), "text", "in parts"],
  ];
  for (const [name, content, as, words = ""] of hostile) {
    const { error } = await read(name, content, as);
    expect([name, error?.code]).toEqual([name, "file_unreadable"]);
    expect(error.message).toMatch(new RegExp(`^/file, as ${as}: `));
    expect(error.message).toContain(words);
  }
  expect((await read("after.txt", "fine", "text")).output).toEqual({ text: "fine" });
});

test("previews a document for users with access, and reports a hostile one", async () => {
  const look = async (name: string, content: string | Buffer) => {
    const { body } = await upload(world, owner, content, { name });
    return owner(`GET /api/v1/files/${body.data.id}/preview`);
  };
  const none = { pages: null, rows: null, more: false };
  const pages = ["Invoice 42"];
  expect((await look("a.pdf", makePdf("Invoice 42"))).body.data).toEqual({ ...none, pages });
  const lines = `(${"i".repeat(1_000)}) Tj T*\n`.repeat(130);
  const long = (await look("a.pdf", pdfOf(`BT /F1 1 Tf 2 TL 72 700 Td ${lines} ET`))).body.data;
  expect([long.pages[0].length, long.more]).toEqual([100_000, true]);
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const book = (line: string) => makeWorkbook({ rows: `<row>${line}</row>`.repeat(120) });
  const sizesOf = async (line: string) => {
    const { rows, more } = (await look("a.xlsx", book(line))).body.data;
    return [rows.length, rows[0].length, rows[0][0].length, more];
  };
  expect(await sizesOf(cell("y".repeat(300)) + cell("y").repeat(60))).toEqual([100, 50, 200, true]);
  expect(await sizesOf(cell("y".repeat(300)).repeat(60))).toEqual([10, 50, 200, true]);
  expect(await look("a.txt", "words")).toMatchObject({
    status: 404,
    body: { code: "no_preview" },
    events: [],
  });
  expect(await look("no.pdf", "%PDF-1.4 nothing")).toMatchObject({
    status: 422,
    body: { code: "file_unreadable", detail: "The file is not a valid PDF." },
  });
  const { body } = await upload(world, owner, makePdf("Mine"), { name: "mine.pdf" });
  const other = await world.member(["builder"]);
  expect((await other(`GET /api/v1/files/${body.data.id}/preview`)).status).toBe(404);
});

test("writes data as documents with escaped formulas, and reads the same data again", async () => {
  const rows = [
    { name: "=HYPERLINK(1)", total: -5, ok: true, note: null },
    { name: "Ö & <b>", total: 1.5, ok: false, note: 'a"b' },
  ];
  const write = (id: string, more: object) => ({
    id,
    type: "file.write",
    config: { name: id, data: "{{ trigger.input.rows }}", ...more },
  });
  const id = await deployWorkflow(owner, [
    write("csv", { as: "csv" }),
    write("raw", { as: "csv", formulas: "raw", columns: ["total", "name"] }),
    write("xlsx", { as: "xlsx", sheet: "All/orders" }),
    write("json", { as: "json" }),
    write("html", { as: "html" }),
    write("base64", { as: "base64", name: "dot.bin", data: "AP/+gA==" }),
    {
      id: "zip",
      type: "file.write",
      config: {
        as: "zip",
        name: "all.zip",
        files: ["{{ steps.csv.output }}", "{{ steps.base64.output }}", "{{ steps.csv.output }}"],
      },
    },
    { id: "again", type: "file.read", config: { file: "{{ steps.xlsx.output }}" } },
  ]);
  const run = await runWorkflow(owner, id, { rows });
  expect(run.error).toBeNull();
  const steps = stepsOf(run);
  const bytesOf = async (step: string): Promise<Buffer> =>
    (await download(world, owner, `/api/v1/files/${steps[step]?.output.$file}/content`)).bytes;
  expect((await bytesOf("csv")).toString()).toBe(
    'name,total,ok,note\r\n\'=HYPERLINK(1),-5,true,\r\nÖ & <b>,1.5,false,"a""b"\r\n',
  );
  expect((await bytesOf("raw")).toString()).toBe(
    "total,name\r\n-5,=HYPERLINK(1)\r\n1.5,Ö & <b>\r\n",
  );
  expect(JSON.parse((await bytesOf("json")).toString())).toEqual(rows);
  expect((await bytesOf("html")).toString()).toContain("<td>Ö &amp; &lt;b&gt;</td>");
  expect([...(await bytesOf("base64"))]).toEqual([0, 255, 254, 128]);
  expect(steps["csv"]?.output).toMatchObject({ name: "csv.csv", mediaType: "text/csv" });
  expect(steps["again"]?.output.rows).toEqual(rows);
  const zip = await bytesOf("zip");
  expect(zip.includes("csv (2).csv")).toBe(true);
  expect(createHash("sha256").update(zip).digest("hex")).toMatch(/^[0-9a-f]{64}$/);
  const wrong = await deployAndRun(owner, [
    { id: "w", type: "file.write", config: { as: "csv", data: [{ a: 1 }, 2] } },
  ]);
  expect(wrong.error).toMatchObject({
    code: "file_unwritable",
    message: "/data, as csv: /data/1 must be an object, or all must be lists.",
  });
});

test("steps attach files of the run to tickets and records, which get their own copies", async () => {
  const table = await owner("POST /api/v1/tables", {
    name: "Scans",
    slug: "scans",
    columns: [{ name: "papers", type: "file" }],
  });
  expect(table.status).toBe(201);
  const file = "{{ steps.fetch.output }}";
  const run = await deployAndRun(owner, [
    {
      id: "fetch",
      type: "file.write",
      config: { as: "text", name: "scan.txt", data: "a scan" },
    },
    {
      id: "open",
      type: "ticket",
      config: { operation: "create", kind: "incident", fields: { title: "A scan came" } },
    },
    {
      id: "attach",
      type: "ticket",
      config: {
        operation: "attach",
        kind: "incident",
        id: "{{ steps.open.output.id }}",
        fields: { fileId: file },
      },
    },
    {
      id: "keep",
      type: "records",
      config: { operation: "create", table: "scans", data: { papers: [file] } },
    },
  ]);
  expect(run.error).toBeNull();
  const { fetch: fetched, open, attach, keep } = stepsOf(run);
  const ids = [fetched?.output.$file, attach?.output.fileId, keep?.output.papers[0]];
  expect(new Set(ids).size).toBe(3);
  const types = await Promise.all(
    ids.map(async (id) => (await owner(`GET /api/v1/files/${id}`)).body.data.attachedTo?.type),
  );
  expect(types).toEqual(["run", "incident", "record"]);
  expect(attach?.output).toMatchObject({ ticketId: open?.output.id });
  expect(
    await world.sql("select refs from blobs where id = (select blob_id from files where id = $1)", [
      ids[0],
    ]),
  ).toEqual([{ refs: 3 }]);
});
