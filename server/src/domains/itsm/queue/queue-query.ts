/** The tickets selected by a query, a saved view or a built-in view. */
import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { type ListCondition, listQuery } from "#kernel/list/list.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { findPeopleByWords, personId } from "../contacts/index.ts";
import {
  findByWords,
  findTeamIds,
  readTicketNumber,
  TICKET_KINDS,
  type TicketKind,
} from "../tickets/index.ts";
import { Expand } from "./expand.ts";
import { filterCondition, OPEN_ORDER, readableKinds, ticketList, ofKinds } from "./list.ts";
import { getVisibleView, type View } from "./view.ts";

export const BUILT_IN_VIEWS = ["mine", "unassigned", "watched", "open", "breached"] as const;
export type BuiltInView = (typeof BUILT_IN_VIEWS)[number];

const KIND = `(${TICKET_KINDS.join("|")})`;
const TAG = "[^,]{1,50}";
const WORDS_MAX = 8;
const FOUND_MAX = 200;

/** The query parameters that select tickets. */
export const selection = {
  kinds: Type.Optional(
    Type.String({
      pattern: `^${KIND}(,${KIND}){0,3}$`,
      description: "Ticket kinds: `incident,request`. Default: all kinds that you can view",
    }),
  ),
  view: Type.Optional(
    Type.String({
      pattern: `^(${BUILT_IN_VIEWS.join("|")}|${idPattern("vew").replace(/^\^|\$$/g, "")})$`,
      description:
        "A view: `mine` (open tickets assigned to you), `unassigned` (open tickets without an assignee, of all teams), `watched` (open tickets that you watch), `open`, `breached`, or the id of a saved view. Other parameters narrow the view",
    }),
  ),
  open: Type.Optional(
    Type.Boolean({
      description: "`true`: only open tickets. `false`: only other tickets",
    }),
  ),
  assigneeId: Type.Optional(
    Type.String({
      pattern: `^(me|none|${idPattern("usr").replace(/^\^|\$$/g, "")})$`,
      description: "`me`, `none`, or the id of a member",
    }),
  ),
  teamId: Type.Optional(id("tem")),
  callerId: Type.Optional(personId()),
  tags: Type.Optional(
    Type.String({
      pattern: `^${TAG}(,${TAG}){0,9}$`,
      description: "Returns only tickets with all of these tags: `vip,network`",
    }),
  ),
};

export const QueueQuery = object({ ...listQuery, ...selection, expand: Expand });
export type QueueQuery = Static<typeof QueueQuery>;
export type Selection = Pick<QueueQuery, keyof typeof selection>;

/** Conditions and sort order of the tickets to read. */
export interface QueueSource {
  readonly kinds: readonly TicketKind[];
  readonly conditions: readonly ListCondition[];
  readonly sort: string;
  /** True if conditions other than kinds apply. */
  readonly isNarrowed: boolean;
}

/** Resolves a selection to its conditions and order for this caller. */
export async function resolveSelection(
  ctx: ReadContext,
  { kinds, view, open, assigneeId, teamId, callerId, tags }: Selection,
): Promise<QueueSource> {
  const saved = view?.startsWith("vew_") ? await getVisibleView(ctx, view) : undefined;
  const builtIn = BUILT_IN_VIEWS.find((name) => name === view);
  const isOpen = open ?? (saved?.onlyOpen === true || builtIn !== undefined ? true : undefined);
  const readable = readableKinds(ctx, kinds?.split(",")).filter(
    ({ kind }) => !saved || saved.kinds.length === 0 || saved.kinds.includes(kind),
  );
  const me = ctx.caller.principal?.id ?? "";
  const narrowing = [
    ...(isOpen === undefined ? [] : [() => (isOpen ? "is_open" : "not is_open")]),
    ...(builtIn ? builtInConditions(ctx, builtIn) : []),
    ...(saved ? savedConditions(saved) : []),
    ...(assigneeId === "none" ? [() => "assignee_id is null"] : []),
    ...(assigneeId === undefined || assigneeId === "none"
      ? []
      : [equalTo("assignee_id", assigneeId === "me" ? me : assigneeId)]),
    ...(teamId === undefined ? [] : [equalTo("team_id", teamId)]),
    ...(callerId === undefined ? [] : [equalTo("caller_id", callerId)]),
    ...(tags === undefined ? [] : [taggedWith(tags.split(","))]),
  ];
  const sort = saved?.sort ?? (isOpen === true ? OPEN_ORDER : ticketList.order);
  const conditions = [ofKinds(readable), ...narrowing];
  return { kinds: readable, conditions, sort, isNarrowed: narrowing.length > 0 };
}

/** Returns the conditions of a saved view without the kinds and the open condition. */
export function savedConditions({ filter }: View): readonly ListCondition[] {
  return Object.keys(filter).length === 0 ? [] : [filterCondition(filter)];
}

/** The conditions of a built-in view, without the open condition. */
export function builtInConditions(
  { caller, now }: Pick<ReadContext, "caller" | "now">,
  view: BuiltInView,
): readonly ListCondition[] {
  const me = caller.principal?.id ?? "";
  switch (view) {
    case "open":
      return [];
    case "mine":
      return [equalTo("assignee_id", me)];
    case "breached":
      return [(parameters) => `due_at <= ${parameters.add(now, "timestamptz")}`];
    case "watched":
      return [watchedBy(me)];
    case "unassigned":
      return [() => "assignee_id is null"];
  }
}

/** The tickets of the caller's teams and tickets without a team. */
export async function ofOwnTeams({ tx, caller }: ReadContext): Promise<ListCondition> {
  const teamIds = await findTeamIds(tx, caller.principal?.id ?? "");
  return (parameters) =>
    `(team_id is null or team_id = any (${parameters.add(teamIds, "text[]")}))`;
}

function watchedBy(userId: string): ListCondition {
  return (parameters) =>
    `id in (select w.ticket_id from ticket_watchers w where w.user_id = ${parameters.add(userId, "text")})`;
}

export function equalTo(column: string, value: string): ListCondition {
  return (parameters) => `${column} = ${parameters.add(value, "text")}`;
}

function taggedWith(tags: readonly string[]): ListCondition {
  return (parameters) => `tags @> ${parameters.add(tags, "text[]")}`;
}

/** Matches tickets by words, comments, number and caller name. */
export async function foundCondition(
  ctx: ReadContext,
  kinds: readonly TicketKind[],
  q: string,
): Promise<ListCondition> {
  const text = q.trim();
  const words = text.toLowerCase().split(/\s+/).slice(0, WORDS_MAX);
  const [people, ...found] = await Promise.all([
    findPeopleByWords(ctx.tx, words),
    ...kinds.map((kind) => findByWords(ctx, kind, { words, limit: FOUND_MAX })),
  ]);
  const ids = found.flat();
  const numbers = kinds.flatMap(({ kind }) => readTicketNumber(kind, text) ?? []);
  return (parameters) =>
    `(id = any (${parameters.add(ids, "text[]")})
      or number = any (${parameters.add(numbers, "text[]")})
      or caller_id = any (${parameters.add(people, "text[]")}))`;
}
