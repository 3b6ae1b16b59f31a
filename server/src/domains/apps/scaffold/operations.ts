import Type from "typebox";
import type { Table } from "#domains/tables/index.ts";
import {
  type CallOperation,
  dataOfResponse,
  operationCallerFor,
} from "#kernel/operation/call-operation.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { dynamicItem } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { TableSlug } from "../definition/action.ts";
import { isPagePath } from "../definition/app.ts";
import { AppsWrite } from "../permissions.ts";
import { type Scaffold, scaffoldTable } from "./scaffold-table.ts";
import { scaffoldReports } from "./scaffold-reports.ts";

const TARGETS_MAX = 20;

export const scaffoldApp = query({
  id: "apps.scaffold",
  route: "POST /api/v1/apps/scaffold",
  summary: "Generate an app from a table, a report or a dashboard",
  description:
    "For a table: a list with search, a page for one record, forms to create and edit a record, and deletion with confirmation. References and users are shown and selected by name. `leftOut` contains the columns that forms do not support. For reports: their charts. Nothing is saved: the response is the body for POST /api/v1/apps. `base` sets the base path of the pages, for an app that already has pages.",
  permission: AppsWrite,
  body: object({
    table: Type.Optional(TableSlug),
    reportId: Type.Optional(id("rpt")),
    dashboardId: Type.Optional(id("dsh")),
    base: Type.Optional(Type.String({ maxLength: 63 })),
  }),
  response: dynamicItem<{ readonly data: Scaffold }>(
    Type.Object(
      {
        name: Type.String(),
        pages: Type.Array(Type.Record(Type.String(), Type.Unknown())),
        dataSources: Type.Array(Type.Record(Type.String(), Type.Unknown())),
        leftOut: Type.Array(
          Type.Object({ column: Type.String(), title: Type.String(), reason: Type.String() }),
          { description: "Columns that the forms do not contain, with the reasons" },
        ),
      },
      { title: "AppScaffold" },
    ),
  ),
  fails: [NotFound],
  example: { body: { table: "orders" } },
  async prepare(platform, { body }, caller) {
    const perform = operationCallerFor(platform, caller, "/apps/scaffold");
    const { table, reportId, dashboardId, base = "" } = body;
    if ([table, reportId, dashboardId].filter((one) => one !== undefined).length !== 1)
      throw invalidField("", "must contain one of `table`, `reportId` and `dashboardId`");
    if (base !== "" && (!base.startsWith("/") || !isPagePath(base)))
      throw invalidField("/base", "must be the path of a page");
    if (table === undefined)
      return { data: await scaffoldReports(perform, { reportId, dashboardId, base }) };
    const found = await readTable(perform, table);
    if (!found)
      throw new Failure(NotFound, {
        detail: `The table ${table} does not exist in this environment.`,
      });
    return {
      data: scaffoldTable({ table: found, targets: await readTargets(perform, found), base }),
    };
  },
  run: async (_ctx, _input, scaffold) => scaffold,
});

/** The tables that its references lead to, except those hidden from the caller. */
async function readTargets(
  perform: CallOperation,
  { columns }: Table,
): Promise<ReadonlyMap<string, Table>> {
  const slugs = new Set(
    columns
      .filter(({ type }) => type === "reference")
      .map(({ options }) => String(options["table"])),
  );
  const found = new Map<string, Table>();
  for (const slug of [...slugs].slice(0, TARGETS_MAX)) {
    const target = await readTable(perform, slug);
    if (target) found.set(slug, target);
  }
  return found;
}

async function readTable(perform: CallOperation, slug: string): Promise<Table | undefined> {
  try {
    return dataOfResponse(await perform("tables.get", { params: { slug } })) as Table;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
