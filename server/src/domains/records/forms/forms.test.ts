import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { upload } from "../../files/testing/upload.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const builder = await world.member(["builder"]);
const member = await world.member(["member"]);
const columns = [
  { name: "email", type: "email", required: true },
  { name: "topic", type: "enum", options: { values: ["bug", "wish"] } },
  { name: "tags", type: "multi_enum", options: { values: ["a", "b"] } },
  { name: "urgent", type: "boolean" },
  { name: "when", type: "timestamp" },
  { name: "stage", type: "text", default: "new" },
];
const rules = [
  { roles: ["builder"], actions: ["create", "read", "update"], where: { stage: "new" } },
];
await owner("POST /api/v1/tables", { name: "asks", slug: "asks", columns, rules });
await owner("POST /api/v1/tables", {
  name: "asked",
  slug: "asked",
  columns: [
    { name: "question", type: "text" },
    { name: "approved", type: "boolean" },
  ],
  rules: [
    { roles: ["builder"], actions: ["create", "read"] },
    { roles: ["member"], actions: ["create", "read"], fields: ["question"] },
  ],
});

const fields = [
  { name: "email", label: "Your address", help: "We answer there." },
  { name: "topic" },
  { name: "tags" },
  { name: "urgent" },
  { name: "when" },
];
const view = (
  await builder("POST /api/v1/table-views", {
    name: "Ask us",
    table: "asks",
    kind: "form",
    form: { intro: "<b>Hello</b>", fields },
  })
).body.data;
const published = await builder(`POST /api/v1/table-views/${view.id}/publish`);
const key = published.body.data.publicKey as string;
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const send = (body: string, at = key): ReturnType<typeof owner> =>
  world.stranger(`POST /forms/${at}`, body, FORM);
const records = async (): Promise<any[]> =>
  (await owner("GET /api/v1/tables/asks/records?sort=id")).body.data;

test("an anonymous visitor submits a form with only the fields it shows, and the form is the actor", async () => {
  expect(published.events).toEqual(["table_view.updated"]);
  const page = await world.stranger(`GET /forms/${key}`);
  expect(page.status).toBe(200);
  expect(page.body).toContain("&#60;b&#62;Hello");
  expect(page.body).toContain('type="datetime-local"');
  expect(page.body).not.toContain("stage");
  const sent = await send(
    "email=ada%40example.com&topic=bug&tags=a&tags=b&urgent=true&when=2026-02-03T10%3A30&%24website=",
  );
  expect([sent.status, sent.events]).toEqual([200, ["record.created"]]);
  expect(sent.body).toContain("Thank you");
  expect(await records()).toMatchObject([
    {
      email: "ada@example.com",
      topic: "bug",
      tags: ["a", "b"],
      urgent: true,
      when: "2026-02-03T10:30:00.000Z",
      stage: "new",
      createdBy: view.id,
    },
  ]);
});

test("a filled honeypot field, an invalid or missing answer, and a bot write nothing", async () => {
  const before = (await records()).length;
  for (const body of [
    "email=a%40b.de&stage=done",
    "email=nonsense&topic=bug",
    "topic=bug",
    "email=a%40b.de&createdBy=me",
  ]) {
    const { status, events, body: page } = await send(body);
    expect([status, events]).toEqual([422, []]);
    expect(page).toContain('role="alert"');
  }
  const kept = await send("email=nonsense&topic=wish");
  expect(kept.body).toContain('value="nonsense"');
  expect(kept.body).toContain("Enter an e-mail address, for example name@example.com.");
  expect(kept.body).toContain('<option value="wish" selected>wish</option>');
  const trapped = await send("email=a%40b.de&%24website=spam");
  expect([trapped.status, trapped.events]).toEqual([200, []]);
  expect((await records()).length).toBe(before);
});

test("a member cannot change a form that writes with the rights of another member", async () => {
  const made = await member("POST /api/v1/table-views", {
    name: "Ask me",
    table: "asked",
    kind: "form",
    shared: true,
    form: { fields: [{ name: "question" }] },
  });
  const { id } = made.body.data;
  const { body } = await builder(`POST /api/v1/table-views/${id}/publish`);
  const reshape = (by: typeof member) =>
    by(`PATCH /api/v1/table-views/${id}`, {
      form: { fields: [{ name: "question" }, { name: "approved" }] },
    });
  const refused = await reshape(member);
  expect([refused.status, refused.events]).toEqual([403, []]);
  const renamed = await member(`PATCH /api/v1/table-views/${id}`, { name: "Ask me again" });
  expect(renamed.status).toBe(200);
  expect((await send("question=Why&approved=on", body.data.publicKey)).status).toBe(422);
  expect((await reshape(builder)).status).toBe(200);
});

test("submissions are rate-limited; the URL stops working when the form is unpublished or gets a new URL", async () => {
  world.clock.advance(61_000);
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) statuses.push((await send("topic=bug")).status);
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 422));
  expect(statuses.slice(10)).toEqual([429, 429]);
  world.clock.advance(61_000);
  const again = (await builder(`POST /api/v1/table-views/${view.id}/publish`)).body.data
    .publicKey as string;
  expect([
    (await world.stranger(`GET /forms/${key}`)).status,
    (await world.stranger(`GET /forms/${again}`)).status,
  ]).toEqual([404, 200]);
  expect((await member(`POST /api/v1/table-views/${view.id}/publish`)).status).toBe(403);
  expect((await owner(`POST /api/v1/table-views/${view.id}/publish`)).status).toBe(404);
  const gone = await builder(`POST /api/v1/table-views/${view.id}/unpublish`);
  expect([
    gone.status,
    gone.body.data.publicKey,
    (await world.stranger(`GET /forms/${again}`)).status,
  ]).toEqual([200, null, 404]);
});

