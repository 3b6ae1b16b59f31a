/** A catalog item: what people may request, with its form and its approval. */
import Type, { type Static } from "typebox";
import { approvalPlanFields } from "#domains/approvals/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { invalidInput } from "#kernel/operation/failure.ts";
import type { Item as ResourceItem } from "#kernel/resource/resource.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import { TaskPlan } from "../../tickets/index.ts";
import { type Form, parseForm } from "../form/form.ts";
import { CatalogWrite, RequestsRead } from "../permissions.ts";

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
    ...approvalPlanFields,
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
  price: nullable(line(100, "What it costs, as people read it: `1,200 EUR`")),
  visibility: Type.Enum(["everyone", "staff"], {
    description: "`staff`: only those who hold `requests:read` see it and ask for it",
  }),
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
    price: Type.Optional(itemFields.price),
    visibility: Type.Optional(itemFields.visibility),
    status: Type.Enum(["draft", "active", "retired"], {
      description:
        "Nobody asks for a draft or a retired one; only those who write items see drafts",
    }),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "CatalogItem" },
);

/** An item with the tasks of its requests, which are for those who work on requests. */
export const StoredItem = Type.Object({ ...Item.properties, tasks: TaskPlan });
export type Item = ResourceItem<typeof Item, typeof StoredItem>;

/** Says whether a caller sees an item: drafts are for those who write items, some for staff alone. */
export function canSeeItem(
  { permissions }: Pick<Caller, "permissions">,
  { status, visibility }: Pick<Item, "status" | "visibility">,
): boolean {
  if (permissions.has(CatalogWrite.name)) return true;
  return status !== "draft" && (visibility !== "staff" || permissions.has(RequestsRead.name));
}

/** The condition in SQL that active items meet which a caller sees. */
export function visibleItemSql({ permissions }: Pick<Caller, "permissions">): string {
  const isStaff = permissions.has(CatalogWrite.name) || permissions.has(RequestsRead.name);
  return isStaff ? "true" : "visibility = 'everyone'";
}

/** Throws a 422 with all errors of a form. */
export function assertForm(form: Form): void {
  const read = parseForm(form);
  if (!("errors" in read)) return;
  const errors = read.errors.map(({ path, message }) => ({ path: `/form${path}`, message }));
  throw invalidInput(errors);
}
