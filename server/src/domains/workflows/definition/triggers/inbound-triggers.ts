/** Triggers with external callers: webhook, form, chat. */
import Type, { type Static } from "typebox";
import { Accent, isReadable, UNREADABLE } from "#kernel/html/colour.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { SECRET_NAME } from "#kernel/secrets/secret-reference.ts";
import { triggerSchema } from "./trigger-schema.ts";

const SecretReference = Type.String({
  pattern: `^\\{\\{\\s*secrets\\.${SECRET_NAME}\\s*\\}\\}$`,
  maxLength: 200,
  description: "The key as a reference: `{{secrets.NAME}}`",
});
const HeaderName = Type.String({ pattern: "^[A-Za-z0-9-]{1,100}$" });

const Signature = object({
  secret: SecretReference,
  header: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9-]{1,100}$",
      description: "Header with the signature of the body. Default: `X-Signature`",
    }),
  ),
  algorithm: Type.Optional(
    Type.Enum(["sha256", "sha512", "sha1"], {
      description: "Hash function of the HMAC. Default: `sha256`",
    }),
  ),
  encoding: Type.Optional(
    Type.Enum(["hex", "base64"], { description: "Encoding. Default: `hex`" }),
  ),
  prefix: Type.Optional(line(20, "Prefix of the signature, such as `sha256=`")),
  timestamped: Type.Optional(
    Type.Boolean({
      description:
        "The header contains `t=<seconds>`, and the signature covers `<seconds>.<body>`. Signatures expire after five minutes",
    }),
  ),
});

/** Credentials required from callers. */
export const HookAuth = object({
  kind: Type.Enum(["basic", "header", "jwt"], {
    description:
      "`basic`: the secret is `user:password`. `header`: the secret is the value of a header. `jwt`: the secret signs a bearer token; expressions read its claims as `trigger.input.claims`",
  }),
  secret: SecretReference,
  header: Type.Optional(HeaderName),
  algorithm: Type.Optional(
    Type.Enum(["HS256", "HS384", "HS512"], { description: "For `jwt`. Default: `HS256`" }),
  ),
  issuer: Type.Optional(line(200, "For `jwt`: required value of `iss`")),
  audience: Type.Optional(line(200, "For `jwt`: required value in `aud`")),
});
export type HookAuth = Static<typeof HookAuth>;

const WINDOW_MS_MAX = 30 * 86_400_000;

/** A path in `trigger`. */
export const KeyPath = Type.String({
  pattern: "^[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+){0,9}$",
  maxLength: 300,
});

/** A rule that prevents duplicate runs for the same input. */
export const Dedupe = object({
  key: Type.String({
    ...KeyPath,
    description:
      "Path of the key in `trigger`: `input.headers.idempotency-key`, `input.body.id`. Requests without a key are never duplicates",
  }),
  windowMs: Type.Optional(
    Type.Integer({
      minimum: 1_000,
      maximum: WINDOW_MS_MAX,
      description: "How long a key is remembered. Default: one day",
    }),
  ),
});
export type Dedupe = Static<typeof Dedupe>;

const KEPT_DAYS_MAX = 365;

/** Storage of requests for backfills. */
const Keep = object({
  days: Type.Integer({
    minimum: 1,
    maximum: KEPT_DAYS_MAX,
    description:
      "How long to store the input of requests for backfills. Stores requests of at most 256 KiB without files: the newest 100,000 and 256 MiB, and at most 32 MiB per minute",
  }),
});

export const HOOK_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export const PATH_WORDS_MAX = 3;

export const WebhookTrigger = triggerSchema("webhook", {
  methods: Type.Optional(
    Type.Array(Type.Enum([...HOOK_METHODS]), {
      minItems: 1,
      uniqueItems: true,
      description: "Default: `POST`",
    }),
  ),
  path: Type.Optional(
    Type.String({
      pattern:
        "^([A-Za-z0-9._~-]+|\\{[A-Za-z_][A-Za-z0-9_]*\\})(/([A-Za-z0-9._~-]+|\\{[A-Za-z_][A-Za-z0-9_]*\\})){0,2}$",
      maxLength: 200,
      description:
        "Path after the URL, with up to three segments. Example: `orders/{id}`. Expressions read parameters as `trigger.input.params`",
    }),
  ),
  respond: Type.Optional(
    Type.Enum(["at_once", "last_step", "respond_step"], {
      description:
        "When to respond: immediately with the id of the run, at the end with the output of the run, or in a `respond` step. The last one is the default if there is such a step",
    }),
  ),
  rawBody: Type.Optional(
    Type.Boolean({
      description: "Whether to store the body as text too, as `trigger.input.rawBody`",
    }),
  ),
  signature: Type.Optional(Signature),
  auth: Type.Optional(HookAuth),
  dedupe: Type.Optional(Dedupe),
  keep: Type.Optional(Keep),
});
export type WebhookTrigger = Static<typeof WebhookTrigger>;

