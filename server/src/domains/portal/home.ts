import Type, { type Static } from "typebox";
import {
  awaitingApprovalBy,
  findPrices,
  readAnswers,
  RequestAnswer,
  visibleItemSql,
} from "#domains/itsm/catalog/index.ts";
import { findPersonNames } from "#domains/itsm/contacts/index.ts";
import { listOutages, Outage } from "#domains/itsm/outages/index.ts";
import { listRunApprovals, RunApproval } from "#domains/runs/index.ts";
import { workspaceOf } from "#domains/workspaces/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { PortalLook, readLook } from "./look.ts";
import { PortalUse } from "./permissions.ts";
import { listOpenThings, Thing } from "./things.ts";

const THINGS_MAX = 50;
const APPROVALS_MAX = 20;
const ITEMS_MAX = 12;

const AskedApproval = Type.Object(
  {
    id: Type.String(),
    number: Type.String(),
    title: Type.String(),
    description: Type.String(),
    values: Type.Record(Type.String(), Type.Unknown()),
    answers: Type.Array(RequestAnswer, {
      description: "Values with the titles of the form fields, in order",
    }),
    price: nullable(Type.String()),
    requestedForName: Type.String(),
    createdAt: Time,
  },
  { title: "PortalApproval" },
);

export const PortalItem = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    category: Type.String(),
    icon: nullable(Type.String()),
    estimate: nullable(Type.String()),
  },
  { title: "PortalItem" },
);

export const Home = Type.Object(
  {
    workspace: Type.Object({ name: Type.String(), slug: Type.String(), timezone: Type.String() }),
    look: PortalLook,
    things: Type.Array(Thing, {
      description: "Your open tickets and requests. Tickets that wait for you are first",
    }),
    approvals: Type.Array(AskedApproval, { description: "Requests that wait for your approval" }),
    runApprovals: Type.Array(RunApproval, {
      description: "Workflow steps that wait for your approval",
    }),
    outages: Type.Array(Outage),
    items: Type.Array(PortalItem, {
      description: "Featured catalog items, or the first items if none is featured",
    }),
  },
  { title: "PortalHome" },
);

export const getHome = query({
  id: "portal.home",
  route: "GET /api/v1/portal/home",
  summary: "Get the start page of the portal",
  permission: PortalUse,
  environmentScoped: true,
  response: item(Home),
  async run(ctx) {
    const { tx, caller, now } = ctx;
    const me = caller.principal?.id ?? authorOf(caller);
    const [workspace, look, things, approvals, runApprovals, outages, items] = await Promise.all([
      workspaceOf(tx, ctx.workspace.key),
      readLook(tx),
      listOpenThings(tx, me, THINGS_MAX),
      listAsked(ctx),
      listRunApprovals(ctx, { before: undefined, limit: APPROVALS_MAX }),
      listOutages(tx, me, now),
      listFirstItems(ctx),
    ]);
    const { name, slug, timezone } = workspace;
    return {
      workspace: { name, slug, timezone },
      look,
      things,
      approvals,
      runApprovals,
      outages: [...outages],
      items,
    };
  },
});

/** The requests on which the caller can decide. */
async function listAsked(ctx: ReadContext): Promise<Static<typeof AskedApproval>[]> {
  const { tx } = ctx;
  const parameters = new SqlParameters();
  const rows = await queryRows(
    tx,
    `select id, number, title, description, "values", item_id as "itemId",
            requested_for as "requestedFor",
            created_at as "createdAt" from catalog_requests
      where ${awaitingApprovalBy(ctx)(parameters)} order by created_at limit ${APPROVALS_MAX}`,
    parameters.values,
  );
  const asked = rows as unknown as readonly AskedRow[];
  const [names, prices] = await Promise.all([
    findPersonNames(
      tx,
      asked.map(({ requestedFor }) => requestedFor),
    ),
    findPrices(
      tx,
      asked.map(({ itemId }) => itemId),
    ),
  ]);
  return Promise.all(
    asked.map(async ({ requestedFor, itemId, ...row }) => ({
      ...row,
      answers: await readAnswers({ tx }, { ...row, itemId }),
      price: prices.get(itemId) ?? null,
      requestedForName: names.get(requestedFor) ?? "Unknown user",
    })),
  );
}

/** The columns are the fields. */
type AskedRow = Omit<Static<typeof AskedApproval>, "requestedForName" | "answers" | "price"> & {
  readonly requestedFor: string;
  readonly itemId: string;
};

async function listFirstItems({ tx, caller }: ReadContext): Promise<Static<typeof PortalItem>[]> {
  const text = `
    select id, name, description, category, icon, estimate from catalog_items
     where status = 'active' and ${visibleItemSql(caller)}
     order by featured desc, position, name limit ${ITEMS_MAX}`;
  return queryRows<Static<typeof PortalItem>>(tx, text, []);
}
