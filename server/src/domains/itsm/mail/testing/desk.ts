import { createTransport } from "nodemailer";
import PostalMime from "postal-mime";
import { useMailbox } from "#kernel/testing/mailbox.ts";
import { until, useWorld, type World } from "#kernel/testing/world.ts";
import { mailListener } from "../index.ts";

export const MAILBOXES = "/api/v1/itsm/mailboxes";
export const INCIDENTS = "/api/v1/itsm/incidents";

interface Envelope {
  readonly from: string;
  readonly to: string | readonly string[];
}

/** A world with mailboxes reachable over SMTP and LMTP, and a mail server that records outgoing mails. */
export async function useDesk(env: Record<string, string> = {}) {
  const { url, mails } = await useMailbox();
  const world = await useWorld({
    work: true,
    env: {
      MILLRACE_SMTP_URL: url,
      MILLRACE_BASE_URL: "http://desk.example.com",
      MILLRACE_MAIL_LISTEN: "127.0.0.1:0,lmtp://127.0.0.1:0",
      ...env,
    },
  });
  const addresses = (await world.kernel.engineOf(mailListener)?.addresses) ?? [];
  const portOf = (index: number): number => addresses[index]?.port ?? 0;

  /** Sends a mail like another mail server. Resolves to the response, or throws it. */
  const deliver = async (raw: string | Buffer, envelope: Envelope, lmtp = false) => {
    const transport = createTransport({
      host: "127.0.0.1",
      port: portOf(lmtp ? 1 : 0),
      lmtp,
      ignoreTLS: true,
    } as never);
    try {
      return await transport.sendMail({ envelope: { ...envelope, to: [envelope.to].flat() }, raw });
    } finally {
      transport.close();
    }
  };

  let seen = 0;
  /** The mail events since the last call, each with its reason. */
  const newEvents = async (): Promise<(readonly [string, string | null])[]> => {
    const rows = await world.sql(
      "select type, data from events where type like 'mail.%' order by epoch, xid, seq",
    );
    const fresh = rows.slice(seen);
    seen = rows.length;
    return fresh.map(({ type, data }) => [type, data.reason ?? null]);
  };

  /** The incidents of a workspace. */
  const countIncidents = async (slug = "default"): Promise<number> => {
    const [row] = await world.sql(
      `select count(*)::int as n from incidents join workspaces on key = workspace_id where slug = $1`,
      [slug],
    );
    return row.n;
  };

  /** A member with a verified address. */
  const verified = async (roles: readonly string[]) => {
    const { userId } = await world.member(roles);
    await world.sql("update users set email_verified_at = now() where id = $1", [userId]);
    return { userId, address: `${userId}@example.com` };
  };

  const readMail = (raw: string) => PostalMime.parse(raw);
  return { world, mails, deliver, portOf, readMail, newEvents, countIncidents, verified };
}

/** Waits until no settlement, notification or mail is pending. */
export async function settled(world: World): Promise<void> {
  await until(async () => {
    // A single statement reads a consistent snapshot: either the job or its results are visible.
    const busy = await world.sql(
      `select from readers where name in ('mail.tell_contacts', 'desk.tell_watchers')
          and (epoch, xid, seq) < (select epoch, xid, seq from events
                                    order by epoch desc, xid desc, seq desc limit 1)
       union all select from jobs where kind in ('mail.settle', 'mail.send') and failed_at is null`,
    );
    return busy.length === 0;
  });
}

export function plainMail(fields: {
  readonly from: string;
  readonly to: string;
  readonly subject?: string;
  readonly id?: string;
  readonly text?: string;
  readonly headers?: readonly string[];
}): string {
  const {
    from,
    to,
    subject = "The printer is on fire",
    id,
    text = "Please come.",
    headers = [],
  } = fields;
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    ...(id === undefined ? [] : [`Message-ID: <${id}>`]),
    ...headers,
    "Content-Type: text/plain; charset=utf-8",
    "",
    text,
    "",
  ].join("\r\n");
}
