import { expect, test } from "vitest";
import { bounce, nested } from "./testing/corpus.ts";
import { INCIDENTS, MAILBOXES, plainMail, settled, useDesk } from "./testing/desk.ts";

const { world, mails, deliver, readMail, newEvents, countIncidents, verified } = await useDesk();
const owner = await world.member(["owner"]);

async function mailbox(address: string, more: object = {}) {
  const answer = await owner(`POST ${MAILBOXES}`, {
    name: "Service desk",
    address,
    kind: "smtp",
    ...more,
  });
  expect(answer).toMatchObject({ status: 201, events: ["mailbox.created"] });
  return answer.body.data;
}

test("a mail creates a ticket of a contact, who gets replies in one thread and can answer", async () => {
  const desk = await mailbox("desk@acme.example", {
    templates: { header: "Dear {{recipient.name}},", footer: "{{mailbox.name}} <b>" },
  });
  await deliver(
    plainMail({
      from: "Rosa Lind <rosa@customer.example>",
      to: desk.address,
      id: "first@customer.example",
    }),
    { from: "rosa@customer.example", to: desk.address },
  );
  await settled(world);
  const [{ number, callerId, title, description, teamId }] = (
    await owner(`GET ${INCIDENTS}?limit=1`)
  ).body.data;
  expect({ title, description, teamId }).toEqual({
    title: "The printer is on fire",
    description: "Please come.",
    teamId: null,
  });
  expect(callerId).toMatch(/^cnt_/);
  expect(await newEvents()).toEqual([
    ["mail.accepted", null],
    ["mail.received", "new"],
    ["mail.sent", null],
  ]);
  const [ack] = mails.splice(0);
  const read = await readMail(ack?.text ?? "");
  expect(ack?.to).toBe("rosa@customer.example");
  expect(read.subject).toBe(`[${number}] The printer is on fire`);
  expect(read.text).toContain(
    `Dear Rosa Lind,\n\nWe received your message. The ticket number is ${number}.`,
  );
  expect(read.html).toContain("Service desk &#60;b&#62;");
  expect(read.inReplyTo).toBe("<first@customer.example>");
  expect(read.text).toContain(`http://desk.example.com/portal/tickets/${number}?workspace=default`);
  expect(read.headers.find(({ key }) => key === "auto-submitted")?.value).toBe("auto-generated");

  await owner(`POST ${INCIDENTS}/${number}/comments`, { body: "A secret", internal: true });
  await owner(`POST ${INCIDENTS}/${number}/attachments`, {
    name: "how.txt",
    content: "Turn it off",
  });
  await owner(`POST ${INCIDENTS}/${number}/comments`, { body: "Is it <still> burning?" });
  await settled(world);
  const [question, ...others] = mails.splice(0);
  expect(others).toEqual([]);
  const asked = await readMail(question?.text ?? "");
  expect(asked.text).toContain("Is it <still> burning?");
  expect(asked.html).toContain("Is it &#60;still&#62; burning?");
  expect(asked.headers.some(({ key }) => key === "auto-submitted")).toBe(false);
  expect(asked.attachments.map(({ filename }) => filename)).toEqual(["how.txt"]);
  const replyTo = asked.replyTo?.[0]?.address ?? "";
  expect(replyTo).toMatch(/^desk\+INC\d{7}\.[a-z0-9]{10}@acme\.example$/);

  const answer = [
    "Still.",
    "",
    "On Mon, Nov 16, 2026 at 10:00 AM Service desk <desk@acme.example> wrote:",
    "> Is it still burning?",
  ].join("\r\n");
  await newEvents();
  await deliver(
    plainMail({
      from: "rosa@customer.example",
      to: replyTo,
      id: "second@customer.example",
      subject: "Re: whatever",
      text: answer,
      headers: [`In-Reply-To: ${asked.messageId}`],
    }),
    { from: "rosa@customer.example", to: replyTo },
  );
  await settled(world);
  expect(await newEvents()).toEqual([
    ["mail.accepted", null],
    ["mail.received", "reply"],
  ]);
  const comments = (await owner(`GET ${INCIDENTS}/${number}/comments`)).body.data;
  expect(comments.at(-1)).toMatchObject({ body: "Still.", internal: false, createdBy: callerId });
  const [{ id: mailId }] = (await owner(`GET ${MAILBOXES}/${desk.id}/messages?limit=1`)).body.data;
  const detail = (await owner(`GET ${MAILBOXES}/${desk.id}/messages/${mailId}`)).body.data;
  expect(detail).toMatchObject({ state: "received", reason: "reply", ticket: { number } });
  expect(detail.quoted).toContain("> Is it still burning?");
  expect((await owner(`GET /api/v1/files/${detail.fileId}/content`)).body).toContain("In-Reply-To");
});

