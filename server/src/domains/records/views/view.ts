/**
 * Saved table views. A view only stores display settings: records are read under the reader's own access rules,
 * so sharing a view is safe.
 */
import Type, { type Static } from "typebox";
import { openTable, Slug } from "#domains/tables/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import type { ListCondition } from "#kernel/list/list.ts";
import { Failure, failure, Forbidden, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { EMPTY_FORM, FormContent, isAskable } from "../forms/form-content.ts";
import { parseListing } from "../read/list-sql.ts";
import { fieldsOf } from "../record-statements.ts";

export const TableViewsOwn = permission("table_views:own", "Manage table views", EVERY_ROLE);

/** The permission for arranging shared views: writing records. */
const SHARE_PERMISSION = "records:write";
/** The permission for managing shared views: creating tables. */
const MANAGE_PERMISSION = "tables:write";
const VIEWS_MAX = 2_000;
const FIELDS_MAX = 210;
const WIDTH_PX = { minimum: 40, maximum: 2_000 };

const FieldList = Type.Array(line(200), { maxItems: FIELDS_MAX, uniqueItems: true });

const changeable = {
  name: line(100),
  kind: Type.Enum(["grid", "board", "calendar", "form"]),
  filter: Type.Record(Type.String(), Type.Unknown(), {
    description: "Condition in the same format as `filter` of the record list",
  }),
  sort: Type.String({
    maxLength: 300,
    description: "Same format as `sort` of the list; empty for none",
  }),
  groupBy: nullable(line(200, "Field for the groups of a grid or the columns of a board")),
  dateField: nullable(line(200, "The date field of a calendar")),
  hidden: FieldList,
  columns: Type.Array(line(200), {
    maxItems: FIELDS_MAX,
    uniqueItems: true,
    description: "The order of columns. Other columns come after them",
  }),
  widths: Type.Record(Type.String(), Type.Integer(WIDTH_PX), {
    maxProperties: FIELDS_MAX,
    description: "Width in pixels by column",
  }),
  frozen: Type.Integer({
    minimum: 0,
    maximum: 10,
    description: "Columns that stay visible when scrolling",
  }),
  rowHeight: Type.Enum(["short", "medium", "tall"]),
  summaries: Type.Record(Type.String(), line(20), {
    maxProperties: FIELDS_MAX,
    description: "Summary function of a column. Example: `sum`",
  }),
  shared: Type.Boolean({
    description: `Whether all members who can view the table can use it. Requires \`${SHARE_PERMISSION}\``,
  }),
  position: Type.Integer({ minimum: 0, maximum: 10_000 }),
  form: FormContent,
};

export const TableView = Type.Object(
  {
    id: id("tvw"),
    table: Slug,
    ...changeable,
    publicKey: nullable(
      Type.String({ description: "Key of a published form, at `/forms/{publicKey}`" }),
    ),
    filterHidden: Type.Optional(
      Type.Boolean({
        description:
          "True if the filter uses fields that you can't view; then the filter is omitted",
      }),
    ),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "TableView" },
);
export type TableView = Static<typeof TableView>;

const TooManyViews = failure(
  "too_many_views",
  409,
  `An environment can have at most ${VIEWS_MAX} table views.`,
);

export const tableViews = resource({
  name: "table_view",
  plural: "table_views",
  effect: "ordinary",
  path: "/api/v1/table-views",
  table: "table_views",
  idPrefix: "tvw",
  schema: TableView,
  columns: { table: "table_slug", publicKey: "public_key" },
  computed: { filterHidden: "false" },
  json: ["filter", "widths", "summaries", "form"],
  input: object({ ...patch(changeable).properties, name: changeable.name, table: Slug }),
  change: patch(changeable),
  defaults: {
    kind: "grid",
    filter: {},
    sort: "",
    groupBy: null,
    dateField: null,
    hidden: [],
    columns: [],
    widths: {},
    frozen: 0,
    rowHeight: "short",
    summaries: {},
    shared: false,
    position: 0,
    form: EMPTY_FORM,
  },
  permissions: { read: TableViewsOwn, write: TableViewsOwn },
  list: {
    order: "position",
    search: ["name"],
    conditions: ({ caller }) => [visibleViews(caller)],
  },
  limit: { max: VIEWS_MAX, failure: TooManyViews },
  async check(ctx, input, before) {
    const after = { ...before, ...input };
    if (after.shared === true && !ctx.caller.permissions.has(SHARE_PERMISSION)) {
      const detail = `Sharing a view requires the permission ${SHARE_PERMISSION}.`;
      throw new Failure(Forbidden, { detail });
    }
    if (before) assertMayReshape(ctx.caller, before, input);
    await assertFieldsExist(ctx, after.table ?? "", input);
    return input;
  },
  operations: { list: false, get: false, update: false, delete: false },
  docs: {
    noun: "a table view",
    nouns: "table views that are yours or shared",
    examples: {
      id: "tvw_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: { name: "Open orders", table: "orders", filter: { status: "open" }, shared: true },
      change: { name: "Waiting orders", groupBy: "status" },
    },
  },
});

/**
 * Throws a 403 if the caller may not change the fields of a published form: submissions are written with the rights
 * of the publisher, who may have more rights than the editor.
 */
function assertMayReshape(
  { permissions }: Caller,
  { publicKey }: Pick<TableView, "publicKey">,
  input: Partial<Static<typeof tableViews.declaration.change>>,
): void {
  if (publicKey === null || permissions.has(MANAGE_PERMISSION)) return;
  if (input.form === undefined && input.kind === undefined) return;
  const detail = `Changing a published form requires the permission ${MANAGE_PERMISSION}.`;
  throw new Failure(Forbidden, { detail });
}

/** Throws a 422 if a view names fields that its author cannot see. */
async function assertFieldsExist(
  ctx: WriteContext<never>,
  slug: string,
  input: Partial<Static<typeof tableViews.declaration.change>>,
): Promise<void> {
  const table = await openTable(ctx, slug);
  const { filter, sort } = input;
  await table.parse(() =>
    parseListing(
      table,
      { ...(filter && { filter: JSON.stringify(filter) }), ...(sort && { sort }) },
      ctx.now,
    ),
  );
  const fields = fieldsOf(table.schema);
  for (const [index, { name }] of (input.form?.fields ?? []).entries()) {
    const column = table.schema.byName.get(name);
    if (column && isAskable(column)) continue;
    const message = column ? "can't be used in a form" : "is not a field of this table";
    throw invalidField(`/form/fields/${index}/name`, message);
  }
  for (const name of ["groupBy", "dateField"] as const) {
    const field = input[name];
    if (typeof field === "string" && !fields.includes(field)) {
      throw invalidField(`/${name}`, "is not a field of this table");
    }
  }
}

/** Selects the caller's own views and the shared ones, of tables that the caller can read. */
function visibleViews({ principal }: Caller): ListCondition {
  return (parameters) => {
    const me = parameters.add(principal?.id ?? "", "text");
    const roles = parameters.add([...(principal?.roles ?? [])], "text[]");
    return (
      `(created_by = ${me} or shared) and exists (select from user_tables t ` +
      `where t.slug = table_views.table_slug and (jsonb_array_length(t.rules) = 0 ` +
      `or ${roles} && array['owner', 'admin'] or exists (` +
      `select from jsonb_array_elements(t.rules) r where r->'actions' ? 'read' ` +
      `and (r->'roles' ? '*' or r->'roles' ?| ${roles}))))`
    );
  };
}

/** Returns a visible view, or throws a 404. */
export async function getVisibleView({ tx, caller }: ReadContext, viewId: string) {
  const parameters = new SqlParameters();
  const condition = visibleViews(caller)(parameters);
  const text = `select id from table_views where id = ${parameters.add(viewId, "text")} and ${condition}`;
  const [row] = await queryRows(tx, text, parameters.values);
  if (!row) throw new Failure(NotFound);
  return tableViews.store.get(tx, viewId);
}

/** Throws a 403 unless the view is the caller's own, or they may create tables. */
export function assertMayChange({ principal, permissions }: Caller, view: TableView): void {
  if (view.createdBy === principal?.id || permissions.has(MANAGE_PERMISSION)) return;
  throw new Failure(Forbidden, {
    detail:
      "Only the creator of a view, or a member who can edit tables, can change it. Save your own view instead.",
  });
}
