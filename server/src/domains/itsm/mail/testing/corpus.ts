/** Raw sample mails from many clients. */

function lines(...parts: readonly string[]): Buffer {
  return Buffer.from(parts.join("\r\n"), "latin1");
}

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
const base64 = (text: string): string => Buffer.from(text).toString("base64");

export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Outlook: HTML only, a quoted mail below its header, an inline image. */
export const outlook = lines(
  "From: =?iso-8859-1?Q?J=F6rg_M=FCller?= <joerg@kunde.example>",
  "To: Service Desk <desk@acme.example>",
  "Subject: AW: [INC0000007] Drucker",
  "Message-ID: <AM0PR01MB1234@AM0PR01MB1234.eurprd01.prod.outlook.com>",
  "In-Reply-To: <old@acme.example>",
  "References: <oldest@acme.example>",
  " <old@acme.example>",
  "MIME-Version: 1.0",
  'Content-Type: multipart/related; boundary="_004_"; type="text/html"',
  "",
  "--_004_",
  'Content-Type: text/html; charset="iso-8859-1"',
  "Content-Transfer-Encoding: quoted-printable",
  "",
  '<html><head><style>p{margin:0}</style></head><body><p class=3D"MsoNormal">Der Drucker =',
  'geht wieder, danke f=FCr die Hilfe.<o:p></o:p></p><p><img src=3D"cid:bild1" alt=3D"Bild"></p>',
  '<div id=3D"divRplyFwdMsg"><b>Von:</b> Service Desk &lt;desk@acme.example&gt;<br><b>Gesendet:</b> Montag</div>',
  "<div>Geht er wieder?</div></body></html>",
  "--_004_",
  'Content-Type: image/png; name="bild1.png"',
  "Content-ID: <bild1>",
  'Content-Disposition: inline; filename="bild1.png"',
  "Content-Transfer-Encoding: base64",
  "",
  PNG,
  "--_004_--",
  "",
);

/** Gmail: both bodies, a quote with an introduction over two lines. */
export const gmail = lines(
  "From: Ana <ana@gmail.example>",
  "To: desk@acme.example",
  "Subject: Re: VPN",
  "Message-ID: <CAF+abc@mail.gmail.example>",
  'Content-Type: multipart/alternative; boundary="0000"',
  "",
  "--0000",
  'Content-Type: text/plain; charset="UTF-8"',
  "",
  "It works now.",
  "",
  "On Mon, Nov 16, 2026 at 10:00 AM Service desk <",
  "desk@acme.example> wrote:",
  "",
  "> Does it work?",
  ">",
  "",
  "--0000",
  'Content-Type: text/html; charset="UTF-8"',
  "",
  '<div dir="ltr">It works now.</div><div class="gmail_quote">On Mon …</div>',
  "--0000--",
);

/** Apple Mail: HTML only with a quote, sent from a phone. */
export const apple = lines(
  "From: Tim <tim@me.example>",
  "Subject: Badge",
  "Message-ID: <5F0C@me.example>",
  "Content-Type: text/html; charset=utf-8",
  "Content-Transfer-Encoding: 7bit",
  "",
  "<html><body>I lost my badge.<br><br>Sent from my iPhone<div><br>",
  '<blockquote type="cite">On 16 Nov 2026, at 09:00, Desk &lt;desk@acme.example&gt; wrote:<br>Old</blockquote>',
  "</div></body></html>",
);

/** Thunderbird: flowed UTF-8 text, a German quote, a signature. */
export const thunderbird = lines(
  "From: Eva <eva@firma.example>",
  `Subject: ${utf8("Grüße mit 8 Bit")}`,
  "Message-ID: <tb@firma.example>",
  "Content-Type: text/plain; charset=UTF-8; format=flowed",
  "Content-Transfer-Encoding: 8bit",
  "",
  utf8("Das Gerät läuft."),
  "",
  "-- ",
  "Eva",
  utf8("Am 16.11.26 um 10:00 schrieb Service desk:"),
  utf8("> Läuft es?"),
);

/** A Japanese mail in ISO-2022-JP. */
export const japanese = lines(
  "From: =?ISO-2022-JP?B?GyRCO0NFRBsoQg==?= <yamada@nihon.example>",
  "Subject: =?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=",
  "Message-ID: <jp@nihon.example>",
  "Content-Type: text/plain; charset=ISO-2022-JP",
  "Content-Transfer-Encoding: 7bit",
  "",
  "\u001b$B%F%9%H\u001b(B",
);