const newest = async () => (await owner(`GET ${INCIDENTS}?limit=1`)).body.data[0];
const commentsOn = async (number: string) =>
  (await owner(`GET ${INCIDENTS}/${number}/comments`)).body.data as any[];

/** Delivers a mail and waits for its outcome. Resolves to its events. */
async function receive(raw: string | Buffer, from: string, to: string) {
  await settled(world);
  await newEvents();
  await deliver(raw, { from, to });
  await settled(world);
  return (await newEvents()).filter(([type]) => type !== "mail.accepted" && type !== "mail.sent");
}

test("only mails to existing mailboxes are accepted, after they are stored", async () => {
  const box = await mailbox("doors@acme.example");
  const off = await mailbox("off@acme.example", { enabled: false });
  const raw = plainMail({ from: "a@b.example", to: box.address, id: "doors@b.example" });
  const refusal = (to: string) =>
    deliver(raw, { from: "a@b.example", to }).then(
      () => 250,
      ({ responseCode }: { responseCode: number }) => responseCode,
    );
  expect(await refusal("nobody@acme.example")).toBe(550);
  expect(await refusal("victim@elsewhere.example")).toBe(550);
  expect(await refusal(off.address)).toBe(450);
  await world.sql("revoke select on mailboxes from millrace_system");
  expect(await refusal(box.address)).toBe(451);
  await world.sql("grant select on mailboxes to millrace_system");
  // If the commit fails the mail is not acknowledged, and nothing of it remains.
  await world.sql("revoke insert on mails from millrace_app");
  expect(await refusal(box.address)).toBe(451);
  await world.sql("grant insert on mails to millrace_app");
  expect(
    await world.sql(
      "select from files where attached_type = 'mail' and name = 'mail.eml' and size = $1",
      [raw.length],
    ),
  ).toEqual([]);
  const before = await countIncidents();
  const sent = await deliver(raw, { from: "a@b.example", to: [box.address] }, true);
  expect(sent.accepted).toEqual([box.address]);
  await settled(world);
  expect(await countIncidents()).toBe(before + 1);
});

test("many concurrent copies of a mail create one ticket", async () => {
  const box = await mailbox("twice@acme.example");
  const before = await countIncidents();
  await newEvents();
  const raw = plainMail({ from: "a@b.example", to: box.address, id: "twice@b.example" });
  await Promise.all(
    Array.from({ length: 4 }, () => deliver(raw, { from: "a@b.example", to: box.address })),
  );
  await settled(world);
  expect(await countIncidents()).toBe(before + 1);
  const reasons = (await newEvents()).filter(([type]) => /received|ignored/.test(type));
  expect(reasons.toSorted()).toEqual([
    ["mail.ignored", "duplicate"],
    ["mail.ignored", "duplicate"],
    ["mail.ignored", "duplicate"],
    ["mail.received", "new"],
  ]);
});

test("mail loops between two desks end, and so do loops with an unmarked autoresponder", async () => {
  const place = await world.workspace("other");
  const other = await world.member(["owner"], place);
  const a = await mailbox("loop-a@acme.example");
  await other(`POST ${MAILBOXES}`, { name: "B", address: "loop-b@other.example", kind: "smtp" });
  let robot = 0;
  /** Delivers outgoing mails to their recipients until none is left. */
  const carry = async (): Promise<string[]> => {
    const carried: string[] = [];
    for (let round = 0; round < 50; round += 1) {
      await settled(world);
      const out = mails.splice(0).filter(({ to }) => /^(loop-[ab]|robot)@/.test(to));
      if (out.length === 0) return carried;
      for (const { to, text } of out) {
        carried.push(to);
        if (to !== "robot@mill.example") await deliver(text, { from: a.address, to });
        else {
          robot += 1;
          const raw = plainMail({
            from: to,
            to: a.address,
            subject: `Robot ${robot}`,
            id: `r${robot}@mill.example`,
          });
          await deliver(raw, { from: to, to: a.address });
        }
      }
    }
    throw new Error("The loop does not end.");
  };
  const first = plainMail({
    from: "loop-b@other.example",
    to: a.address,
    id: "loop1@other.example",
  });
  await deliver(first, { from: "loop-b@other.example", to: a.address });
  expect(await carry()).toEqual(["loop-b@other.example"]);
  const { number } = await newest();
  await newEvents();
  await owner(`POST ${INCIDENTS}/${number}/comments`, { body: "Who are you?" });
  // A person's message creates a ticket there. The acknowledgement must not create one here.
  expect(await carry()).toEqual(["loop-b@other.example", "loop-a@acme.example"]);
  expect(await countIncidents("other")).toBe(1);
  expect((await newEvents()).at(-1)).toEqual(["mail.ignored", "loop"]);
  const start = plainMail({ from: "robot@mill.example", to: a.address, id: "r0@mill.example" });
  await deliver(start, { from: "robot@mill.example", to: a.address });
  expect((await carry()).length).toBe(5);
});