test("a form accepts files within its limits, and only readers of the record can read them", async () => {
  world.clock.advance(61_000);
  await owner("POST /api/v1/tables", {
    name: "claims",
    slug: "claims",
    columns: [
      { name: "title", type: "text", required: true, unique: true },
      { name: "proofs", type: "file", options: { max: 2 } },
      { name: "photo", type: "image" },
      { name: "secret", type: "file" },
    ],
  });
  const asking = await builder("POST /api/v1/table-views", {
    name: "Claim",
    table: "claims",
    kind: "form",
    form: {
      fields: [{ name: "title" }, { name: "proofs", accept: ["pdf", "text"] }, { name: "photo" }],
    },
  });
  const { publicKey } = (await builder(`POST /api/v1/table-views/${asking.body.data.id}/publish`))
    .body.data;
  const page = await world.stranger(`GET /forms/${publicKey}`);
  expect(page.body).toContain('enctype="multipart/form-data"');
  // A text field is single-line unless the column is multiline.
  expect(page.body).toMatch(/name="title" required type="text"/);
  expect(page.body).toMatch(/name="proofs"[^>]* type="file" multiple accept=".pdf,.txt/);
  const sendFiles = async (
    fields: Readonly<Record<string, string>>,
    files: readonly (readonly [field: string, name: string, content: string])[],
  ) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    for (const [field, name, content] of files) data.append(field, new File([content], name));
    const request = new Request("http://localhost", { method: "POST", body: data });
    const { statusCode, body } = await world.app.inject({
      method: "POST",
      url: `/forms/${publicKey}`,
      headers: { "content-type": request.headers.get("content-type") ?? "" },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    return { status: statusCode, body };
  };
  const blobs = async () => (await world.sql("select from blobs")).length;
  const claims = async () => (await owner("GET /api/v1/tables/claims/records")).body.data as any[];
  const note = ["proofs", "a.txt", "what happened"] as const;

  // Rejected files leave nothing in the store.
  const before = await blobs();
  const own = await upload(world, builder, Buffer.from("of the builder"), { name: "own.txt" });
  const foreign = String(own.body.data.id);
  const kept = await blobs();
  expect(kept).toBe(before + 1);
  const refused = [
    await sendFiles({}, [note]),
    await sendFiles({ title: "T" }, [["secret", "a.txt", "x"]]),
    await sendFiles({ title: "T", proofs: foreign }, []),
    await sendFiles({ title: "T" }, [["proofs", "a.txt", "<html><script>alert(1)</script>"]]),
    await sendFiles({ title: "T" }, [["photo", "a.png", "no picture"]]),
    await sendFiles({ title: "T" }, [note, ["proofs", "b.txt", "b"], ["proofs", "c.txt", "c"]]),
    await sendFiles(
      { title: "T" },
      Array.from({ length: 11 }, (_, n) => ["proofs", `${n}.txt`, `${n}`] as const),
    ),
  ];
  expect(refused.map(({ status }) => status)).toEqual([422, 400, 422, 422, 422, 422, 400]);
  expect(refused[3]?.body).toContain("Choose a file of another type");
  const trapped = await sendFiles({ title: "T", $website: "x" }, [note]);
  expect(trapped.status).toBe(200);
  expect([await claims(), await blobs()]).toEqual([[], kept]);

  // Accepted files belong to the record: readers of the field may read them, visitors may not.
  world.clock.advance(61_000);
  expect((await sendFiles({ title: "T" }, [note])).status).toBe(200);
  const [claim] = await claims();
  const [fileId] = claim.proofs as string[];
  const content = await owner(`GET /api/v1/files/${fileId}/content`);
  expect([content.status, content.body]).toEqual([200, "what happened"]);
  expect((await world.stranger(`GET /api/v1/files/${fileId}/content`)).status).toBe(401);
  expect(await blobs()).toBe(kept + 1);

  // Files of a rejected submission wait for the next collector run, not for the end of the day.
  const again = await sendFiles({ title: "T" }, [["proofs", "b.txt", "once more"]]);
  expect([again.status, (await claims()).length]).toEqual([422, 1]);
  expect(await world.sql("select state from blobs where state <> 'stored'")).toEqual([
    { state: "deleted" },
  ]);
});

test("shared views do not reveal values of hidden fields", async () => {
  const secretive = [{ roles: ["member"], actions: ["read"], fields: ["title"] }];
  const owned = [
    { name: "title", type: "text" },
    { name: "salary", type: "integer" },
  ];
  await owner("POST /api/v1/tables", {
    name: "staff",
    slug: "staff",
    columns: owned,
    rules: secretive,
  });
  const make = async (name: string, filter: object): Promise<string> =>
    (await owner("POST /api/v1/table-views", { name, table: "staff", shared: true, filter })).body
      .data.id;
  const rich = await make("Rich", { or: [{ salary: { gte: 123_456 } }, { title: "Boss" }] });
  const plain = await make("Plain", { title: "Boss" });
  const { data } = (await member("GET /api/v1/table-views?limit=50")).body;
  const seen = Object.fromEntries(
    data.map(({ id, filter, filterHidden }: any) => [id, [filter, filterHidden]]),
  );
  expect(seen).toMatchObject({ [rich]: [{}, true], [plain]: [{ title: "Boss" }, false] });
  expect((await member(`GET /api/v1/table-views/${rich}`)).body.data.filter).toEqual({});
  expect((await owner(`GET /api/v1/table-views/${rich}`)).body.data.filterHidden).toBe(false);
  await world.settled();
  const log = await member("GET /api/v1/audit?type=table_view.*&limit=50");
  expect(JSON.stringify(log.body)).not.toContain("123456");
});
