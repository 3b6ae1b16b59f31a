/** Installs, publishes and runs every recipe of the pack against a server that simulates the services. */
import { expect, test } from "vitest";
import { json, useUpstream } from "#domains/connectors/testing/upstream.ts";
import { stepsOf, waitForRun } from "#domains/runs/testing/workflows.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { recipesPack } from "./index.ts";

const upstream = await useUpstream();
const world = await useWorld({ work: true, env: upstream.env });
const owner = await world.member(["owner"]);
const pack = await owner("POST /api/flowsdk/install-packs", { packKey: recipesPack.id });
if (pack.status !== 201) throw new Error(JSON.stringify(pack.body));
const made: readonly { readonly kind: string; readonly key: string; readonly id: string }[] =
  pack.body.data.made;
// All services have the same address here.
for (const { id, key } of made.filter(({ kind }) => kind === "connectors")) {
  const isModel = key.endsWith("Language model");
  const { status, body } = await owner(`PATCH /api/v1/connectors/${id}`, {
    config: { baseUrl: upstream.url },
    ...(isModel && { auth: { kind: "bearer", token: "key-of-a-model" } }),
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

const PEOPLE = {
  values: [
    ["Ada", "ada@example.com", "Hello"],
    ["Alan", "alan@example.com", "Hi"],
  ],
};
const ANSWERS: Readonly<Record<string, unknown>> = {
  "GET /spreadsheets/YOUR-SPREADSHEET/values/A2:C1000": PEOPLE,
  "GET /calendars/primary/events": {
    items: [
      { summary: "Talk", start: { dateTime: "2026-11-17T09:30:00Z" } },
      { summary: "Fair", start: { date: "2026-11-17" } },
    ],
  },
  "GET /YOUR-BASE/Tasks": {
    records: [{ fields: { Name: "Paint" } }, { fields: { Name: "Sand" } }],
  },
  "GET /files": { files: [{ id: "1", name: "a.pdf", webViewLink: "https://example.com/a" }] },
  "GET /repos/YOUR-OWNER/YOUR-REPOSITORY": { stargazers_count: 7, open_issues_count: 2 },
  "GET /crm/v3/objects/deals/9": { properties: { dealname: "Big", amount: "100" } },
  "POST /crm/v3/objects/contacts/search": { total: 1, results: [{ id: "51" }] },
  "GET /article": "<p>Once upon a time</p>",
};

const APPEND = "POST /spreadsheets/YOUR-SPREADSHEET/values/A1:append";
const SAY = "POST /chat.postMessage";
const THINK = "POST /chat/completions";

interface Example {
  readonly input?: object;
  /** The response of the model: a text, or an object for a schema. */
  readonly says?: unknown;
  readonly asks: readonly string[];
  /** A part of the last sent body. */
  readonly sends?: string;
}
const mail = { body: { from: "a@example.com", subject: "Price?", text: "How much?" } };

const EXAMPLES: Readonly<Record<string, Example>> = {
  "webhook-to-slack": { input: { body: { title: "T", text: "x" } }, asks: [SAY], sends: "*T*\\nx" },
  "form-to-sheet-and-slack": {
    input: { name: "Ada", email: "a@example.com", message: "Hi" },
    asks: [APPEND, SAY],
    sends: "Ada wrote: Hi",
  },
  "telegram-assistant": {
    input: { body: { message: { chat: { id: 7 }, text: "Hi?" } } },
    says: "Hello.",
    asks: [THINK, "POST /sendMessage"],
    sends: "Hello.",
  },
  "release-to-discord": {
    input: {
      body: { action: "published", repository: { full_name: "a/b" }, release: { tag_name: "v1" } },
    },
    asks: ["POST /channels/YOUR-CHANNEL/messages"],
    sends: "a/b v1 is out",
  },
  "failure-to-telegram": {
    input: { workflow: { name: "W" }, error: { message: "no" } },
    asks: ["POST /sendMessage"],
    sends: "W failed: no",
  },
  "agenda-to-telegram": {
    asks: ["GET /calendars/primary/events", "POST /sendMessage"],
    sends: "09:30 Talk\\nall day Fair",
  },
  "page-watch": {
    input: { url: `${upstream.url}/gone` },
    asks: ["GET /gone", SAY],
    sends: "answers 404",
  },
  "webhook-to-sheet": { input: { body: { name: "n", value: 3 } }, asks: [APPEND], sends: '"n"' },
  "sheet-to-mails": {
    asks: [
      "GET /spreadsheets/YOUR-SPREADSHEET/values/A2:C1000",
      ...Array.from({ length: 2 }, () => "POST /users/me/messages/send"),
    ],
    sends: "raw",
  },
  "sheet-to-notion": {
    asks: [
      "GET /spreadsheets/YOUR-SPREADSHEET/values/A2:C1000",
      ...Array.from({ length: 2 }, () => "POST /pages"),
    ],
    sends: "YOUR-DATABASE",
  },
  "airtable-to-slack": { asks: ["GET /YOUR-BASE/Tasks", SAY], sends: "2 open: Paint, Sand" },
  "lead-to-hubspot": {
    input: { name: "Ada", email: "a@example.com", company: "C" },
    asks: ["POST /crm/v3/objects/contacts/search", "PATCH /crm/v3/objects/contacts/51"],
    sends: '"company":"C"',
  },
  "payment-to-sheet": {
    input: { body: { id: "evt", data: { object: { id: "pi_1", amount: 1250, currency: "eur" } } } },
    asks: [APPEND],
    sends: "12.5",
  },
  "order-to-slack-and-sheet": {
    input: {
      body: { name: "#1", total_price: "9.00", line_items: [{ title: "Bell" }, { title: "Pump" }] },
    },
    asks: [APPEND, SAY],
    sends: "Bell, Pump",
  },
  "deal-won-to-slack": {
    input: { body: { propertyValue: "closedwon", objectId: 9 } },
    asks: ["GET /crm/v3/objects/deals/9", SAY],
    sends: "Won: Big (100)",
  },
  "form-to-jira": {
    input: { summary: "S", details: "D" },
    asks: ["POST /issue"],
    sends: '"key":"DESK"',
  },
  "stars-to-sheet": { asks: ["GET /repos/YOUR-OWNER/YOUR-REPOSITORY", APPEND], sends: "7" },
  "new-files-to-sheet": {
    asks: ["GET /files", APPEND],
    sends: '[["a.pdf","https://example.com/a"]]',
  },
  "onboarding-cards": {
    input: { name: "Ada" },
    asks: [...Array.from({ length: 3 }, () => "POST /cards"), SAY],
    sends: "Ada starts soon",
  },
  "lead-score": {
    input: { name: "Ada", email: "a@example.com", message: "1,000 seats" },
    says: { score: 90, reason: "large" },
    asks: [THINK, SAY],
    sends: "Ada (90): large",
  },
  "mail-sort": { input: mail, says: { team: "sales" }, asks: [THINK, SAY], sends: "#sales" },
  "issue-labels": {
    input: {
      body: {
        action: "opened",
        repository: { full_name: "a/b" },
        issue: { number: 3, title: "t", body: "b" },
      },
    },
    says: { labels: ["bug"] },
    asks: [THINK, "POST /repos/a/b/issues/3/labels"],
    sends: '{"labels":["bug"]}',
  },
  "feedback-mood": {
    input: { body: { text: "Great" } },
    says: { mood: "good", topic: "all" },
    asks: [THINK, APPEND],
    sends: '"good"',
  },
  "page-summary": {
    input: { body: { url: `${upstream.url}/article` } },
    says: "Short.",
    asks: ["GET /article", THINK],
  },
  "feed-to-telegram": {
    input: { title: "T", summary: "s", link: "https://example.com/1" },
    says: "One.",
    asks: [THINK, "POST /sendMessage"],
    sends: "https://example.com/1",
  },
  translation: {
    input: { body: { text: "Hello", language: "German" } },
    says: "Hallo",
    asks: [THINK],
  },
  "drafts-to-notion": {
    input: { topic: "bicycles" },
    says: { posts: ["a", "b"] },
    asks: [THINK, "POST /pages", "POST /pages"],
  },
  "chat-about-us": { input: { message: "Open?" }, says: "From nine.", asks: [THINK] },
  "invoice-data": {
    input: { body: { text: "Invoice 7" } },
    says: { number: "7", vendor: "V", total: 10 },
    asks: [THINK, APPEND],
    sends: '"7"',
  },
};

/** Simulates the services and the model. */
function answerAs({ says = "" }: Example): void {
  upstream.answer = ({ method, path }, response) => {
    const line = `${method} ${new URL(path, upstream.url).pathname}`;
    if (line === "GET /gone") return json(response, {}, 404);
    if (line !== THINK) return json(response, ANSWERS[line] ?? { ok: true, id: "1" });
    const content = typeof says === "string" ? says : JSON.stringify(says);
    const parts = [
      { choices: [{ index: 0, delta: { role: "assistant", content } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } },
    ].map((part) => `data: ${JSON.stringify({ id: "1", model: "gpt-4.1-mini", ...part })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    return void response.end(`${parts.join("")}data: [DONE]\n\n`);
  };
}

async function start(key: string, input: unknown): Promise<string> {
  const id = made.find((one) => one.kind === "workflows" && one.key === key)?.id;
  const published = await owner(`POST /api/v1/workflows/${id}/publish`, {});
  expect([key, published.status, published.body.errors]).toEqual([key, 200, undefined]);
  const { body } = await owner(`POST /api/v1/workflows/${id}/trigger`, { input });
  return body.data.runId;
}

const asked = () =>
  upstream.received.map(({ method, path }) => `${method} ${new URL(path, upstream.url).pathname}`);

test("the pack has thirty recipes, and each is run below", () => {
  const keys = made.filter(({ kind }) => kind === "workflows").map(({ key }) => key);
  expect(keys).toHaveLength(30);
  expect(new Set([...Object.keys(EXAMPLES), "approval-by-link"])).toEqual(new Set(keys));
});

test.for(Object.entries(EXAMPLES))("%s works as described", async ([key, example]) => {
  answerAs(example);
  const run = await waitForRun(owner, await start(key, example.input));
  expect(run.error).toBeNull();
  expect(asked().toSorted()).toEqual([...example.asks].toSorted());
  if (example.sends !== undefined) expect(upstream.received.at(-1)?.text).toContain(example.sends);
});

test("approval-by-link waits for the click in the message", async () => {
  answerAs({ asks: [] });
  const runId = await start("approval-by-link", { name: "Ada", request: "a day off" });
  const text = await until(async () => upstream.received[0]?.text);
  const path = /Yes: https?:\/\/[^/]+(\/[^\s?\\]+)/.exec(text)?.[1] ?? "";
  expect((await world.stranger(`GET ${path}?approved=true`)).status).toBe(202);
  const run = await waitForRun(owner, runId);
  expect(run.error).toBeNull();
  expect(stepsOf(run)["approved"].status).toBe("completed");
  expect(upstream.received.at(-1)?.text).toContain("was approved");
});