test("a mail cannot join a thread or write as the desk without proof", async () => {
  const box = await mailbox("safe@acme.example");
  const place = await world.workspace("foreign");
  const stranger = await world.member(["owner"], place);
  await stranger(`POST ${MAILBOXES}`, { name: "F", address: "safe@foreign.example", kind: "smtp" });
  const caller = await verified(["member"]);
  const agent = await verified(["agent"]);
  const write = (from: string, fields: object, to = box.address) =>
    receive(plainMail({ from, to, ...fields }), from, to);

  mails.splice(0);
  expect(await write(caller.address, { id: "s1@x.example" })).toEqual([["mail.received", "new"]]);
  const { number, callerId, id } = await newest();
  expect(callerId).toBe(caller.userId);
  await owner(`PATCH ${INCIDENTS}/${number}`, { assigneeId: agent.userId });
  await owner(`POST ${INCIDENTS}/${number}/comments`, { body: "What now?" });
  await settled(world);
  const sent = await Promise.all(
    mails.splice(0).map(async ({ to, text }) => ({ to, mail: await readMail(text) })),
  );
  const toCaller = sent.findLast(({ to }) => to === caller.address)?.mail;
  const toAgent = sent.findLast(({ to }) => to === agent.address)?.mail;
  expect(toCaller?.text).toContain(`/portal/tickets/${number}`);
  expect(toAgent?.text).toContain(`desk.example.com/tickets/${number}`);
  const reply = [`In-Reply-To: ${toCaller?.messageId}`];
  const replyTo = toCaller?.replyTo?.[0]?.address ?? "";

  // A colleague who received a forwarded mail creates an internal note, and gets no reply.
  expect(await write("boss@x.example", { id: "s2@x.example", headers: reply })).toEqual([
    ["mail.received", "not_a_party"],
  ]);
  expect((await commentsOn(number)).at(-1)).toMatchObject({ internal: true });
  // An agent's sender address proves nothing; the reply address of a mail to the agent does.
  const subject = `Re: [${number}] hello`;
  expect(await write(agent.address, { id: "s3@x.example", subject })).toEqual([
    ["mail.received", "subject"],
  ]);
  expect((await commentsOn(number)).at(-1)).toMatchObject({
    internal: true,
    createdBy: agent.userId,
  });
  // The requester knows a reply address, but cannot write as the agent.
  for (const to of [box.address, replyTo]) {
    const forgery = { id: `s4-${to}`, headers: reply };
    expect(await write(agent.address, forgery, to)).toEqual([["mail.received", "reply"]]);
    expect((await commentsOn(number)).at(-1)).toMatchObject({ internal: true });
  }
  const agentReplyTo = toAgent?.replyTo?.[0]?.address ?? "";
  expect(await write(agent.address, { id: "s4@x.example" }, agentReplyTo)).toEqual([
    ["mail.received", "reply_address"],
  ]);
  expect((await commentsOn(number)).at(-1)).toMatchObject({
    internal: false,
    createdBy: agent.userId,
  });
  // The signed address is sufficient for a party. A forged address, or a number, is not.
  expect(await write(caller.address, { id: "s5@x.example", subject: "Hm" }, replyTo)).toEqual([
    ["mail.received", "reply_address"],
  ]);
  const forged = replyTo.replace(/\.[a-z0-9]{10}@/, ".aaaaaaaaaa@");
  const before = await countIncidents();
  expect(await write("eve@x.example", { id: "s6@x.example", subject }, forged)).toEqual([
    ["mail.received", "new"],
  ]);
  expect(await write("eve@x.example", { id: "s7@x.example", subject })).toEqual([
    ["mail.received", "new"],
  ]);
  expect(await countIncidents()).toBe(before + 2);
  // Our signature is invalid in another workspace.
  const elsewhere = replyTo.replace("@acme.example", "@foreign.example");
  expect(await write(caller.address, { id: "s8@x.example", headers: reply }, elsewhere)).toEqual([
    ["mail.received", "new"],
  ]);
  expect(await countIncidents("foreign")).toBe(1);
  // A member who left is not a party.
  await owner(`PATCH /api/v1/settings/users/${caller.userId}`, { status: "deactivated" });
  expect(await write(caller.address, { id: "s9@x.example", headers: reply })).toEqual([
    ["mail.received", "not_a_party"],
  ]);
  mails.splice(0);
  await owner(`POST ${INCIDENTS}/${id}/comments`, { body: "Still there?" });
  await settled(world);
  expect(mails.map(({ to }) => to)).toEqual([agent.address]);
});

