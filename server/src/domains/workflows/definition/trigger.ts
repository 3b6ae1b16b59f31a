import Type, { type Static, type TObject, type TSchema } from "typebox";
import { checkCondition, ConditionSchema } from "#kernel/condition/condition.ts";
import { isPattern, PATTERN_CHARACTERS_MAX } from "#kernel/condition/event-pattern.ts";
import { EventEnvelope } from "#kernel/log/event.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object } from "#kernel/schema/schema.ts";
import {
  connectorTriggerFields,
  connectorTriggerForms,
  rssTriggerFields,
} from "./connector-trigger.ts";
import { type FormFields, schemaWithHints } from "./node-form.ts";
import {
  ChatTrigger,
  checkAccent,
  checkForm,
  checkHook,
  Dedupe,
  FormTrigger,
  WebhookTrigger,
} from "./triggers/inbound-triggers.ts";
import { checkTool, ManualTrigger } from "./triggers/manual-trigger.ts";
import { checkLimits, limitFields } from "./triggers/trigger-limits.ts";
import { checkSchedule } from "./schedule.ts";
import { commonFields, commonForm, triggerSchema } from "./triggers/trigger-schema.ts";

/** One kind of trigger. */
export interface TriggerType {
  readonly type: string;
  readonly summary: string;
  readonly title: string;
  /** A Lucide icon name. */
  readonly icon: string;
  /** The configuration of a new trigger. */
  readonly first: Readonly<Record<string, unknown>>;
  readonly fields: FormFields;
  /** A JSON Schema of `trigger` in expressions. */
  readonly scope: TSchema;
  readonly schema: TObject;
  /** Checks what the schema cannot express. Called with a valid value. */
  readonly check?: (trigger: Readonly<Record<string, unknown>>) => readonly FieldError[];
}

export const TOPIC_CHARACTERS_MAX = 200;
/** An event in expressions: its envelope, with the same `data` as in conditions. */
export const EVENT_SHAPE: TSchema = EventEnvelope;

export const EventBusTrigger = triggerSchema("event_bus", {
  topic: line(
    TOPIC_CHARACTERS_MAX,
    "Topic of the events. `platform.events` contains all platform events",
  ),
  eventType: Type.Optional(
    line(
      PATTERN_CHARACTERS_MAX,
      "An event type, or a pattern such as `incident.*`. Default: any type",
    ),
  ),
  filter: Type.Optional(ConditionSchema),
  dedupe: Type.Optional(Dedupe),
  ...limitFields,
});

export const ScheduleTrigger = triggerSchema("schedule", {
  cron: line(
    200,
    "Cron expression with five fields, or six fields with seconds first: `0 9 * * MON-FRI`",
  ),
  timezone: Type.Optional(line(100, "An IANA time zone such as `Europe/Berlin`. Default: UTC")),
  missed: Type.Optional(
    Type.Enum(["one", "all", "none"], {
      description:
        "Runs for scheduled times that were missed while no server was running: one run in total (default), one run for each of the first thousand times, or no run",
    }),
  ),
});

export const ConnectorTrigger = triggerSchema("connector", connectorTriggerFields);
export const RssTrigger = triggerSchema("rss", rssTriggerFields);

