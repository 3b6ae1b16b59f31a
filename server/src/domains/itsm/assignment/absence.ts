/** Absences: assignment rules skip a member who is away. */
import Type, { type Static } from "typebox";
import { permission, EVERY_ROLE } from "#kernel/access/permission.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows, type SqlRow } from "#kernel/db/statement.ts";
import { type ListCondition, listPage, listQuery } from "#kernel/list/list.ts";
import { Failure, failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { countedPage, item, withRevision } from "#kernel/operation/response.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, InputTime, nullable, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist, DeskWrite } from "../tickets/index.ts";

export const AbsencesOwn = permission(
  "absences:own",
  "View absences, and manage your own",
  EVERY_ROLE,
);

const PATH = "/api/v1/itsm/absences";

const fields = {
  userId: id("usr", "The absent member. Default: you. Setting it for others requires `desk:write`"),
  from: InputTime,
  until: InputTime,
  note: text(500),
};

/** An absence without its note. Everyone sees it, also in events; only the member and planners see the note. */
const Absence = Type.Object(
  {
    id: id("abs"),
    userId: fields.userId,
    from: Time,
    until: Time,
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Absence" },
);
const StoredAbsence = Type.Object({ ...Absence.properties, note: fields.note });
const NotedAbsence = Type.Object(
  {
    ...Absence.properties,
    note: nullable(
      Type.String({
        description: "Shown only to the absent member and with `desk:write`; otherwise null",
      }),
    ),
  },
  { title: "AbsenceWithNote" },
);

/** Enough for a thousand members over ten years. */
const ABSENCES_MAX = 100_000;
const TooManyAbsences = failure(
  "too_many_absences",
  409,
  `A workspace can have at most ${ABSENCES_MAX} absences. Delete old ones.`,
);

export const absences = resource({
  name: "absence",
  plural: "absences",
  effect: "ordinary",
  path: PATH,
  table: "absences",
  idPrefix: "abs",
  schema: Absence,
  stored: StoredAbsence,
  columns: { from: "starts_at", until: "ends_at" },
  input: object({
    ...patch(fields).properties,
    from: fields.from,
    until: fields.until,
  }),
  change: patch({ from: fields.from, until: fields.until, note: fields.note }),
  defaults: { note: "" },
  permissions: { read: AbsencesOwn, write: AbsencesOwn },
  environmentScoped: false,
  displayName: ({ userId }) => userId,
  list: {
    order: "-from",
    search: ["user_id"],
    fields: { from: { sql: "starts_at", kind: "time" }, until: { sql: "ends_at", kind: "time" } },
  },
  limit: { max: ABSENCES_MAX, failure: TooManyAbsences },
  operations: { list: false, get: false },
  async check(ctx, input, before) {
    const userId = before?.userId ?? input.userId ?? ctx.caller.principal?.id ?? "";
    assertMaySpeakFor(ctx.caller, userId);
    await assertReferencesExist(ctx, { users: { "/userId": userId } });
    const from = toIso(input.from) ?? before?.from ?? "";
    const until = toIso(input.until) ?? before?.until ?? "";
    if (until <= from) throw invalidField("/until", "must be after from");
    return { ...input, userId, from, until };
  },
  async beforeDelete({ caller }, { userId }) {
    assertMaySpeakFor(caller, userId);
  },
  docs: {
    noun: "an absence",
    nouns: "absences, latest first",
    examples: {
      id: "abs_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: { from: "2026-12-21T00:00:00Z", until: "2027-01-04T00:00:00Z", note: "Holidays" },
      change: { note: "Parental leave" },
    },
  },
});

/** Fields that depend on whether the caller can read the note. */
function withNote({ principal, permissions }: Caller) {
  return (absence: Static<typeof StoredAbsence> & { readonly revision: number }) => {
    const isSeen = absence.userId === principal?.id || permissions.has(DeskWrite.name);
    return { ...absence, note: isSeen ? absence.note : null };
  };
}

const listAbsences = query({
  id: "absences.list",
  route: `GET ${PATH}`,
  summary: "List absences, latest first",
  description:
    "`current` returns only absences that have not ended. `userId` returns the absences of one member.",
  permission: AbsencesOwn,
  environmentScoped: false,
  query: object({
    ...listQuery,
    userId: Type.Optional(id("usr")),
    current: Type.Optional(
      Type.Boolean({ description: "Returns only absences that have not ended" }),
    ),
  }),
  response: countedPage(withRevision(NotedAbsence)),
  run(ctx, { query: { userId, current, ...asked } }) {
    const conditions: ListCondition[] = [];
    if (userId !== undefined) conditions.push((to) => `user_id = ${to.add(userId, "text")}`);
    if (current === true) conditions.push((to) => `ends_at > ${to.add(ctx.now, "timestamptz")}`);
    const note = withNote(ctx.caller);
    const toItem = (row: SqlRow) => note(absences.store.toItem(row));
    return listPage(ctx, absences.list, asked, { conditions, toItem });
  },
});

const getAbsence = query({
  id: "absences.get",
  route: `GET ${PATH}/{id}`,
  summary: "Get an absence",
  permission: AbsencesOwn,
  environmentScoped: false,
  params: object({ id: id("abs") }),
  response: item(NotedAbsence),
  example: { params: { id: "abs_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
  run: async (ctx, { params }) => withNote(ctx.caller)(await absences.store.get(ctx.tx, params.id)),
});

export const absenceReads = [listAbsences, getAbsence];

function toIso(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

function assertMaySpeakFor({ principal, permissions }: Caller, userId: string): void {
  if (userId === principal?.id || permissions.has(DeskWrite.name)) return;
  throw new Failure(Forbidden, {
    detail: `Changing absences of other members requires ${DeskWrite.name}.`,
  });
}

const ABSENT = `
  select distinct user_id from absences where user_id = any($1::text[]) and starts_at <= $2 and ends_at > $2`;

/** Finds absent members at a moment. */
export async function findAbsent(
  tx: Tx,
  userIds: readonly string[],
  at: Date,
): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await queryRows(tx, ABSENT, [userIds, at]);
  return new Set(rows.map(({ user_id }) => String(user_id)));
}
