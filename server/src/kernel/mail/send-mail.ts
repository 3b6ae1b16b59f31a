import Type from "typebox";
import { open, seal } from "../access/crypto.ts";
import type { Platform, WriteContext } from "../contract.ts";
import { job } from "../work/job.ts";
import type { Mail } from "./mailer.ts";

const CONTEXT = "mail";

/**
 * An e-mail is stored before it is sent. It can contain a link that gives access to an account, so the row is
 * sealed.
 */
export const sendMail = job({
  kind: "kernel.send_mail",
  payload: Type.Object({ sealed: Type.String() }),
  async effect(platform, { sealed }, { id }) {
    await platform.mailer.send(await unsealMail(platform, sealed), id);
  },
  run: async () => undefined,
});

/** Sends an e-mail after the commit. */
export async function enqueueMail(ctx: WriteContext<never>, mail: Mail): Promise<void> {
  const key = await ctx.services.keys.of(ctx.services.homeWorkspace);
  const sealed = seal(key, Buffer.from(JSON.stringify(mail)), CONTEXT).toString("base64");
  ctx.enqueue(sendMail, { sealed });
}

/** Opens the row of an e-mail. */
export async function unsealMail(
  { keys, homeWorkspace }: Pick<Platform, "keys" | "homeWorkspace">,
  sealed: string,
): Promise<Mail> {
  const key = await keys.of(homeWorkspace);
  return JSON.parse(open(key, Buffer.from(sealed, "base64"), CONTEXT).toString()) as Mail;
}
