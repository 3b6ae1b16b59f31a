import PostalMime from "postal-mime";
import sharp from "sharp";
import { expect, test } from "vitest";
import { useMailbox } from "#kernel/testing/mailbox.ts";
import { startWorld, until, useWorld } from "#kernel/testing/world.ts";

const { url, mails } = await useMailbox();
const world = await useWorld({
  work: true,
  env: { MILLRACE_SMTP_URL: url, MILLRACE_BASE_URL: "https://desk.example.com" },
});
const [owner, agent, viewer, requester] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["viewer"]),
  world.member(["requester"]),
]);
const PATH = "/api/v1/analytics/report-schedules";
const WEEK_MS = 7 * 86_400_000;

await owner("POST /api/v1/tables", {
  name: "Orders",
  slug: "orders",
  columns: [
    { name: "region", type: "text" },
    { name: "amount", type: "integer" },
  ],
  rules: [
    { roles: ["agent"], actions: ["read"], where: { region: "north" } },
    { roles: ["viewer"], actions: ["read"], where: { region: "nowhere" } },
  ],
});
for (const [region, amount] of [
  ["north", 3],
  ["=south", 4],
] as const) {
  await owner("POST /api/v1/tables/orders/records", { region, amount });
}
const { body: report } = await owner("POST /api/v1/analytics/reports", {
  name: "Turnover",
  source: { kind: "records", table: "orders" },
  groupBy: ["region"],
  aggregates: [{ fn: "sum", field: "amount", as: "turnover" }],
});
const recipients = [owner, agent, viewer, requester].map(({ userId }) => userId);
const outcomes = async (id: string) =>
  Object.fromEntries(
    (await owner(`GET ${PATH}/${id}`)).body.data.outcomes.map((one: any) => [
      one.userId,
      [one.state, one.reason],
    ]),
  );
const mailTo = async ({ userId }: { readonly userId: string }) => {
  const mail = mails.find(({ to }) => to === `${userId}@example.com`);
  return mail && PostalMime.parse(mail.text);
};

test("a report is sent to each recipient with their rights, as an image and CSV, but not to former members or those without access", async () => {
  const draft = { name: "Every Monday", reportId: report.data.id, recipients, skipEmpty: true };
  for (const wrong of [
    { ...draft, reportId: null },
    { ...draft, schedule: { cron: "0 7 * *" } },
    { ...draft, recipients: ["usr_01jd0000000000000000000000"] },
    { ...draft, dashboardId: "dsh_01jd0000000000000000000000" },
  ]) {
    expect(await owner(`POST ${PATH}`, wrong)).toMatchObject({ status: 422, events: [] });
  }
  expect((await viewer(`POST ${PATH}`, draft)).status).toBe(403);
  const made = await owner(`POST ${PATH}`, draft);
  expect(made).toMatchObject({ status: 201, events: ["report_schedule.created"] });
  const { id, nextAt } = made.body.data;
  expect(new Date(nextAt).getUTCDay()).toBe(1);

  world.clock.advance(Date.parse(nextAt) - world.clock.now().getTime());
  const empty = ["skipped", "The report was empty."];
  const lacks = ["skipped", "The recipient needs the permission analytics:read."];
  await until(async () => Object.keys(await outcomes(id)).length === 4);
  expect(await outcomes(id)).toEqual({
    [owner.userId]: ["sent", null],
    [agent.userId]: ["sent", null],
    [viewer.userId]: empty,
    [requester.userId]: lacks,
  });
  expect(mails).toHaveLength(2);
  const own = await mailTo(agent);
  expect(own?.subject).toBe("Every Monday");
  expect(own?.text).toContain("north: 3");
  expect(`${own?.html}${own?.text}`).not.toContain("south");
  const [picture, csv] = own?.attachments ?? [];
  expect(picture).toMatchObject({ mimeType: "image/png", related: true });
  const { width } = await sharp(Buffer.from(picture?.content as ArrayBuffer)).metadata();
  expect(width).toBe(1200);
  expect(Buffer.from(csv?.content as ArrayBuffer).toString()).toBe(
    "Region,turnover\r\nnorth,3\r\n",
  );
  const all = await mailTo(owner);
  expect(Buffer.from(all?.attachments[1]?.content as ArrayBuffer).toString()).toContain(
    "'=south,4",
  );
  expect(all?.html).toContain(`https://desk.example.com/reports?report=${report.data.id}`);

  // The next run is a week later; members who left receive nothing.
  expect(Date.parse((await owner(`GET ${PATH}/${id}`)).body.data.nextAt) - Date.parse(nextAt)).toBe(
    WEEK_MS,
  );
  await owner(`DELETE /api/v1/settings/users/${agent.userId}`);
  mails.splice(0);
  const sent = await owner(`POST ${PATH}/${id}/send`);
  expect(sent).toMatchObject({ status: 200, events: ["report_schedule.triggered"] });
  await until(async () => (await outcomes(id))[agent.userId]?.[0] === "skipped");
  expect((await outcomes(id))[agent.userId]).toEqual([
    "skipped",
    "The recipient is no longer a member.",
  ]);
  await until(async () => mails.length === 1);

  const preview = await owner(`GET ${PATH}/${id}/preview`);
  expect(preview.body.data).toMatchObject({
    subject: "Every Monday",
    isEmpty: false,
    parts: [{ title: "Turnover", kind: "report", hasPicture: true }],
    attachments: [{ name: "Turnover.csv", rows: 2 }],
  });
  expect((await viewer(`GET ${PATH}/${id}/preview`)).body.data.isEmpty).toBe(true);
  const kept = await owner(`DELETE /api/v1/analytics/reports/${report.data.id}`);
  expect([kept.status, kept.body.code]).toEqual([409, "report_in_use"]);
  const off = await owner(`PATCH ${PATH}/${id}`, { enabled: false });
  expect([off.events, off.body.data.nextAt]).toEqual([["report_schedule.updated"], null]);
});