export const FormField = object({
  name: Type.String({
    pattern: "^[^$\\s\\u0000-\\u001f][^\\u0000-\\u001f]{0,99}$",
    description: "Unique in the form",
  }),
  label: Type.Optional(line(200)),
  type: Type.Optional(
    Type.Enum(
      [
        "text",
        "textarea",
        "email",
        "number",
        "date",
        "choice",
        "choices",
        "checkbox",
        "password",
        "hidden",
        "file",
      ],
      {
        description: "Default: `text`",
      },
    ),
  ),
  required: Type.Optional(Type.Boolean()),
  options: Type.Optional(
    Type.Array(line(200), {
      minItems: 1,
      maxItems: 200,
      description: "For `choice` and `choices`",
    }),
  ),
  placeholder: Type.Optional(line(200)),
  help: Type.Optional(line(500)),
  value: Type.Optional(line(500, "Initial value")),
  maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
});
export type FormField = Static<typeof FormField>;

const PAGES_MAX = 10;
const FIELDS_MAX = 50;

/** The visible fields of a form. */
export const formFields = {
  title: line(200),
  description: Type.Optional(text(2_000, "Shown below the title")),
  pages: Type.Array(
    object({
      title: Type.Optional(line(200)),
      fields: Type.Array(FormField, { minItems: 1, maxItems: FIELDS_MAX }),
    }),
    { minItems: 1, maxItems: PAGES_MAX },
  ),
  submit: Type.Optional(line(50, "Button label. Default: `Send`")),
  thanks: Type.Optional(text(2_000, "Text after the form was submitted")),
  accent: Type.Optional(Accent),
};
const Form = object(formFields);
export type Form = Static<typeof Form>;

export const FormTrigger = triggerSchema("form", {
  ...formFields,
  respond: Type.Optional(
    Type.Enum(["at_once", "last_step", "respond_step"], {
      description:
        "Shown after the form was submitted: the confirmation, the output of the run, or the response of a `respond` step. The last one is the default if there is such a step",
    }),
  ),
  keep: Type.Optional(Keep),
});
export type FormTrigger = Static<typeof FormTrigger>;

const SUGGESTIONS_MAX = 8;

export const ChatTrigger = triggerSchema("chat", {
  title: line(200),
  greeting: Type.Optional(text(2_000, "Text before the first message")),
  placeholder: Type.Optional(line(100, "Placeholder of the input field")),
  stream: Type.Optional(
    line(
      100,
      "The `llm` or `agent` step whose text is streamed. Default: the only such step, if its text is the response",
    ),
  ),
  suggestions: Type.Optional(
    Type.Array(line(200), {
      minItems: 1,
      maxItems: SUGGESTIONS_MAX,
      uniqueItems: true,
      description: "Suggested questions. Each is a button that sends the question",
    }),
  ),
  accent: Type.Optional(Accent),
});
export type ChatTrigger = Static<typeof ChatTrigger>;

/** Checks the page colour, beyond its schema. */
export function checkAccent({ accent }: Readonly<Record<string, unknown>>): FieldError[] {
  const isWrong = typeof accent === "string" && !isReadable(accent);
  return isWrong ? [{ path: "/accent", message: UNREADABLE }] : [];
}

/** Checks what the schema of a form cannot express. Pages and fields of a form step can still be templates. */
export function checkForm(form: Readonly<Record<string, unknown>>): FieldError[] {
  const pages = listObjects<Form["pages"][number]>(form["pages"]);
  const names = new Set<string>();
  const errors: FieldError[] = checkAccent(form);
  for (const [page, { fields }] of pages.entries()) {
    for (const [index, { name, type, options }] of listObjects<FormField>(fields).entries()) {
      const path = `/pages/${page}/fields/${index}`;
      if (name !== undefined && names.has(name)) {
        errors.push({ path: `${path}/name`, message: "is already used by another field" });
      }
      if (name !== undefined) names.add(name);
      if (type === "file" && page < pages.length - 1) {
        errors.push({ path: `${path}/type`, message: "can only be used on the last page" });
      }
      const isChoice = type === "choice" || type === "choices";
      if (isChoice && !options) errors.push({ path: `${path}/options`, message: "is required" });
    }
  }
  return errors;
}

/** Returns the list items, replacing invalid ones with an empty object. */
function listObjects<T>(value: unknown): Partial<T>[] {
  return Array.isArray(value) ? value.map((one) => Object(one) as Partial<T>) : [];
}

/** Checks what the schema of a webhook cannot express. */
export function checkHook(trigger: Readonly<Record<string, unknown>>): FieldError[] {
  const { auth, path = "" } = trigger as unknown as WebhookTrigger;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return [
    ...(auth?.kind === "header" && auth.header === undefined
      ? [{ path: "/auth/header", message: "is required" }]
      : []),
    ...(new Set(names).size < names.length
      ? [{ path: "/path", message: "contains a parameter twice" }]
      : []),
  ];
}
