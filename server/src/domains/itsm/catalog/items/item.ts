/** A catalog item: something that users can request, with its form and approval. */
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

/** The approval required before a request is fulfilled. */
export const Approval = Type.Object(
  {
    required: Type.Boolean(),
    approverIds: Type.Array(id("usr"), {
      maxItems: APPROVERS_MAX,
      uniqueItems: true,
      default: [],
      description: "Members. If empty, all members with `requests:work`",
    }),
    rule: Type.Enum(["any", "all"], {
      default: "any",
      description: "Whether one approval is enough, or all approvers must approve",
    }),
    ...approvalPlanFields,
  },
  { title: "CatalogApproval", additionalProperties: false },
);
export type Approval = Static<typeof Approval>;

export const itemFields = {
  name: line(200),
  description: text(10_000),
  category: text(100, "Groups items in lists"),
  icon: nullable(line(100, "Name of an icon")),
  order: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "Position, lowest first. Default: 100",
  }),
  keywords: Type.Array(line(100), {
    maxItems: KEYWORDS_MAX,
    uniqueItems: true,
    description: "Other search terms for the item, such as `notebook`",
  }),
  estimate: nullable(line(100, "Displayed delivery time, such as `two working days`")),
  price: nullable(line(100, "Displayed price, such as `1,200 EUR`")),
  visibility: Type.Enum(["everyone", "staff"], {
    description: "`staff`: only members with `requests:read` can see and request the item",
  }),
  featured: Type.Boolean({ description: "Whether the portal home page shows the item" }),
  form: Type.Unsafe<Form>({
    type: "object",
    additionalProperties: true,
    description:
      "The form: a JSON Schema of type `object` with at most 65,536 characters. `$ref` can only refer to `$defs` in the same schema. Strings with a `pattern` must have at most 200 characters. Keywords that begin with `x-` are display hints",
  }),
  approval: Approval,
  workflowId: nullable(id("wf", "The workflow that fulfils a request. Null for manual fulfilment")),
};

export const Item = Type.Object(
  {
    id: ItemId,
    ...itemFields,
    // Events of earlier versions do not have these fields.
    order: Type.Optional(itemFields.order),
    keywords: Type.Optional(itemFields.keywords),
    estimate: Type.Optional(itemFields.estimate),
    featured: Type.Optional(itemFields.featured),
    price: Type.Optional(itemFields.price),
    visibility: Type.Optional(itemFields.visibility),
    status: Type.Enum(["draft", "active", "retired"], {
      description:
        "Drafts and retired items can't be requested. Drafts are visible only to members who can edit items",
    }),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "CatalogItem" },
);

/** An item with the tasks of its requests, which only request agents see. */
export const StoredItem = Type.Object({ ...Item.properties, tasks: TaskPlan });
export type Item = ResourceItem<typeof Item, typeof StoredItem>;

/** True if a caller can see an item. Drafts are for item authors, and some items are for staff only. */
export function canSeeItem(
  { permissions }: Pick<Caller, "permissions">,
  { status, visibility }: Pick<Item, "status" | "visibility">,
): boolean {
  if (permissions.has(CatalogWrite.name)) return true;
  return status !== "draft" && (visibility !== "staff" || permissions.has(RequestsRead.name));
}

/** SQL condition for active items that a caller can see. */
export function visibleItemSql({ permissions }: Pick<Caller, "permissions">): string {
  const isStaff = permissions.has(CatalogWrite.name) || permissions.has(RequestsRead.name);
  return isStaff ? "true" : "visibility = 'everyone'";
}

/** Throws 422 with all errors of a form. */
export function assertForm(form: Form): void {
  const read = parseForm(form);
  if (!("errors" in read)) return;
  const errors = read.errors.map(({ path, message }) => ({ path: `/form${path}`, message }));
  throw invalidInput(errors);
}
