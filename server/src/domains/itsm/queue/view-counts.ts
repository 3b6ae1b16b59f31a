/**
 * Counts the tickets of each view. All views contain open tickets, for which an index exists, so the time depends on
 * the queue and not on the archive.
 */
import Type from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import type { ListCondition } from "#kernel/list/list.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { readableKinds, ofKinds } from "./list.ts";
import { findTeamIds } from "../tickets/index.ts";
import { BUILT_IN_VIEWS, builtInConditions, equalTo, savedConditions } from "./queue-query.ts";
import { listVisibleViews, type View, views, ViewsOwn } from "./view.ts";

const HOUR_MS = 3_600_000;
/** Counts stop here, because a badge has no room for more digits. */
const COUNTED_MAX = 10_000;
const SAVED_VIEWS_MAX = 50;
const TEAMS_MAX = 50;

const ViewCount = Type.Object(
  {
    id: Type.String({
      description: "Id of a built-in view, such as `mine`, a saved view or a team",
    }),
    open: Type.Integer(),
    dueSoon: Type.Integer({ description: "Tickets due within one hour" }),
    breached: Type.Integer({ description: "Overdue tickets" }),
  },
  { title: "ViewCount" },
);

export const countViews = query({
  id: "views.count",
  route: `GET ${views.declaration.path}/counts`,
  summary: "Count open tickets in each view",
  description: `Returns counts for the built-in views, the first ${SAVED_VIEWS_MAX} saved views and the queues of your teams. Counts end at ${COUNTED_MAX}. Due times can be a few seconds behind.`,
  permission: ViewsOwn,
  response: item(Type.Object({ views: Type.Array(ViewCount) }, { title: "ViewCounts" })),
  async run(ctx) {
    const builtIn = BUILT_IN_VIEWS.map((name) => ({
      id: name,
      conditions: [ofKinds(readableKinds(ctx)), ...builtInConditions(ctx, name)],
    }));
    const saved = (await listVisibleViews(ctx, SAVED_VIEWS_MAX)).map((view) => ({
      id: view.id,
      conditions: [ofKinds(selectKinds(ctx, view)), ...savedConditions(view)],
    }));
    const teamIds = await findTeamIds(ctx.tx, ctx.caller.principal?.id ?? "");
    const teams = teamIds.slice(0, TEAMS_MAX).map((id) => ({
      id,
      conditions: [ofKinds(readableKinds(ctx)), equalTo("team_id", id)],
    }));
    return { views: await countEach(ctx, [...builtIn, ...saved, ...teams]) };
  },
});

function selectKinds(ctx: ReadContext, { kinds }: View) {
  return readableKinds(ctx, kinds.length === 0 ? undefined : kinds);
}

async function countEach(
  { tx, now }: ReadContext,
  counted: readonly { readonly id: string; readonly conditions: readonly ListCondition[] }[],
) {
  const parameters = new SqlParameters();
  const at = parameters.add(now, "timestamptz");
  const soon = parameters.add(new Date(now.getTime() + HOUR_MS), "timestamptz");
  const parts = counted.map(({ conditions }, index) => {
    const where = ["is_open", ...conditions.map((one) => `(${one(parameters)})`)].join(" and ");
    return `
      select ${index} as place, count(*)::int as open,
             (count(*) filter (where due_at > ${at} and due_at <= ${soon}))::int as "dueSoon",
             (count(*) filter (where due_at <= ${at}))::int as breached
        from (select due_at from tickets where ${where} limit ${COUNTED_MAX}) t`;
  });
  const rows = await queryRows(tx, parts.join(" union all "), parameters.values);
  const byPlace = new Map(rows.map((row) => [Number(row["place"]), row]));
  return counted.map(({ id }, index) => {
    const row = byPlace.get(index);
    const { open, dueSoon, breached } = row ?? {};
    return {
      id,
      open: Number(open ?? 0),
      dueSoon: Number(dueSoon ?? 0),
      breached: Number(breached ?? 0),
    };
  });
}
