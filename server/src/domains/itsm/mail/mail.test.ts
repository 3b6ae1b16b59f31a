import { expect, test } from "vitest";
import { INCIDENTS, MAILBOXES, plainMail, settled, useDesk } from "./testing/desk.ts";

const { world, mails, deliver, readMail } = await useDesk();
const owner = await world.member(["owner"]);

let seen = 0;

/** The events of mails since this was last asked, each with its reason. */
async function newEvents(): Promise<(readonly [string, string | null])[]> {
  const rows = await world.sql(
    "select type, data from events where type like 'mail.%' order by epoch, xid, seq",
  );
  const fresh = rows.slice(seen);
  seen = rows.length;
  return fresh.map(({ type, data }) => [type, data.reason ?? null]);
}

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

test("a mail makes a ticket of a contact, who is answered in one thread, and answers into it", async () => {
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
  expect(read.text).toContain(`Dear Rosa Lind,\n\nWe have your message. Its number is ${number}.`);
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
