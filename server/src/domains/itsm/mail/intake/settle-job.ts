import Type from "typebox";
import type { EventType } from "#kernel/log/event.ts";
import { job } from "#kernel/work/job.ts";
import { MailBounced, MailIgnored, MailReceived } from "../events.ts";
import { prepareMail } from "./prepare-mail.ts";
import { settleMail } from "./settle-mail.ts";

export const ATTEMPTS_MAX = 6;

/** Includes the events of tickets created or updated by mails. */
const EVENTS: readonly EventType[] = [MailReceived, MailIgnored, MailBounced];

/** Processes an accepted mail: reads it outside a transaction and stores the result in one. */
export const settleMailJob = job({
  kind: "mail.settle",
  payload: Type.Object({
    mailId: Type.String(),
    workspace: Type.String(),
    environment: Type.Enum(["production", "staging", "development"]),
  }),
  emits: EVENTS,
  attemptsMax: ATTEMPTS_MAX,
  timeoutMs: 120_000,
  concurrency: 4,
  effect: (platform, { mailId, ...partition }, { number }) =>
    prepareMail(platform, partition, { mailId, isLastAttempt: number >= ATTEMPTS_MAX }),
  run: (ctx, { mailId }, prepared) => settleMail(ctx, mailId, prepared),
});
