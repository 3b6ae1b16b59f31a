/** What people may ask for. */
import Type, { type Static } from "typebox";
import { Failure, failure, Invalid } from "#kernel/operation/failure.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import { type Form, parseForm } from "../form/form.ts";

const APPROVERS_MAX = 50;

export const ItemId = id("cat");

/** Who must agree before a request is fulfilled. */
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

/** What people write about an item. */
export const fields = {
  name: line(200),
  description: text(10_000),
  category: text(100, "Items of the same one are shown together"),
  icon: nullable(line(100, "The name of a picture")),
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

const shown = {
  id: ItemId,
  ...fields,
  status: Type.Enum(["active", "retired"], { description: "Nobody asks for a retired one" }),
  createdBy: Type.String(),
  createdAt: Time,
  updatedAt: Time,
};

export const Item = Type.Object(shown, { title: "CatalogItem" });
export type ItemData = Static<typeof Item>;
export type Item = ItemData & { readonly revision: number };

/** What an item is by default. */
export const ITEM_DEFAULTS = {
  description: "",
  category: "",
  icon: null,
  approval: { required: false, approverIds: [], rule: "any" },
  workflowId: null,
} as const;

export const ItemExists = failure(
  "catalog_item_exists",
  409,
  "Another active item has this name.",
  "catalog_items_name",
);
export const ItemIsRetired = failure("catalog_item_retired", 409, "The item is retired.");

/** Throws a 422 with everything that is wrong with a form. */
export function assertForm(form: Form): void {
  const read = parseForm(form);
  if (!("errors" in read)) return;
  const errors = read.errors.map(({ path, message }) => ({ path: `/form${path}`, message }));
  const [first] = errors;
  throw new Failure(Invalid, { detail: `${first?.path} ${first?.message}`, errors });
}
