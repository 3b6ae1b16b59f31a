/** The triggers that come from outside: a request, a form, a chat. */
import Type, { type Static } from "typebox";
import { Accent, isReadable, UNREADABLE } from "#kernel/html/colour.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { SECRET_NAME } from "#kernel/secrets/secret-reference.ts";
import { triggerSchema } from "./trigger-schema.ts";

const SecretReference = Type.String({
  pattern: `^\\{\\{\\s*secrets\\.${SECRET_NAME}\\s*\\}\\}$`,
  maxLength: 200,
  description: "The key, as a reference: `{{secrets.NAME}}`",
});
const HeaderName = Type.String({ pattern: "^[A-Za-z0-9-]{1,100}$" });

const Signature = object({
  secret: SecretReference,
  header: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9-]{1,100}$",
      description: "Which header holds the signature of the body; `X-Signature` unless given",
    }),
  ),
  algorithm: Type.Optional(
    Type.Enum(["sha256", "sha512", "sha1"], {
      description: "Of the HMAC; `sha256` unless given",
    }),
  ),
  encoding: Type.Optional(Type.Enum(["hex", "base64"], { description: "`hex` unless given" })),
  prefix: Type.Optional(line(20, "What precedes the signature, such as `sha256=`")),
  timestamped: Type.Optional(
    Type.Boolean({
      description:
        "The header has `t=<seconds>` among its parts, and `<seconds>.<body>` is what is signed, " +
        "at most five minutes ago",
    }),
  ),
});

/** Credentials that a caller must send. */
export const HookAuth = object({
  kind: Type.Enum(["basic", "header", "jwt"], {
    description:
      "`basic`: the secret is `user:password`; `header`: it is the value of a header; `jwt`: it signs " +
      "a bearer token, whose claims expressions read as `trigger.input.claims`",
  }),
  secret: SecretReference,
  header: Type.Optional(HeaderName),
  algorithm: Type.Optional(
    Type.Enum(["HS256", "HS384", "HS512"], { description: "Of `jwt`; `HS256` unless given" }),
  ),
  issuer: Type.Optional(line(200, "Of `jwt`: what `iss` must be")),
  audience: Type.Optional(line(200, "Of `jwt`: what `aud` must be, or have among others")),
});
export type HookAuth = Static<typeof HookAuth>;

const WINDOW_MS_MAX = 30 * 86_400_000;

/** A place in `trigger`. */
export const KeyPath = Type.String({
  pattern: "^[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+){0,9}$",
  maxLength: 300,
});

/** A rule by which the same thing starts one run alone. */
export const Dedupe = object({
  key: Type.String({
    ...KeyPath,
    description:
      "Where the key stands in `trigger`: `input.headers.idempotency-key`, `input.body.id`. What has " +
      "none is never a duplicate",
  }),
  windowMs: Type.Optional(
    Type.Integer({
      minimum: 1_000,
      maximum: WINDOW_MS_MAX,
      description: "For how long a key counts; a day unless given",
    }),
  ),
});
export type Dedupe = Static<typeof Dedupe>;

const KEPT_DAYS_MAX = 365;

/** Requests that are kept, for backfills. */
const Keep = object({
  days: Type.Integer({
    minimum: 1,
    maximum: KEPT_DAYS_MAX,
    description:
      "Keeps the input of each request for so long, so that a backfill can run the workflow for it: of those of at most " +
      "256 KiB without files the newest 100,000 and 256 MiB, and 32 MiB in a minute",
  }),
});

export const HOOK_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export const PATH_WORDS_MAX = 3;

export const WebhookTrigger = triggerSchema("webhook", {
  methods: Type.Optional(
    Type.Array(Type.Enum([...HOOK_METHODS]), {
      minItems: 1,
      uniqueItems: true,
      description: "`POST` unless given",
    }),
  ),
  path: Type.Optional(
    Type.String({
      pattern:
        "^([A-Za-z0-9._~-]+|\\{[A-Za-z_][A-Za-z0-9_]*\\})(/([A-Za-z0-9._~-]+|\\{[A-Za-z_][A-Za-z0-9_]*\\})){0,2}$",
      maxLength: 200,
      description:
        "Behind the address: up to three words, each of them a text or a parameter that expressions " +
        "read as `trigger.input.params`, such as `orders/{id}`",
    }),
  ),
  respond: Type.Optional(
    Type.Enum(["at_once", "last_step", "respond_step"], {
      description:
        "When the caller is answered: at once with the run's id, with the run's output, or by a " +
        "`respond` step, which is the default where there is one",
    }),
  ),
  rawBody: Type.Optional(
    Type.Boolean({
      description: "True to keep the text of the body too, as `trigger.input.rawBody`",
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
        description: "`text` unless given",
      },
    ),
  ),
  required: Type.Optional(Type.Boolean()),
  options: Type.Optional(
    Type.Array(line(200), { minItems: 1, maxItems: 200, description: "Of `choice` and `choices`" }),
  ),
  placeholder: Type.Optional(line(200)),
  help: Type.Optional(line(500)),
  value: Type.Optional(line(500, "What it holds at first")),
  maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
});
export type FormField = Static<typeof FormField>;