const ALL: readonly TriggerType[] = [
  {
    type: "manual",
    summary: "Starts manually, or by an API call",
    title: "Manual",
    icon: "mouse-pointer-click",
    first: { type: "manual" },
    fields: {
      tool: {
        title: "Available to agents as a tool",
        example: { name: "check_stock", description: "Returns the stock of an article" },
      },
    },
    schema: ManualTrigger,
    check: checkTool,
    scope: Type.Object({ type: Type.Literal("manual"), input: Type.Unknown() }),
  },
  {
    type: "event_bus",
    summary: "Starts a run for each event on a topic that matches",
    title: "Event",
    icon: "radio",
    first: { type: "event_bus", topic: "" },
    fields: {
      topic: { title: "Topic", placeholder: "incident", reference: "topic" },
      eventType: {
        title: "Type",
        placeholder: "incident.created",
        reference: "event_type",
      },
      filter: { title: "Filter", example: { "data.severity": "critical" } },
      debounce: { title: "Debounce", example: { key: "event.data.id", quietMs: 60_000 } },
      batch: { title: "Batch", example: { max: 100, maxMs: 60_000 } },
      rateLimit: { title: "Rate limit", example: { max: 10, perMs: 60_000 } },
      dedupe: { title: "Deduplication", example: { key: "event.data.id" } },
    },
    schema: EventBusTrigger,
    scope: Type.Object({
      type: Type.Literal("event_bus"),
      event: EVENT_SHAPE,
      events: Type.Optional(
        Type.Array(EVENT_SHAPE, { description: "For a `batch`: all of its events" }),
      ),
    }),
    check: (trigger) => [...checkEventMatch(trigger), ...checkLimits(trigger)],
  },
  {
    type: "schedule",
    summary: "Starts a run at the times of a cron expression",
    title: "Schedule",
    icon: "clock",
    first: { type: "schedule", cron: "0 9 * * MON-FRI", timezone: "UTC" },
    fields: {
      cron: { title: "Times", placeholder: "0 9 * * MON-FRI" },
      timezone: { title: "Time zone", placeholder: "Europe/Berlin" },
    },
    schema: ScheduleTrigger,
    scope: Type.Object({ type: Type.Literal("schedule"), scheduledFor: Type.String() }),
    check: checkSchedule,
  },
  {
    type: "webhook",
    summary: "Starts a run for each HTTP request to a URL of the workflow",
    title: "Webhook",
    icon: "webhook",
    first: { type: "webhook" },
    fields: {
      methods: { title: "Methods" },
      path: { title: "Path", placeholder: "orders/{id}" },
      respond: { title: "Response" },
      signature: { title: "Signature", reference: "secret" },
      auth: { title: "Authentication", reference: "secret" },
      dedupe: { title: "Deduplication", example: { key: "input.headers.idempotency-key" } },
    },
    schema: WebhookTrigger,
    check: checkHook,
    scope: Type.Object({
      type: Type.Literal("webhook"),
      input: Type.Object({
        body: Type.Unknown(),
        headers: Type.Record(Type.String(), Type.String()),
        query: Type.Record(Type.String(), Type.Unknown()),
        method: Type.String(),
        params: Type.Record(Type.String(), Type.String()),
        rawBody: Type.Optional(Type.String()),
        claims: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    }),
  },
  {
    type: "form",
    summary: "Starts a run when a form on a hosted page is submitted",
    title: "Form",
    icon: "clipboard-list",
    first: {
      type: "form",
      title: "Contact us",
      pages: [
        { fields: [{ name: "message", label: "Message", type: "textarea", required: true }] },
      ],
    },
    fields: {
      title: { title: "Title", placeholder: "Contact us" },
      description: { title: "Description", multiline: true },
      pages: { title: "Pages" },
      submit: { title: "Button label", placeholder: "Send" },
      respond: { title: "Response" },
      thanks: { title: "Confirmation", multiline: true },
      accent: { title: "Colour" },
    },
    schema: FormTrigger,
    check: checkForm,
    scope: Type.Object({
      type: Type.Literal("form"),
      input: Type.Record(Type.String(), Type.Unknown()),
      submittedAt: Type.String(),
    }),
  },
  {
    type: "chat",
    summary: "Starts a run for each message in a chat on a hosted page",
    title: "Chat",
    icon: "messages-square",
    first: { type: "chat", title: "Chat", greeting: "Hello. How can I help?" },
    fields: {
      title: { title: "Title", placeholder: "Chat" },
      greeting: { title: "Greeting", multiline: true },
      placeholder: { title: "Placeholder", placeholder: "Write a message" },
      suggestions: { title: "Suggested questions" },
      accent: { title: "Colour" },
    },
    schema: ChatTrigger,
    check: checkAccent,
    scope: Type.Object({
      type: Type.Literal("chat"),
      input: Type.Object({
        message: Type.String(),
        sessionId: Type.String(),
      }),
    }),
  },
  { ...connectorTriggerForms.connector, schema: ConnectorTrigger },
  { ...connectorTriggerForms.rss, schema: RssTrigger },
];

/** All trigger types by name. */
export const triggerTypes: ReadonlyMap<string, TriggerType> = new Map(
  ALL.map((type) => [type.type, type]),
);

const JsonSchema = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), { description });