test("sends a dashboard as a single e-mail and reports failed widgets", async () => {
  const source = { kind: "records", table: "orders" };
  const widgets = [
    { title: "Orders", report: { source, chart: { type: "stat", target: 1 } } },
    { title: "By day", report: { source, timeBucket: { field: "createdAt", unit: "day" } } },
    { text: "# Read me" },
    { title: "Gone", reportId: report.data.id },
  ];
  const { body } = await owner("POST /api/v1/analytics/dashboards", { name: "Board", widgets });
  const draft = { name: "Daily", dashboardId: body.data.id, recipients: [viewer.userId] };
  const made = await owner(`POST ${PATH}`, draft);
  const { id } = made.body.data;
  mails.splice(0);
  await owner(`POST ${PATH}/${id}/send`, { onlyMe: true });
  const mail = await until(async () => (await mailTo(owner)) ?? false);
  expect(mail.attachments.map(({ filename }) => filename)).toEqual([
    "By-day.png",
    "Gone.png",
    "Orders.csv",
    "By-day.csv",
    "Gone.csv",
  ]);
  expect(mail.text).toContain("# Read me");
  expect((await owner(`DELETE /api/v1/analytics/dashboards/${body.data.id}`)).body.code).toBe(
    "dashboard_in_use",
  );
  const floods = Array.from({ length: 11 }, () =>
    owner(`POST ${PATH}/${id}/send`, { onlyMe: true }),
  );
  expect((await Promise.all(floods)).map(({ status }) => status)).toContain(429);
});

test("without a mail server a report is not sent, and all members can see the reason", async () => {
  await using mute = await startWorld();
  const builder = await mute.member(["owner"]);
  expect((await builder("GET /api/v1/auth/me")).body.data.sendsMail).toBe(false);
  expect((await owner("GET /api/v1/auth/me")).body.data.sendsMail).toBe(true);
  const table = { name: "Orders", slug: "orders", columns: [{ name: "amount", type: "integer" }] };
  await builder("POST /api/v1/tables", table);
  const saved = await builder("POST /api/v1/analytics/reports", {
    name: "Orders",
    source: { kind: "records", table: "orders" },
  });
  const made = await builder(`POST ${PATH}`, {
    name: "Daily",
    reportId: saved.body.data.id,
    recipients: [builder.userId],
  });
  expect(made.status).toBe(201);
  const sent = await builder(`POST ${PATH}/${made.body.data.id}/send`, { onlyMe: true });
  expect([sent.status, sent.body.code, sent.events]).toEqual([409, "mail_not_configured", []]);
});
