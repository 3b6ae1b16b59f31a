import { expect, test } from "vitest";
import { contribute } from "#kernel/extension-point.ts";
import { NotificationRulePoint } from "#kernel/contributions/notification-rule.ts";
import { domain } from "#kernel/domain.ts";
import type { NotificationRule } from "#kernel/contributions/notification-rule.ts";
import { NoteCreated, notes } from "#kernel/testing/notes.ts";
import { useMailbox } from "#kernel/testing/mailbox.ts";
import { startWorld, until, useWorld, type World } from "#kernel/testing/world.ts";
import { domains } from "../../app.ts";
import { NotificationSent } from "./index.ts";

const INBOX = "/api/v1/notifications";

const aboutNotes: NotificationRule = {
  on: NoteCreated,
  to: ["owner", "admin"],
  title: ({ data }) => `A note: ${String(data["title"])}`,
  body: ({ data }) => `> ${String(data["body"])}`,
};
const aboutNotifications: NotificationRule = {
  on: NotificationSent,
  to: ["auditor"],
  title: () => "Somebody was told",
  body: () => "",
};
const probe = (...notices: NotificationRule[]) =>
  domain({
    name: "probe",
    summary: "",
    permissions: [],
    events: [],
    operations: [],
    contributions: [contribute(NotificationRulePoint, ...notices)],
  });

const { url, mails } = await useMailbox();
const world = await useWorld({
  work: true,
  domains: [...domains, notes, probe(aboutNotes)],
  env: {
    MILLRACE_SMTP_URL: url,
    MILLRACE_BASE_URL: "http://desk.example.com",
  },
});

type Person = Awaited<ReturnType<World["member"]>>;
const addressOf = ({ userId }: Person) => `${userId}@example.com`;
const inboxOf = async (person: Person) => (await person(`GET ${INBOX}?limit=200`)).body.data;

/** A workspace with one member per relevant role. */
async function staffed(slug: string, at = world) {
  const place = await at.workspace(slug);
  const [owner, admin, agent] = [
    await at.member(["owner"], place),
    await at.member(["viewer", "admin"], place),
    await at.member(["agent"], place),
  ];
  return { place, owner, admin, agent };
}

/** Waits until all events are processed, and all e-mails are sent. */
async function settled(at = world): Promise<void> {
  const [last] = await at.sql(
    "select epoch, xid, seq from events order by epoch desc, xid desc, seq desc limit 1",
  );
  await until(async () => {
    const behind = await at.sql(
      `select from readers where name = 'notifications.tell'
          and (epoch, xid, seq) < ($1, $2::xid8, $3)`,
      [last.epoch, last.xid, last.seq],
    );
    const waiting = await at.sql("select from jobs where kind = 'kernel.send_mail'");
    return behind.length === 0 && waiting.length === 0;
  });
}

test("a rule event notifies members with the rule's roles exactly once and includes the cause", async () => {
  const { place, owner, admin, agent } = await staffed("told");
  const deactivated = await world.member(["admin"], place);
  await owner(`PATCH /api/v1/settings/users/${deactivated.userId}`, { status: "deactivated" });
  const note = await agent("POST /api/v1/notes", { title: "Leak", body: "In the cellar" });
  await settled();
  const [cause] = (await owner("GET /api/v1/audit?type=note.created")).body.data;
  for (const person of [owner, admin]) {
    expect(await inboxOf(person)).toEqual([
      {
        id: expect.stringMatching(/^ntf_/),
        title: "A note: Leak",
        body: "> In the cellar",
        environment: "production",
        eventId: cause.id,
        eventType: "note.created",
        resource: { type: "note", id: note.body.data.id },
        readAt: null,
        revision: 1,
        createdAt: expect.any(String),
      },
    ]);
  }
  expect(await inboxOf(agent)).toEqual([]);
  const sent = (await owner("GET /api/v1/audit?type=notification.*")).body.data as any[];
  expect(sent.map(({ type, data }) => [type, data.userId]).toSorted()).toEqual(
    [owner, admin].map(({ userId }) => ["notification.sent", userId]).toSorted(),
  );
  for (const one of sent) {
    expect(one).toMatchObject({
      causationId: cause.id,
      correlationId: cause.correlationId,
      depth: 1,
      actor: { type: "system" },
    });
  }
  const rows = await world.sql("select user_id from notifications where workspace_id = $1", [
    place.key,
  ]);
  expect(rows.map(({ user_id }) => user_id).toSorted()).toEqual(
    [owner, admin].map(({ userId }) => userId).toSorted(),
  );
});