/** A trigger type with the metadata for its console form. */
export const TriggerTypeDescription = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    icon: Type.String(),
    summary: Type.String(),
    schema: JsonSchema("A JSON Schema"),
    firstConfig: JsonSchema("Initial configuration of a new trigger"),
    scope: JsonSchema("JSON Schema of `trigger` in expressions"),
  },
  { title: "TriggerType" },
);

export function describeTriggerType(trigger: TriggerType): Static<typeof TriggerTypeDescription> {
  const { type, title, icon, summary, schema, first, fields, scope } = trigger;
  return {
    type,
    title,
    icon,
    summary,
    schema: { ...schemaWithHints(schema, { ...fields, ...commonForm }) },
    firstConfig: { ...first },
    scope: { ...scope },
  };
}

/** A trigger of a workflow. */
export type Trigger =
  | Static<typeof ManualTrigger>
  | Static<typeof EventBusTrigger>
  | Static<typeof ScheduleTrigger>
  | Static<typeof WebhookTrigger>
  | Static<typeof FormTrigger>
  | Static<typeof ChatTrigger>
  | Static<typeof ConnectorTrigger>
  | Static<typeof RssTrigger>;

/**
 * A flat object instead of a union, which would report the errors of all types. `checkDefinition` checks that each
 * field belongs to the type.
 */
export const Trigger = Type.Unsafe<Trigger>(
  object(
    {
      type: Type.Enum([
        "manual",
        "event_bus",
        "schedule",
        "webhook",
        "form",
        "chat",
        "connector",
        "rss",
      ]),
      ...commonFields,
      ...optionalFields(ManualTrigger, "For `manual`"),
      ...optionalFields(EventBusTrigger, "For `event_bus`"),
      ...optionalFields(ScheduleTrigger, "For `schedule`"),
      ...optionalFields(ChatTrigger, "For `form` and `chat`"),
      ...optionalFields(FormTrigger, "For `form`"),
      ...optionalFields(WebhookTrigger, "For `webhook`"),
      ...optionalFields(RssTrigger, "For `rss`"),
      ...optionalFields(ConnectorTrigger, "For `connector`"),
    },
    { title: "WorkflowTrigger" },
  ),
);

/** Checks the `eventType` and `filter` of an event match. */
export function checkEventMatch(source: Readonly<Record<string, unknown>>): FieldError[] {
  const { eventType, filter } = source;
  const errors: FieldError[] = [];
  if (typeof eventType === "string" && !isPattern(eventType)) {
    errors.push({ path: "/eventType", message: "must be an event type or a pattern" });
  }
  if (filter !== undefined) {
    const filterErrors = checkCondition(filter).map(({ path, message }) => ({
      path: `/filter${path}`,
      message,
    }));
    errors.push(...filterErrors);
  }
  return errors;
}

function optionalFields({ properties }: TObject, prefix: string) {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name !== "type" && !(name in commonFields))
      .map(([name, schema]) => {
        const { description } = schema as { description?: string };
        const text = description === undefined ? prefix : `${prefix}: ${description}`;
        return [name, Type.Optional(Type.Unsafe<unknown>({ ...schema, description: text }))];
      }),
  );
}
