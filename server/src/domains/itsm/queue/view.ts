/** Queue views: built-in views and saved views. */
import Type, { type Static } from "typebox";
import { permission, EVERY_ROLE } from "#kernel/access/permission.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { SqlParameters } from "#kernel/db/statement.ts";
import { parseSort } from "#kernel/list/order.ts";
import type { ListCondition } from "#kernel/list/list.ts";
import { Failure, failure, Forbidden, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist, DeskWrite, findTeamIds, TICKET_KINDS } from "../tickets/index.ts";
import { filterCondition, OPEN_ORDER, ticketList } from "./list.ts";

export const ViewsOwn = permission("views:own", "Manage views of the queue", EVERY_ROLE);

const VIEWS_MAX = 1_000;
const COLUMNS_MAX = 40;

const viewFields = {
  name: line(100),
  kinds: Type.Array(Type.Enum([...TICKET_KINDS]), {
    uniqueItems: true,
    maxItems: TICKET_KINDS.length,
    description: "Empty: all kinds",
  }),
  onlyOpen: Type.Boolean({ description: "Only open tickets" }),
  filter: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Condition as an object. Example: `{"priority":{"lte":2},"tags":{"contains":"vip"}}`',
  }),
  sort: line(300, "Same format as `sort` of the list"),
  columns: Type.Array(line(100), { maxItems: COLUMNS_MAX, uniqueItems: true }),
  sharedWith: Type.Enum(["nobody", "team", "everyone"], {
    description:
      "Sharing with everyone requires `desk:write`. Sharing with a team requires membership in the team",
  }),
  teamId: nullable(id("tem", "The team that can use the view")),
  position: Type.Integer({ minimum: 0, maximum: 10_000 }),
};

export const View = Type.Object(
  { id: id("vew"), ...viewFields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "QueueView" },
);
export type View = Static<typeof View>;

const TooManyViews = failure(
  "too_many_views",
  409,
  `A workspace can have at most ${VIEWS_MAX} views.`,
);

export const views = resource({
  name: "view",
  plural: "views",
  effect: "ordinary",
  path: "/api/v1/itsm/views",
  table: "desk_views",
  idPrefix: "vew",
  schema: View,
  json: ["filter"],
  input: object({ ...patch(viewFields).properties, name: viewFields.name }),
  change: patch(viewFields),
  defaults: {
    kinds: [],
    onlyOpen: true,
    filter: {},
    sort: OPEN_ORDER,
    columns: [],
    sharedWith: "nobody",
    teamId: null,
    position: 0,
  },
  permissions: { read: ViewsOwn, write: ViewsOwn },
  environmentScoped: false,
  list: {
    order: "position",
    search: ["name"],
    conditions: ({ caller }) => [visibleViews(caller)],
  },
  limit: { max: VIEWS_MAX, failure: TooManyViews },
  async check(ctx, input, before) {
    const { filter, sort } = input;
    if (filter) filterCondition(filter)(new SqlParameters());
    if (sort !== undefined) assertSort(sort);
    const after = { ...before, ...input };
    const teamId = after.sharedWith === "team" ? (after.teamId ?? null) : null;
    if (after.sharedWith === "team" && teamId === null) {
      throw invalidField("/teamId", "is required for a view that is shared with a team");
    }
    await assertReferencesExist(ctx, { teamId });
    await assertMayShare(ctx, after.sharedWith ?? "nobody", teamId);
    return { ...input, teamId };
  },
  operations: { get: false, update: false, delete: false },
  docs: {
    noun: "a view of the queue",
    nouns: "views of the queue that are yours or shared with you",
    examples: {
      id: "vew_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: { name: "Urgent", kinds: ["incident"], filter: { priority: { lte: 2 } } },
      change: { name: "Most urgent" },
    },
  },
});

function assertSort(sort: string): void {
  parseSort(sort, ticketList.tieBreaker, (name) => {
    const field = Object.hasOwn(ticketList.fields, name) ? ticketList.fields[name] : undefined;
    return field && { type: "text", nullable: false, ...field };
  });
}

/** Throws 403 if a caller cannot share a view with these members. */
async function assertMayShare(
  { tx, caller }: ReadContext,
  sharedWith: View["sharedWith"],
  teamId: string | null,
): Promise<void> {
  if (sharedWith === "nobody" || caller.permissions.has(DeskWrite.name)) return;
  const isOwnTeam =
    teamId !== null && (await findTeamIds(tx, caller.principal?.id ?? "")).includes(teamId);
  if (isOwnTeam) return;
  const detail =
    sharedWith === "team"
      ? "Only members of a team can share views with it."
      : `Sharing a view with everyone requires the permission ${DeskWrite.name}.`;
  throw new Failure(Forbidden, { detail });
}

/** Selects views that are private to the caller, or shared with the caller's teams or everyone. */
function visibleViews(caller: Caller): ListCondition {
  return (parameters) => {
    const me = parameters.add(caller.principal?.id ?? "", "text");
    return (
      `created_by = ${me} or shared_with = 'everyone' or exists (select from team_members m ` +
      `where m.team_id = desk_views.team_id and m.user_id = ${me})`
    );
  };
}

/** The views visible to a caller, in order. */
export async function listVisibleViews(
  { tx, caller }: Pick<ReadContext, "tx" | "caller">,
  countMax: number,
): Promise<readonly View[]> {
  const me = caller.principal?.id ?? "";
  const rows = await tx
    .selectFrom("desk_views")
    .selectAll()
    .where((view) =>
      view.or([
        view("created_by", "=", me),
        view("shared_with", "=", "everyone"),
        view(
          "team_id",
          "in",
          tx.selectFrom("team_members").select("team_id").where("user_id", "=", me),
        ),
      ]),
    )
    .orderBy("position")
    .orderBy("id")
    .limit(countMax)
    .execute();
  return rows.map(
    ({ only_open, shared_with, team_id, created_by, created_at, updated_at, ...row }) =>
      // Validated by its schema when it was saved.
      ({
        ...row,
        onlyOpen: only_open,
        sharedWith: shared_with,
        teamId: team_id,
        createdBy: created_by,
        createdAt: created_at,
        updatedAt: updated_at,
      }) as unknown as View,
  );
}

/** A view visible to the caller. Throws 404 otherwise. */
export async function getVisibleView(ctx: ReadContext, viewId: string) {
  const view = await views.store.get(ctx.tx, viewId);
  const me = ctx.caller.principal?.id ?? "";
  const isVisible =
    view.createdBy === me ||
    view.sharedWith === "everyone" ||
    (view.teamId !== null && (await findTeamIds(ctx.tx, me)).includes(view.teamId));
  if (!isVisible) throw new Failure(NotFound);
  return view;
}

/** Throws 403 unless the view belongs to the caller, or the caller is a desk manager. */
export function assertMayChange({ principal, permissions }: Caller, view: View): void {
  if (view.createdBy === principal?.id || permissions.has(DeskWrite.name)) return;
  throw new Failure(Forbidden, {
    detail: `Only the creator of a view, or a member with ${DeskWrite.name}, can change it.`,
  });
}
