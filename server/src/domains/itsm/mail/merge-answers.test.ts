import { expect, test } from "vitest";
import { INCIDENTS, MAILBOXES, plainMail, settled, useDesk } from "./testing/desk.ts";

const { world, mails, deliver, readMail } = await useDesk();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const ADDRESS = "desk@acme.example";
await owner(`POST ${MAILBOXES}`, { name: "Desk", address: ADDRESS, kind: "smtp" });

const send = async (from: string, fields: object = {}): Promise<void> => {
  await deliver(plainMail({ from, to: ADDRESS, ...fields }), { from, to: ADDRESS });
  await settled(world);
};
/** The newest mail to an address. */
const newestTo = async (address: string) => {
  return readMail(mails.findLast(({ to }) => to.includes(address))?.text ?? "");
};
const newest = async (): Promise<any> =>
  (await agent(`GET ${INCIDENTS}?sort=-createdAt&limit=1`)).body.data[0];
const open = async (from: string, subject: string): Promise<any> => {
  await send(from, { subject, text: `${subject}, says ${from}` });
  return newest();
};
const merge = (id: string, intoId: string) => agent(`POST ${INCIDENTS}/${id}/merge`, { intoId });
const count = async (): Promise<number> =>
  (await agent(`GET ${INCIDENTS}?limit=200`)).body.data.length;

test("the caller of a merged ticket is notified, and replies reach the remaining ticket", async () => {
  const [first, second, third] = [
    await open("ann@one.example", "Scanner shows E-17"),
    await open("sven@two.example", "Scanner broken"),
    await open("tom@three.example", "No scans"),
  ];
  const acknowledged = await newestTo("sven@two.example");
  // A merged ticket's target is merged again.
  expect((await merge(second.id, third.number)).status).toBe(200);
  expect((await merge(third.id, first.number)).status).toBe(200);
  await settled(world);
  const told = await newestTo("sven@two.example");
  expect(told.text).toContain(`${second.number} was merged into another ticket`);
  expect((await newestTo("tom@three.example")).text).toContain(`${third.number} was merged`);

  const before = await count();
  const answer = { subject: `Re: ${told.subject ?? ""}`, text: "It beeps, too." };
  await send("sven@two.example", {
    ...answer,
    headers: [`In-Reply-To: ${acknowledged.messageId ?? ""}`],
  });
  expect(await count()).toBe(before);
  const { body } = await agent(`GET ${INCIDENTS}/${first.id}/comments`);
  expect(body.data.at(-1)).toMatchObject({
    ticketId: first.id,
    internal: true,
    body: expect.stringMatching(
      new RegExp(`sven@two.example.*in reply to ${second.number}.*It beeps, too\\.`, "s"),
    ),
  });
  // The other ticket's caller must not receive this text.
  expect((await newestTo("ann@one.example")).text).not.toContain("It beeps");

  await agent(`POST ${INCIDENTS}/${first.id}/resolve`, { resolution: "A new cable" });
  await settled(world);
  expect((await newestTo("sven@two.example")).text).toContain(`${second.number} is resolved`);
  // The problem continues, so the remaining ticket is reopened.
  await send("sven@two.example", {
    ...answer,
    text: "Still E-17.",
    headers: [`In-Reply-To: ${told.messageId ?? ""}`],
  });
  expect((await agent(`GET ${INCIDENTS}/${first.id}`)).body.data.state).toBe("in_progress");
  expect(await count()).toBe(before);
});

test("replies of the same caller are public in the remaining ticket", async () => {
  const [first, second] = [
    await open("kim@one.example", "No tone"),
    await open("kim@one.example", "Still no tone"),
  ];
  await merge(second.id, first.id);
  await settled(world);
  const told = await newestTo("kim@one.example");
  await send("kim@one.example", {
    subject: `Re: ${told.subject ?? ""}`,
    text: "Room 4",
    headers: [`In-Reply-To: ${told.messageId ?? ""}`],
  });
  const { body } = await agent(`GET ${INCIDENTS}/${first.id}/comments`);
  expect(body.data.at(-1)).toMatchObject({ ticketId: first.id, internal: false, body: "Room 4" });
});
