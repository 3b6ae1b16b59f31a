/** Shows records as seen by another member, to test access rules. */
import Type from "typebox";
import { readRolePermissions } from "#domains/identity/accounts/index.ts";
import {
  ACTIONS,
  type ColumnSchema,
  type Grants,
  type OpenTable,
  openTable,
  resolveGrants,
  Rule,
  RULES_MAX,
  Slug,
} from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { assertNoErrors, Failure } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { RecordsRead, RecordsWrite } from "../permissions.ts";
import { RecordForbidden } from "../record-access.ts";
import { cursorName, readRecordPage } from "./list-page.ts";
import { parseListing } from "./list-sql.ts";

const RECORDS_MAX = 200;
const RECORDS_DEFAULT = 50;
const EXPANDED_MAX = 10;

const Preview = Type.Object(
  {
    actions: Type.Array(
      Type.Object({
        action: Type.Enum([...ACTIONS]),
        records: Type.Enum(["all", "some", "none"]),
        fields: Type.Union([Type.Array(Type.String()), Type.Null()], {
          description: "Visible fields, for at least one record. Null for all fields",
        }),
      }),
      { description: "Actions that permissions and access rules allow" },
    ),
    lacks: Type.Array(Type.Enum([RecordsRead.name, RecordsWrite.name]), {
      description: "Permissions that none of the roles has. Access rules can't replace them",
    }),
    records: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    total: Type.Integer({ description: "Number of visible records" }),
  },
  { title: "RecordPreview" },
);

export const previewRecords = query({
  id: "records.preview",
  route: "POST /api/v1/tables/{slug}/records/preview",
  summary: "Preview records with other roles",
  description:
    "Uses the access rules of the table, or unsaved `rules`. Only for callers without restrictions by access rules in any table, so the preview never shows more than they can already view (403 `record_forbidden`). References are expanded.",
  permission: RecordsRead,
  params: object({ slug: Slug }),
  body: object({
    roles: Type.Array(line(100), { maxItems: 50, description: "Ids of roles" }),
    userId: Type.Optional(id("usr", "The user of `$user.id` in conditions")),
    rules: Type.Optional(Type.Array(Rule, { maxItems: RULES_MAX })),
    filter: Type.Optional(ConditionSchema),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: RECORDS_MAX, default: RECORDS_DEFAULT }),
    ),
  }),
  response: item(Preview),
  fails: [RecordForbidden],
  example: { params: { slug: "orders" }, body: { roles: ["agent"], limit: 20 } },
  async run(ctx, { params, body: { roles, userId = NOBODY, rules, filter, limit } }) {
    await assertNotLimited(ctx, params.slug);
    const principal = { id: userId, roles };
    const seen = { ...ctx, caller: { ...ctx.caller, principal } };
    const table = withRules(await openTable(seen, params.slug), rules);
    const which = filter && { filter: JSON.stringify(filter) };
    const listing = await table.parse(() => parseListing(table, { ...which }, ctx.now));
    const page = await table.retryOnSchemaChange(() =>
      readRecordPage(seen, table, {
        listing,
        references: referencesOf(table).slice(0, EXPANDED_MAX),
        name: cursorName(listing, { ...which }),
        page: { limit: limit ?? RECORDS_DEFAULT, count: "exact" },
      }),
    );
    const held = await readRolePermissions(ctx, roles);
    const lacks = [RecordsRead, RecordsWrite].filter(({ name }) => !held.has(name));
    const actions = ACTIONS.map((action) => {
      const needed = action === "read" ? RecordsRead : RecordsWrite;
      return { action, ...describeGrants(lacks.includes(needed) ? [] : table.grants(action)) };
    });
    const records = lacks.includes(RecordsRead) ? [] : page.data.map((record) => ({ ...record }));
    const total = lacks.includes(RecordsRead) ? 0 : (page.total ?? records.length);
    return { actions, lacks: lacks.map(({ name }) => name), records, total };
  },
});

/** No person has this id. */
export const NOBODY = "usr_00000000000000000000000000";

/** Returns the references that are shown by name, if the member may see the referenced records. */
function referencesOf({ schema }: OpenTable): readonly ColumnSchema[] {
  return schema.columns.filter(
    ({ target, refersToUsers }) => target !== undefined || refersToUsers,
  );
}

/** A lookup shows fields of other tables, so the rules of all tables count. */
async function assertNotLimited(ctx: ReadContext, slug: string): Promise<void> {
  const table = await openTable(ctx, slug);
  const schemas = await table.listSchemas();
  const { principal } = ctx.caller;
  const isLimited = schemas.some((schema) => resolveGrants(schema, "read", principal));
  if (isLimited) throw new Failure(RecordForbidden);
}

function withRules(table: OpenTable, rules: readonly Rule[] | undefined): OpenTable {
  if (!rules) return table;
  const checked = table.checkRules(rules);
  assertNoErrors(checked.errors);
  return table.withRules(checked.rules);
}

function describeGrants(grants: Grants): {
  readonly records: "all" | "some" | "none";
  readonly fields: string[] | null;
} {
  if (!grants) return { records: "all", fields: null };
  if (grants.length === 0) return { records: "none", fields: null };
  const isEvery = grants.some(({ where }) => where === null);
  const hasAllFields = grants.some(({ fields }) => fields === null);
  const fields = new Set(grants.flatMap((grant) => [...(grant.fields ?? [])]));
  return { records: isEvery ? "all" : "some", fields: hasAllFields ? null : [...fields] };
}