const PAGES_MAX = 10;
const FIELDS_MAX = 50;

/** The fields of a form that people see. */
export const formFields = {
  title: line(200),
  description: Type.Optional(text(2_000, "Below the title")),
  pages: Type.Array(
    object({
      title: Type.Optional(line(200)),
      fields: Type.Array(FormField, { minItems: 1, maxItems: FIELDS_MAX }),
    }),
    { minItems: 1, maxItems: PAGES_MAX },
  ),
  submit: Type.Optional(line(50, "On the button; `Send` unless given")),
  thanks: Type.Optional(text(2_000, "Shown when the form was sent")),
  accent: Type.Optional(Accent),
};
const Form = object(formFields);
export type Form = Static<typeof Form>;

export const FormTrigger = triggerSchema("form", {
  ...formFields,
  respond: Type.Optional(
    Type.Enum(["at_once", "last_step", "respond_step"], {
      description:
        "What is shown when the form was sent: thanks, the run's output, or the answer of a " +
        "`respond` step, which is the default where there is one",
    }),
  ),
  keep: Type.Optional(Keep),
});
export type FormTrigger = Static<typeof FormTrigger>;

const SUGGESTIONS_MAX = 8;

export const ChatTrigger = triggerSchema("chat", {
  title: line(200),
  greeting: Type.Optional(text(2_000, "What stands there before the first message")),
  placeholder: Type.Optional(line(100, "In the empty field")),
  stream: Type.Optional(
    line(
      100,
      "The `llm` or `agent` step whose text is shown as it comes; unless given the only one, where its text " +
        "is the answer",
    ),
  ),
  suggestions: Type.Optional(
    Type.Array(line(200), {
      minItems: 1,
      maxItems: SUGGESTIONS_MAX,
      uniqueItems: true,
      description: "Questions to begin with: each is a button that sends it",
    }),
  ),
  accent: Type.Optional(Accent),
});
export type ChatTrigger = Static<typeof ChatTrigger>;

/** Checks the colour of a page, which its schema can't. */
export function checkAccent({ accent }: Readonly<Record<string, unknown>>): FieldError[] {
  const isWrong = typeof accent === "string" && !isReadable(accent);
  return isWrong ? [{ path: "/accent", message: UNREADABLE }] : [];
}

/** Checks what a form's schema can't say; of a step's, pages and fields may still be templates. */
export function checkForm(form: Readonly<Record<string, unknown>>): FieldError[] {
  const pages = listObjects<Form["pages"][number]>(form["pages"]);
  const names = new Set<string>();
  const errors: FieldError[] = checkAccent(form);
  for (const [page, { fields }] of pages.entries()) {
    for (const [index, { name, type, options }] of listObjects<FormField>(fields).entries()) {
      const path = `/pages/${page}/fields/${index}`;
      if (name !== undefined && names.has(name)) {
        errors.push({ path: `${path}/name`, message: "is another field's" });
      }
      if (name !== undefined) names.add(name);
      if (type === "file" && page < pages.length - 1) {
        errors.push({ path: `${path}/type`, message: "is for the last page alone" });
      }
      const isChoice = type === "choice" || type === "choices";
      if (isChoice && !options) errors.push({ path: `${path}/options`, message: "is required" });
    }
  }
  return errors;
}

/** The members of a list, each with nothing where it is no object. */
function listObjects<T>(value: unknown): Partial<T>[] {
  return Array.isArray(value) ? value.map((one) => Object(one) as Partial<T>) : [];
}

/** Checks what a webhook's schema can't say. */
export function checkHook(trigger: Readonly<Record<string, unknown>>): FieldError[] {
  const { auth, path = "" } = trigger as unknown as WebhookTrigger;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return [
    ...(auth?.kind === "header" && auth.header === undefined
      ? [{ path: "/auth/header", message: "is required" }]
      : []),
    ...(new Set(names).size < names.length
      ? [{ path: "/path", message: "names a parameter twice" }]
      : []),
  ];
}