test("replies reopen resolved tickets, closed tickets get a follow-up, and bounces are recorded", async () => {
  const box = await mailbox("again@acme.example");
  const from = "kim@customer.example";
  await receive(plainMail({ from, to: box.address, id: "k1@c.example" }), from, box.address);
  const { number } = await newest();
  await owner(`POST ${INCIDENTS}/${number}/resolve`, { resolution: "Turned it off" });
  await settled(world);
  const told = await readMail(mails.splice(0).at(-1)?.text ?? "");
  expect(told.text).toContain("Turned it off");
  expect(told.text).toContain("/portal/-/rate/");
  const answer = { from, to: box.address, headers: [`In-Reply-To: ${told.messageId}`] };
  await receive(plainMail({ ...answer, id: "k2@c.example" }), from, box.address);
  expect((await owner(`GET ${INCIDENTS}/${number}`)).body.data).toMatchObject({
    state: "in_progress",
    reopenCount: 1,
  });
  const dsn = bounce(told.messageId ?? "", from).toString();
  await newEvents();
  await deliver(dsn, { from: "", to: box.address });
  await settled(world);
  expect((await newEvents()).at(-1)).toEqual(["mail.bounced", "5.1.1"]);
  expect((await commentsOn(number)).at(-1)).toMatchObject({
    internal: true,
    body: expect.stringContaining("No such user"),
  });
  await owner(`POST ${INCIDENTS}/${number}/resolve`, { resolution: "Sold it" });
  await owner(`POST ${INCIDENTS}/${number}/close`);
  expect(await receive(plainMail({ ...answer, id: "k3@c.example" }), from, box.address)).toEqual([
    ["mail.received", "follow_up"],
  ]);
  expect((await newest()).description).toMatch(new RegExp(`^Follows ${number}`));
});

test("mails stopped by rules, rate limits and checks have a reason, and large files are stored", async () => {
  const box = await mailbox("rules@acme.example", {
    sendersHourlyMax: 2,
    rules: [
      { name: "spam", when: { subject: { contains: "lottery" } }, action: "ignore" },
      { name: "alerts", when: { "headers.x-alert": "yes" }, action: "tag", tag: "alert" },
    ],
  });
  const from = "mon@tool.example";
  const write = (fields: object, sender = from) =>
    receive(plainMail({ from: sender, to: box.address, ...fields }), sender, box.address);
  expect(await write({ subject: "You won the lottery", id: "l1@t.example" })).toEqual([
    ["mail.ignored", "rule"],
  ]);
  expect(await write({ id: "l2@t.example", headers: ["X-Alert: yes"] })).toEqual([
    ["mail.received", "new"],
  ]);
  expect((await newest()).tags).toEqual(["alert"]);
  expect(await write({ id: "l3@t.example" })).toEqual([["mail.ignored", "rate"]]);
  expect(
    await write({ id: "l4@t.example", headers: ["Auto-Submitted: auto-replied"] }, "ooo@t.example"),
  ).toEqual([["mail.ignored", "auto_submitted"]]);
  const [rated] = (
    await owner(`GET ${MAILBOXES}/${box.id}/messages?state=ignored&limit=2`)
  ).body.data.slice(1);
  await owner(`PATCH ${MAILBOXES}/${box.id}`, { sendersHourlyMax: 100 });
  const retried = await owner(`POST ${MAILBOXES}/${box.id}/messages/${rated.id}/retry`);
  expect(retried).toMatchObject({ status: 202, events: ["mail.retried"] });
  await settled(world);
  expect((await newEvents()).filter(([type]) => type === "mail.received")).toEqual([
    ["mail.received", "new"],
  ]);

  await receive(nested(10_000), "deep@evil.example", box.address);
  const deep = await newest();
  expect(deep.description).toMatch(/^\(no text\)\n\n\[The content can't be parsed/);
  const attached = async (number: string) =>
    (await owner(`GET ${INCIDENTS}/${number}/attachments`)).body.data.map((one: any) => [
      one.name,
      one.bytes,
    ]);
  expect(await attached(deep.number)).toEqual([["mail.eml", nested(10_000).length]]);

  const bytes = 22 * 1_048_576;
  const large = `${plainMail({
    from,
    to: box.address,
    id: "l5@t.example",
    headers: ["X-Large: yes"],
  })
    .replace(
      "Content-Type: text/plain; charset=utf-8",
      'Content-Type: multipart/mixed; boundary="L"',
    )
    .trimEnd()}\r\n--L\r\nContent-Disposition: attachment; filename="dump.bin"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.alloc(bytes, 7).toString("base64")}\r\n--L--\r\n`;
  expect(large.length).toBeGreaterThan(29 * 1_048_576);
  expect(await receive(large, from, box.address)).toEqual([["mail.received", "new"]]);
  expect(await attached((await newest()).number)).toEqual([["dump.bin", bytes]]);
});
