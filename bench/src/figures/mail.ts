import { once } from "node:events";
import { createServer } from "node:net";
import { Worker } from "node:worker_threads";
import { createTransport } from "nodemailer";
import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import { median } from "../statistics.ts";

const MAILS = 200;
const CONNECTIONS = 8;
const RATE_AT_LEAST = 50;

/** E-mails received by SMTP, each stored and converted to a ticket, against a bare SMTP server without storage. */
export const mail: Figure = {
  name: "mail",
  async measure(rig, { rounds }) {
    const port = await findPort();
    const product = await rig.startProduct({ env: { MILLRACE_MAIL_LISTEN: `127.0.0.1:${port}` } });
    const ask = (path: string, body?: object) =>
      fetch(`http://127.0.0.1:${product.port}/api/v1${path}`, {
        method: body ? "POST" : "GET",
        headers: { ...asMember(product.token), "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
    const box = {
      name: "Desk",
      address: "desk@bench.example",
      kind: "smtp",
      sendersHourlyMax: 100_000,
    };
    const made = await ask("/itsm/mailboxes", box);
    if (made.status !== 201) throw new Error(`A mailbox got ${made.status}.`);
    const { data } = (await made.json()) as { data: { id: string } };
    const worker = new Worker(new URL("../bare-mails.ts", import.meta.url));
    const [barePort] = (await once(worker, "message")) as [number];
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const mine = await measureMails(port, round);
      const other = await measureMails(barePort, round);
      // The first is a warm-up.
      if (round === 0) continue;
      ours.push(mine);
      bare.push(other);
    }
    const settledMs = await waitForTickets(ask, data.id);
    worker.postMessage("end");
    await once(worker, "message");
    await worker.terminate();
    const [rate, reference] = [median(ours), median(bare)];
    const ratio = rate / reference;
    return {
      ours: `${rate.toFixed(0)}/s`,
      reference: `${reference.toFixed(0)}/s`,
      ratio: ratio.toFixed(2),
      target: `≥ ${RATE_AT_LEAST}/s`,
      reached: rate >= RATE_AT_LEAST,
      notes: [
        `the last of ${MAILS * (rounds + 1)} was a ticket ${(settledMs / 1_000).toFixed(1)} s later`,
      ],
      values: { rate, reference, ratio, settledMs },
    };
  },
};

/** Sends e-mails on several connections. Returns acknowledged e-mails per second. */
async function measureMails(port: number, round: number): Promise<number> {
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    ignoreTLS: true,
    pool: true,
    maxConnections: CONNECTIONS,
    maxMessages: Infinity,
  });
  const startedAt = performance.now();
  const send = (index: number) =>
    transport.sendMail({
      from: `somebody${index}@customer.example`,
      to: "desk@bench.example",
      subject: `Mail ${index} of round ${round}`,
      text: "The printer on the second floor is on fire.\n".repeat(20),
    });
  await Promise.all(Array.from({ length: MAILS }, (_, index) => send(index)));
  transport.close();
  return MAILS / ((performance.now() - startedAt) / 1_000);
}

/** Waits until all e-mails have their ticket. */
async function waitForTickets(
  ask: (path: string) => Promise<Response>,
  mailboxId: string,
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask(`/itsm/mailboxes/${mailboxId}/messages?state=waiting&limit=1`);
    const { data } = (await answer.json()) as { data: readonly unknown[] };
    if (data.length === 0) return performance.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A currently unused port. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
