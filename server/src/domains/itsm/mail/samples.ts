import { resourceSamples, type Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { mailboxes } from "./mailbox-resource.ts";

const PATH = "/api/v1/itsm/mailboxes";

let count = 0;

function fresh() {
  count += 1;
  return { name: `Desk ${count}`, address: `desk${count}@sample.example`, kind: "smtp" };
}

async function mailbox(owner: Ask, more: object = {}): Promise<string> {
  const { body } = await owner(`POST ${PATH}`, { ...fresh(), ...more });
  return String(body.data.id);
}

/** A mailbox with a failed mail. */
async function failedMail(owner: Ask, world: World) {
  const id = await mailbox(owner);
  const { address } = (await owner(`GET ${PATH}/${id}`)).body.data;
  const { body } = await owner(`POST /api/v1/itsm/mail?to=${address}`, { subject: "no mail" });
  const mailId = String(body.data.id);
  await world.sql("update mails set state = 'failed', reason = 'error' where id = $1", [mailId]);
  return { params: { id, mailId } };
}

export const samples: readonly Sample[] = [
  { operation: "mailboxes.get_transport", arrange: async () => ({ partitioned: false }) },
  ...resourceSamples(mailboxes, async () => fresh()),
  {
    operation: "mailboxes.test",
    async arrange(owner) {
      const name = `IMAP_${(count += 1)}`;
      await owner("POST /api/v1/secrets", { name, value: "hunter2 and more" });
      // No server listens there, which is also a valid result.
      const imap = {
        host: "mail.invalid",
        port: 993,
        security: "tls",
        username: "desk",
        secret: name,
        folder: "INBOX",
      };
      return { params: { id: await mailbox(owner, { kind: "imap", imap }) } };
    },
  },
  {
    operation: "mailboxes.list_messages",
    arrange: async (owner) => ({ params: { id: await mailbox(owner) } }),
  },
  { operation: "mailboxes.get_message", arrange: failedMail },
  { operation: "mailboxes.retry_message", arrange: failedMail },
  {
    operation: "mail.receive",
    async arrange(owner) {
      const id = await mailbox(owner);
      const { address } = (await owner(`GET ${PATH}/${id}`)).body.data;
      return { query: { to: String(address) }, body: { subject: "no mail" } };
    },
  },
];
