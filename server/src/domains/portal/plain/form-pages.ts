/** The two forms of the portal: reporting a problem, and requesting a catalog item. */
import { randomUUID } from "node:crypto";
import { type Markup, markup } from "#kernel/html/markup.ts";
import type { PortalPage } from "../pages/layout.ts";
import type { PortalSession } from "../pages/session.ts";
import { type FormView, renderForm } from "#kernel/html/form/form-view.ts";
import { listPlainFields, type Schema } from "./schema-field.ts";

export const BROKEN: Schema = {
  type: "object",
  required: ["title"],
  properties: {
    title: { type: "string", title: "What does not work?", maxLength: 200 },
    description: {
      type: "string",
      title: "What happened, and what did you expect?",
      maxLength: 10_000,
      "x-multiline": true,
    },
    files: {
      type: "array",
      title: "Pictures or files",
      items: { type: "string", "x-file": true },
    },
  },
};

/** The values and errors of a rejected form. */
export type Refused = Pick<FormView, "posted" | "errors" | "problem">;

/** The page for reporting a problem. */
export function renderBroken(
  session: PortalSession,
  title: string,
  refused: Refused | undefined,
): PortalPage {
  const schema = withTitle(BROKEN, title);
  return {
    title: "Report a problem",
    back: session.pathTo(""),
    body: markup`<h1>Report a problem</h1>
<p class="lead">Describe the problem in your own words. A picture often helps.</p>
${renderPlace({ schema, refused, action: session.pathTo("/broken"), act: "Send" })}`,
    start: { form: "broken", title, schema: BROKEN },
  };
}

const withTitle = (schema: Schema, title: string): Schema => {
  const { title: own, ...rest } = schema.properties ?? {};
  if (typeof own !== "object" || title === "") return schema;
  return { ...schema, properties: { title: { ...own, default: title }, ...rest } };
};

export interface FullItem {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly estimate: string | null;
  readonly form: Schema;
  readonly approval: { readonly required: boolean };
}

/** The page of a catalog item. */
export function renderItem(
  session: PortalSession,
  { id, name, description, estimate, form, approval }: FullItem,
  refused: Refused | undefined,
): PortalPage {
  const act = approval.required ? "Send for approval" : "Send";
  return {
    title: name,
    back: session.pathTo(""),
    body: markup`<h1>${name}</h1>
${description !== "" && markup`<p class="lead">${description}</p>`}
${estimate !== null && markup`<p class="estimate">Usually takes ${estimate}</p>`}
${renderPlace({ schema: form, refused, action: session.pathTo(`/ask/${id}`), act })}`,
    start: { form: "item", itemId: id, schema: form, needsApproval: approval.required },
  };
}

interface PlaceOfForm {
  readonly schema: Schema;
  readonly refused: Refused | undefined;
  readonly action: string;
  readonly act: string;
}

/** The form for browsers without scripts; with scripts, a better form replaces it. */
function renderPlace({ schema, refused, action, act }: PlaceOfForm): Markup {
  const form = renderForm({
    ...refused,
    fields: listPlainFields(schema),
    action,
    submit: act,
    // A new key: the key of a rejected form is bound to its failure.
    hidden: [["key", randomUUID()]],
  });
  return markup`<div id="form" class="form-place"><noscript><div class="plain-form">${form}</div></noscript></div>`;
}