/** Outlook's TNEF format next to plain text. */
export const winmail = lines(
  "From: Bob <bob@exchange.example>",
  "Subject: With winmail.dat",
  "Message-ID: <tnef@exchange.example>",
  'Content-Type: multipart/mixed; boundary="b"',
  "",
  "--b",
  "Content-Type: text/plain",
  "",
  "See the attachment.",
  "--b",
  'Content-Type: application/ms-tnef; name="winmail.dat"',
  'Content-Disposition: attachment; filename="winmail.dat"',
  "Content-Transfer-Encoding: base64",
  "",
  base64("tnef"),
  "--b--",
);

export const invitation = lines(
  "From: Cal <cal@corp.example>",
  "Subject: Invitation: Review",
  "Message-ID: <cal@corp.example>",
  'Content-Type: multipart/alternative; boundary="c"',
  "",
  "--c",
  "Content-Type: text/plain",
  "",
  "Come to the review.",
  "--c",
  "Content-Type: text/calendar; charset=utf-8; method=REQUEST",
  "",
  "BEGIN:VCALENDAR",
  "END:VCALENDAR",
  "--c--",
);

/** Signed with S/MIME. */
export const signed = lines(
  "From: Sig <sig@bank.example>",
  "Subject: Signed",
  "Message-ID: <sig@bank.example>",
  'Content-Type: multipart/signed; protocol="application/pkcs7-signature"; micalg=sha-256; boundary="s"',
  "",
  "--s",
  "Content-Type: text/plain",
  "",
  "This is signed.",
  "--s",
  'Content-Type: application/pkcs7-signature; name="smime.p7s"',
  'Content-Disposition: attachment; filename="smime.p7s"',
  "Content-Transfer-Encoding: base64",
  "",
  base64("signature"),
  "--s--",
);

/** A missing boundary, an unknown charset, invalid base64, and NUL bytes. */
export const broken = lines(
  "From: broken <broken@old.example>",
  "Subject: Broken \u0000 boundary",
  "Message-ID: <broken@old.example>",
  'Content-Type: multipart/mixed; boundary="there"',
  "",
  "--there",
  "Content-Type: text/plain; charset=x-none",
  "",
  "Half a mail\u0000",
  "--elsewhere",
  "Content-Type: image/png",
  "Content-Transfer-Encoding: base64",
  "",
  "!!!!",
);

/** Headers with raw bytes, and lines that imitate further headers. */
export const injected = lines(
  "From: \xe9t\xe9 <ete@latin.example>",
  "To: desk@acme.example",
  "Subject: =?utf-8?Q?Hello=0D=0ABcc:_victim@example.com?=",
  "Message-ID: <inj@latin.example>",
  'Content-Type: multipart/mixed; boundary="i"',
  "",
  "--i",
  "Content-Type: text/plain",
  "",
  "Text",
  "--i",
  "Content-Type: text/plain",
  'Content-Disposition: attachment; filename="../../etc/pass\u202ewd=0D=0A.txt"',
  "",
  "root",
  "--i--",
);

/** A delivery report for an undelivered mail. */
export function bounce(messageId: string, recipient: string): Buffer {
  return lines(
    "From: Mail Delivery System <MAILER-DAEMON@mx.example>",
    "To: desk@acme.example",
    "Subject: Undelivered Mail Returned to Sender",
    "Message-ID: <dsn@mx.example>",
    "Auto-Submitted: auto-replied",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="r"',
    "",
    "--r",
    "Content-Type: text/plain",
    "",
    "I'm sorry.",
    "--r",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.example",
    "",
    `Final-Recipient: rfc822; ${recipient}`,
    "Action: failed",
    "Status: 5.1.1",
    "Diagnostic-Code: smtp; 550 5.1.1 No such user",
    "--r",
    "Content-Type: text/rfc822-headers",
    "",
    `Message-ID: ${messageId}`,
    "Subject: whatever",
    "--r--",
  );
}

/** Nested parts of a given depth. */
export function nested(depth: number): Buffer {
  const parts = ["From: deep@evil.example", "Subject: Deep", "Message-ID: <deep@evil.example>"];
  parts.push('Content-Type: multipart/mixed; boundary="b0"', "");
  for (let level = 0; level < depth; level += 1) {
    parts.push(`--b${level}`, `Content-Type: multipart/mixed; boundary="b${level + 1}"`, "");
  }
  return lines(...parts);
}

/** A given number of parts on one level. */
export function flat(count: number): Buffer {
  const parts = ["From: flat@evil.example", "Subject: Flat", "Message-ID: <flat@evil.example>"];
  parts.push('Content-Type: multipart/mixed; boundary="f"', "");
  for (let part = 0; part < count; part += 1) {
    parts.push("--f", `Content-Disposition: attachment; filename="${part}.txt"`, "", "x");
  }
  return lines(...parts, "--f--");
}
