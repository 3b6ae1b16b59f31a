/** A catalog item: what people may request, with its form and its approval. */
import Type, { type Static } from "typebox";
import { invalidInput } from "#kernel/operation/failure.ts";
import type { Item as ResourceItem } from "#kernel/resource/resource.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import { type Form, parseForm } from "../form/form.ts";

const APPROVERS_MAX = 50;
const KEYWORDS_MAX = 50;

export const ItemId = id("cat");

/** The approval that a request needs before it is fulfilled. */
export const Approval = Type.Object(
  {
    required: Type.Boolean(),
    approverIds: Type.Array(id("usr"), {
      maxItems: APPROVERS_MAX,
      uniqueItems: true,
      default: [],
      description: "Members; when empty, whoever holds `requests:work`",
    }),
    rule: Type.Enum(["any", "all"], {
      default: "any",
      description: "Whether one of them is enough, or all must agree",
    }),
  },
  { title: "CatalogApproval", additionalProperties: false },
);
export type Approval = Static<typeof Approval>;

/** The fields of an item that people write. */
export const itemFields = {
  name: line(200),
  description: text(10_000),
  category: text(100, "Items of the same one are shown together"),
  icon: nullable(line(100, "The name of a picture")),
  order: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "Its place among the others, the least first; 100 unless given",
  }),
  keywords: Type.Array(line(100), {
    maxItems: KEYWORDS_MAX,
    uniqueItems: true,
    description: "Other words that people look for it by, such as `notebook`",
  }),
  estimate: nullable(line(100, "How long it takes, as people read it: `two working days`")),
  featured: Type.Boolean({ description: "Whether the first page of the portal shows it" }),
  form: Type.Unsafe<Form>({
    type: "object",
    additionalProperties: true,
    description:
      "What is to be filled in: a JSON Schema of the type `object`, of at most 65536 characters. It " +
      "refers to nothing but its own `$defs`; a text with a `pattern` has at most 200 characters; " +
      "words that begin with `x-` are hints for whoever draws the form",
  }),
  approval: Approval,
  workflowId: nullable(id("wf", "The workflow that fulfils a request; null: by hand")),
};

export const Item = Type.Object(
  {
    id: ItemId,
    ...itemFields,
    // Events of earlier versions do not have these.
    order: Type.Optional(itemFields.order),
    keywords: Type.Optional(itemFields.keywords),
    estimate: Type.Optional(itemFields.estimate),
    featured: Type.Optional(itemFields.featured),
    status: Type.Enum(["active", "retired"], { description: "Nobody asks for a retired one" }),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "CatalogItem" },
);
export type Item = ResourceItem<typeof Item>;

/** Throws a 422 with all errors of a form. */
export function assertForm(form: Form): void {
  const read = parseForm(form);
  if (!("errors" in read)) return;
  const errors = read.errors.map(({ path, message }) => ({ path: `/form${path}`, message }));
  throw invalidInput(errors);
}
