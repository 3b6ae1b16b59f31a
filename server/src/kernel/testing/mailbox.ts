import { SMTPServer } from "smtp-server";
import { afterAll } from "vitest";
import { unsealMail } from "../mail/send-mail.ts";
import type { World } from "./world.ts";

/** The token in the newest queued e-mail to an address, in a world without running jobs. */
export async function tokenMailedTo(world: World, address: string): Promise<string> {
  return /token=([\w-]+)/.exec(await textMailedTo(world, address))?.[1] ?? "";
}

/** The text of that e-mail. */
export async function textMailedTo(world: World, address: string): Promise<string> {
  const rows = await world.sql(
    "select payload from jobs where kind = 'kernel.send_mail' order by id desc limit 50",
  );
  for (const { payload } of rows) {
    const mail = await unsealMail(world.kernel, payload.sealed);
    if (mail.to === address) return mail.text;
  }
  throw new Error(`Nothing was mailed to ${address}.`);
}

interface Mail {
  readonly to: string;
  readonly text: string;
}

/** Starts an SMTP server for a test file and stores the received e-mails. */
export async function useMailbox(): Promise<{ readonly url: string; readonly mails: Mail[] }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, { envelope }, done) {
      let text = "";
      stream.on("data", (part: Buffer) => (text += part.toString()));
      stream.on("end", () => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address).join(), text });
        done();
      });
    },
  });
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, "127.0.0.1", () =>
      resolve((listening.address() as { port: number }).port),
    );
  });
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `smtp://127.0.0.1:${port}`, mails };
}
