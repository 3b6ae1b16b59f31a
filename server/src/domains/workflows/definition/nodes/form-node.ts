/** The node type that shows a form page. */
import Type, { type TSchema } from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { DURATION_MS_MAX } from "../definition.ts";
import { type Config, nodeType } from "../node-type.ts";
import { literalSchema } from "../template.ts";
import { checkForm, type FormField, formFields } from "../triggers/inbound-triggers.ts";
import { TIMEOUT_BRANCH } from "./waiting-nodes.ts";

/** The branch after the form is submitted. */
export const SENT_BRANCH = "sent";

export const waitForForm = nodeType({
  type: "wait_for_form",
  summary:
    "Shows a form and waits until it is submitted. `run.resumeUrl` is the URL of the form from the start of the run",
  config: object({
    ...formFields,
    shownTo: Type.Optional(
      literalSchema(
        Type.Enum(["link", "sender"], {
          description:
            "`link` (default): everyone with the URL. `sender`: also the person who submitted the previous form, of the trigger or of a step; they are redirected to this form",
        }),
      ),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DURATION_MS_MAX,
        description:
          "Timeout. Then the run follows the edges with `when: timeout`; without such an edge, the step fails",
      }),
    ),
  }),
  form: {
    title: "Form",
    group: "People",
    icon: "clipboard-list",
    first: {
      title: "One more question",
      pages: [{ fields: [{ name: "answer", label: "Answer", required: true }] }],
    },
    fields: {
      title: { title: "Title", placeholder: "Order {{ trigger.input.id }}" },
      description: { title: "Description", multiline: true },
      pages: {
        title: "Pages",
        example: [{ fields: [{ name: "size", type: "choice", options: ["S", "M", "L"] }] }],
      },
      submit: { title: "Button label", placeholder: "Send" },
      thanks: { title: "Confirmation", multiline: true },
      accent: { title: "Colour", placeholder: "#0b5d4d" },
      shownTo: { title: "Audience" },
      timeoutMs: { title: "Timeout", unit: "ms" },
    },
  },
  output: (config) =>
    Type.Object({
      answers: answersSchema(config),
      submittedAt: Type.String(),
      timedOut: Type.Optional(
        Type.Boolean({
          description: "True if the timeout was reached. Then other fields are missing",
        }),
      ),
    }),
  branches: [SENT_BRANCH, TIMEOUT_BRANCH],
  aside: [TIMEOUT_BRANCH],
  takesCalls: true,
  inside: true,
  effect: "wait",
  check: checkForm,
});

const ANSWER_TYPES: Readonly<Record<string, TSchema>> = {
  checkbox: Type.Boolean(),
  choices: Type.Array(Type.String()),
  number: Type.Union([Type.Number(), Type.Null()]),
  file: Type.Unknown({ description: "The handle of a file, or null" }),
};
const TEXT_ANSWER = Type.Union([Type.String(), Type.Null()]);

/** The schema of the answers, if the fields are static. */
function answersSchema({ pages }: Config): TSchema {
  if (!Array.isArray(pages)) return Type.Record(Type.String(), Type.Unknown());
  const fields = pages.flatMap((page: { readonly fields?: readonly FormField[] }) => {
    return Array.isArray(page.fields) ? page.fields : [];
  });
  return Type.Object(
    Object.fromEntries(
      fields.flatMap(({ name, type = "text" }) =>
        typeof name === "string" ? [[name, ANSWER_TYPES[type] ?? TEXT_ANSWER]] : [],
      ),
    ),
  );
}
