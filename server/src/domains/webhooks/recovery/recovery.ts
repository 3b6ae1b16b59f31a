import Type, { type Static } from "typebox";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { WebhookId } from "../webhook.ts";

export const RecoveryId = id("rcv");

/** The parts of the work to which a recovery can be limited. */
export const RECOVERY_CHOICES = ["failed", "missing"] as const;

export const recoveryLimits = {
  until: Type.Optional(nullable(Time)),
  only: Type.Optional(
    nullable(
      Type.Enum([...RECOVERY_CHOICES], {
        description:
          "`failed`: only retries failed deliveries. `missing`: only delivers events without a delivery. Both omit events before the creation of the webhook.",
      }),
    ),
  ),
};

/** A recovery and how far it has come. */
export const Recovery = Type.Object(
  {
    id: RecoveryId,
    webhookId: WebhookId,
    since: Type.String({ description: "Time or event id" }),
    ...Type.Required(Type.Object(recoveryLimits)).properties,
    checked: Type.Integer({ description: "Number of examined events" }),
    matched: Type.Integer({ description: "Number of matching events" }),
    created: Type.Integer({ description: "Number of events without a delivery, which got one" }),
    retried: Type.Integer({ description: "Number of failed deliveries that are retried" }),
    reachedAt: nullable(Time),
    requestedBy: Type.String(),
    requestedAt: Time,
    finishedAt: nullable(Time),
  },
  { title: "WebhookRecovery" },
);
export type Recovery = Static<typeof Recovery>;
