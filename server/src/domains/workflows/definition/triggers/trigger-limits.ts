/** Limits of event triggers: several events start fewer runs. */
import Type, { type Static } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { KeyPath } from "./inbound-triggers.ts";

const WINDOW_MS_MAX = 7 * 86_400_000;
const HELD_EVENTS_MAX = 500;

const window = (description: string) =>
  Type.Integer({ minimum: 10, maximum: WINDOW_MS_MAX, description });

const key = Type.Optional(
  Type.String({
    ...KeyPath,
    description:
      "Path of the key in `trigger`: `event.data.orderId`. Limits apply separately for each key",
  }),
);

export const Debounce = object({
  key,
  quietMs: window("Starts a run when no event has arrived for this time"),
  maxMs: Type.Optional(window("Maximum delay after the first event")),
  keep: Type.Optional(
    Type.Enum(["last", "first"], { description: "Which event the run receives. Default: `last`" }),
  ),
});

export const Batch = object({
  key,
  max: Type.Integer({
    minimum: 2,
    maximum: HELD_EVENTS_MAX,
    description:
      "Number of events that start a run at once. The run receives them as `trigger.events`",
  }),
  maxMs: window("Maximum delay after the first event"),
});

export const RateLimit = object({
  key,
  max: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    description: "Maximum number of runs to start",
  }),
  perMs: window("In this period"),
  over: Type.Optional(
    Type.Enum(["wait", "drop"], {
      description: "Further events start runs later (default), or are dropped",
    }),
  ),
});

export const limitFields = {
  debounce: Type.Optional(Debounce),
  batch: Type.Optional(Batch),
  rateLimit: Type.Optional(RateLimit),
};

export type HoldRule =
  | ({ readonly kind: "debounce" } & Static<typeof Debounce>)
  | ({ readonly kind: "batch" } & Static<typeof Batch>)
  | ({ readonly kind: "rateLimit" } & Static<typeof RateLimit>);

interface Limits {
  readonly debounce?: Static<typeof Debounce>;
  readonly batch?: Static<typeof Batch>;
  readonly rateLimit?: Static<typeof RateLimit>;
}

/** The rule of a trigger, if it has limits. */
export function holdRuleOf({ debounce, batch, rateLimit }: Limits): HoldRule | undefined {
  if (debounce) return { kind: "debounce", ...debounce };
  if (batch) return { kind: "batch", ...batch };
  return rateLimit && { kind: "rateLimit", ...rateLimit };
}

/** Checks what the schema of limits cannot express. */
export function checkLimits(trigger: Readonly<Record<string, unknown>>): FieldError[] {
  const { debounce } = trigger as Limits;
  const [, ...further] = ["debounce", "batch", "rateLimit"].filter((name) => name in trigger);
  return [
    ...further.map((name) => ({
      path: `/${name}`,
      message: "can't be combined with another of debounce, batch and rateLimit",
    })),
    ...(debounce?.maxMs !== undefined && debounce.maxMs < debounce.quietMs
      ? [{ path: "/debounce/maxMs", message: "must not be less than quietMs" }]
      : []),
  ];
}
