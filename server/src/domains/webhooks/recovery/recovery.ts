import Type, { type Static } from "typebox";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { WebhookId } from "../webhook.ts";

export const RecoveryId = id("rcv");

/** The parts of the work that a recovery can be limited to. */
export const RECOVERY_CHOICES = ["failed", "missing"] as const;

export const recoveryLimits = {
  until: Type.Optional(nullable(Time)),
  only: Type.Optional(
    nullable(
      Type.Enum([...RECOVERY_CHOICES], {
        description:
          "`failed`: only retry failed deliveries. `missing`: only deliver events without a delivery. Both leave out " +
          "events from before the webhook was created.",
      }),
    ),
  ),
};

/** A recovery and how far it has come. */
export const Recovery = Type.Object(
  {
    id: RecoveryId,
    webhookId: WebhookId,
    since: Type.String({ description: "A time, or the id of an event" }),
    ...Type.Required(Type.Object(recoveryLimits)).properties,
    checked: Type.Integer({ description: "How many events were looked at" }),
    matched: Type.Integer({ description: "How many of them the webhook wants" }),
    created: Type.Integer({ description: "How many had no delivery, and have one now" }),
    retried: Type.Integer({ description: "How many deliveries had failed, and are tried again" }),
    reachedAt: nullable(Time),
    requestedBy: Type.String(),
    requestedAt: Time,
    finishedAt: nullable(Time),
  },
  { title: "WebhookRecovery" },
);
export type Recovery = Static<typeof Recovery>;
