/**
 * A preset describes a service: its URL, its authentication, its actions and its triggers. Presets are data, one
 * file per service in `presets/`, read on demand; `Preset` is the schema.
 */
import Type, { type Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { AUTH_KINDS } from "../auth.ts";

export const PRESET_CATEGORIES = [
  "ai",
  "communication",
  "crm",
  "database",
  "developer",
  "finance",
  "forms",
  "google",
  "marketing",
  "microsoft",
  "productivity",
  "shop",
  "storage",
  "support",
  "web",
] as const;

const word = (description?: string) =>
  Type.String({ pattern: "^[a-z][a-z0-9_]*$", maxLength: 60, ...(description && { description }) });
const texts = Type.Record(Type.String(), Type.String());
const anything = Type.Record(Type.String(), Type.Unknown());

const PresetParameter = object({
  name: Type.String({ pattern: "^[a-z][A-Za-z0-9]*$", maxLength: 60 }),
  title: Type.String(),
  hint: Type.Optional(Type.String()),
  default: Type.Optional(Type.String()),
  kind: Type.Optional(
    Type.Enum(["name", "host", "url"], {
      description: "Pattern of valid values. Default: a part of a host name",
    }),
  ),
});

const PresetAuth = object({
  kind: Type.Enum([...AUTH_KINDS]),
  title: Type.String(),
  hint: Type.Optional(Type.String({ description: "URL of the page that shows the value" })),
  fill: Type.Optional(texts),
  copies: Type.Optional(
    Type.Array(Type.String(), { description: "Additional headers with the credential" }),
  ),
});

const PresetPaging = Type.Union([
  object({ kind: Type.Literal("cursor"), from: Type.String(), to: Type.String() }),
  object({
    kind: Type.Literal("count"),
    to: Type.String(),
    first: Type.Integer(),
    step: Type.Enum(["page", "items"]),
  }),
  object({ kind: Type.Literal("url"), from: Type.String() }),
]);

const PresetAction = object({
  id: word(),
  title: Type.String({ minLength: 3, maxLength: 120 }),
  request: Type.String({ pattern: "^(GET|HEAD|POST|PUT|PATCH|DELETE) /" }),
  input: Type.Optional(texts),
  fixed: Type.Optional(
    object({
      query: Type.Optional(texts),
      headers: Type.Optional(texts),
      body: Type.Optional(anything),
    }),
  ),
  as: Type.Optional(Type.Enum(["json", "form", "text"])),
  compose: Type.Optional(word()),
  items: Type.Optional(Type.String()),
  paging: Type.Optional(PresetPaging),
  idempotent: Type.Optional(Type.Boolean()),
});
export type PresetAction = Static<typeof PresetAction>;

const Call = object({ action: word(), input: Type.Optional(anything) });

const PresetTrigger = object({
  id: word(),
  title: Type.String(),
  /** The inputs that the workflow author enters. */
  input: Type.Optional(texts),
  poll: Type.Optional(
    object({
      action: word(),
      input: Type.Optional(anything),
      items: Type.String(),
      itemId: Type.String(),
      since: Type.Optional(
        object({
          input: Type.String(),
          form: Type.Enum(["iso", "seconds", "millis", "template"]),
          template: Type.Optional(Type.String()),
        }),
      ),
      each: Type.Optional(Call),
    }),
  ),
  hook: Type.Optional(
    object({
      subscribe: Type.Optional(Call),
      unsubscribe: Type.Optional(Call),
      subscriptionId: Type.Optional(Type.String()),
      secretFrom: Type.Optional(Type.String()),
      signature: Type.String(),
      event: Type.Optional(Type.String()),
    }),
  ),
});
export type PresetTrigger = Static<typeof PresetTrigger>;

export const Preset = object(
  {
    id: word(),
    title: Type.String(),
    icon: Type.String({
      description: "Name of an icon. The console shows a monogram if the icon does not exist",
    }),
    category: Type.Enum([...PRESET_CATEGORIES]),
    guide: Type.String({ minLength: 20, maxLength: 400 }),
    /** The connector type that this preset is for, such as a database; default: the preset type. */
    connector: Type.Optional(object({ type: Type.String(), config: anything })),
    baseUrl: Type.Optional(Type.String()),
    parameters: Type.Optional(Type.Array(PresetParameter, { maxItems: 8 })),
    auth: Type.Array(PresetAuth, { maxItems: 6 }),
    headers: Type.Optional(texts),
    rateLimit: Type.Optional(
      object({
        requests: Type.Integer({ minimum: 1 }),
        perMs: Type.Integer({ minimum: 100 }),
      }),
    ),
    failsWhen: Type.Optional(
      object({ field: Type.String(), is: Type.Optional(Type.Unknown()), message: Type.String() }),
    ),
    test: Type.Optional(object({ path: Type.String() })),
    actions: Type.Array(PresetAction, { maxItems: 100 }),
    triggers: Type.Optional(Type.Array(PresetTrigger, { maxItems: 30 })),
  },
  { title: "PresetFile" },
);
export type Preset = Static<typeof Preset>;
