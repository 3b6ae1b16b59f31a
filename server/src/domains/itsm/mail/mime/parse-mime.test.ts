import { expect, test } from "vitest";
import * as corpus from "../testing/corpus.ts";
import { parseMail } from "./mail-parser.ts";
import type { ParsedMail } from "./parsed-mail.ts";

async function parse(raw: Buffer): Promise<ParsedMail> {
  const result = await parseMail("workspace", raw);
  if ("error" in result) throw new Error(result.error);
  return result.mail;
}

const fileNames = ({ files }: ParsedMail) => files.map(({ name, isInline }) => [name, isInline]);

test("new text is separated from quoted text", async () => {
  expect(await parse(corpus.outlook)).toMatchObject({
    from: { name: "Jörg Müller", address: "joerg@kunde.example" },
    references: ["old@acme.example", "oldest@acme.example"],
    visible: "Der Drucker geht wieder, danke für die Hilfe.\n\n[Bild]",
    quoted: "Von: Service Desk <desk@acme.example>\nGesendet: Montag\nGeht er wieder?",
  });
  expect(fileNames(await parse(corpus.outlook))).toEqual([["bild1.png", true]]);
  expect(await parse(corpus.gmail)).toMatchObject({
    visible: "It works now.",
    quoted:
      "On Mon, Nov 16, 2026 at 10:00 AM Service desk <\ndesk@acme.example> wrote:\n\n> Does it work?\n>",
  });
  expect(await parse(corpus.apple)).toMatchObject({ visible: "I lost my badge." });
  expect(await parse(corpus.thunderbird)).toMatchObject({
    subject: "Grüße mit 8 Bit",
    visible: "Das Gerät läuft.",
    quoted: "-- \nEva\nAm 16.11.26 um 10:00 schrieb Service desk:\n> Läuft es?",
  });
});

test("charsets, invitations, signatures and winmail.dat are read, or omitted with a notice", async () => {
  expect(await parse(corpus.japanese)).toMatchObject({ subject: "テスト", visible: "テスト" });
  const invited = await parse(corpus.invitation);
  expect([invited.visible, fileNames(invited)]).toEqual([
    "Come to the review.",
    [["invitation.ics", false]],
  ]);
  const signed = await parse(corpus.signed);
  expect([signed.visible, signed.files, signed.notices]).toEqual([
    "This is signed.",
    [],
    ["The S/MIME signature was omitted. It is not verified."],
  ]);
  const tnef = await parse(corpus.winmail);
  expect([tnef.visible, tnef.files, tnef.notices]).toEqual([
    "See the attachment.",
    [],
    ["An attachment in Outlook format (winmail.dat) was omitted."],
  ]);
});

test("hostile mails stay within limits: no header injection, and the sender is still known", async () => {
  const injected = await parse(corpus.injected);
  expect(injected.subject).toBe("Hello Bcc: victim@example.com");
  expect(injected.from?.address).toBe("ete@latin.example");
  expect(injected.files.map(({ name }) => name).join()).toMatch(/^[\w.=]+$/);
  const broken = await parse(corpus.broken);
  expect(broken.visible).toContain("Half a mail");
  expect(JSON.stringify({ ...broken, files: [] })).not.toContain("\\u0000");
  const deep = await parse(corpus.nested(10_000));
  expect(deep).toMatchObject({ subject: "Deep", isUnreadable: true, files: [], visible: "" });
  const flat = await parse(corpus.flat(10_000));
  expect([flat.files.length, flat.notices]).toEqual([
    50,
    ["The e-mail has 10000 attachments. Only the first 50 are attached."],
  ]);
  const types =
    "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: constructor\r\n\r\nx\r\n--b--";
  const odd = await parse(Buffer.from(`From: eve@x.example\r\n${types}`));
  expect([fileNames(odd), odd.notices]).toEqual([[["attachment-1.bin", false]], []]);
  // Must finish far below the time limit.
  const row = `<pre>&valueOf;${"&#32;".repeat(390_000)}x</pre>`;
  const wide = await parse(
    Buffer.from(`From: eve@x.example\r\nContent-Type: text/html\r\n\r\n${row}`),
  );
  expect([wide.visible.startsWith("&valueOf;   "), wide.notices.length]).toEqual([true, 1]);
});

test("a delivery report contains the mail, the recipient and the reason", async () => {
  const mail = await parse(corpus.bounce("<inc_1.x@acme.example>", "Gone@customer.example"));
  expect(mail.report).toEqual({
    messageId: "inc_1.x@acme.example",
    recipient: "gone@customer.example",
    status: "5.1.1",
    diagnostic: "smtp; 550 5.1.1 No such user",
  });
});