test("members also receive it by e-mail, unless they turned that off", async () => {
  const { owner, admin, agent } = await staffed("mailed");
  await admin(`PUT ${INBOX}/preferences`, { email: false });
  const before = mails.length;
  await agent("POST /api/v1/notes", { title: "Two\nlines", body: "Under the stairs" });
  await agent("POST /api/v1/notes", { title: "Trial", body: "" }, { "x-environment": "staging" });
  await settled();
  expect(await inboxOf(admin)).toHaveLength(2);
  const got = mails.slice(before);
  expect(got.map(({ to }) => to)).toEqual([addressOf(owner), addressOf(owner)]);
  const [real, trial] = got.toSorted((a, b) => a.text.indexOf("Trial") - b.text.indexOf("Trial"));
  expect(real?.text).toMatch(/^Subject: A note: Two lines\r$/m);
  expect(real?.text).toContain("Under the stairs");
  expect(real?.text).toContain("http://desk.example.com");
  expect(trial?.text).toMatch(/^Subject: \[staging\] A note: Trial\r$/m);
});

test("an event in staging appears in the common inbox with its environment", async () => {
  const { owner, agent } = await staffed("staged");
  await agent("POST /api/v1/notes", { title: "Trial", body: "" }, { "x-environment": "staging" });
  await settled();
  const inbox = await inboxOf(owner);
  expect(inbox).toMatchObject([{ title: "A note: Trial", environment: "staging" }]);
  const logged = await world.sql(
    "select environment from events where type = 'notification.sent' and resource_id = $1",
    [inbox[0].id],
  );
  expect(logged).toEqual([{ environment: "staging" }]);
});

test("truncates texts that are too long for the inbox", async () => {
  const { owner, agent } = await staffed("wordy");
  await agent("POST /api/v1/notes", { title: "Long", body: "y".repeat(10_000) });
  await settled();
  const [{ body }] = await inboxOf(owner);
  expect(body).toBe(`> ${"y".repeat(9_997)}…`);
});

test("a rule notifies at most a thousand people, and a rule about notifications terminates", async () => {
  await using apart = await startWorld({
    work: true,
    domains: [...domains, notes, probe(aboutNotes, aboutNotifications)],
  });
  const many = await apart.workspace("many");
  await apart.sql(
    `with u as (insert into users (id, email, name, created_at, updated_at)
                select 'usr_' || lpad(n::text, 26, '0'), n || '@example.com', 'Admin', now(), now()
                  from generate_series(1, 1001) n returning id)
     insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
     select $1, id, '{admin}', now(), now() from u`,
    [many.key],
  );
  const writer = await apart.member(["agent"], many);
  await writer("POST /api/v1/notes", { title: "Crowd", body: "" });
  const small = await staffed("small", apart);
  const auditor = await apart.member(["auditor"], small.place);
  await small.agent("POST /api/v1/notes", { title: "Echo", body: "" });
  // The owner and the admin are notified at depth 1, and each notification starts its own chain.
  await until(async () => (await apart.sql("select from events where depth = 16")).length === 2);
  await settled(apart);
  const [crowd] = await apart.sql(
    "select count(*)::int as n, count(distinct user_id)::int as people from notifications where workspace_id = $1",
    [many.key],
  );
  expect(crowd).toEqual({ n: 1_000, people: 1_000 });
  expect(await inboxOf(small.owner)).toHaveLength(1);
  expect(await inboxOf(auditor)).toHaveLength(2 * 15);
  expect(await apart.sql("select from parked_events")).toEqual([]);
});
