/** Absences: from when until when somebody is away, and gets nothing by any rule. */
import Type from "typebox";
import { permission, EVERY_ROLE } from "#kernel/access/permission.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, InputTime, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist, DeskWrite } from "../tickets/index.ts";

export const AbsencesOwn = permission(
  "absences:own",
  "See who is away, and say when one is",
  EVERY_ROLE,
);

const fields = {
  userId: id("usr", "Who is away; the caller unless given, and others by `desk:write`"),
  from: InputTime,
  until: InputTime,
  note: text(500),
};

const Absence = Type.Object(
  {
    id: id("abs"),
    ...fields,
    from: Time,
    until: Time,
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Absence" },
);

export const absences = resource({
  name: "absence",
  plural: "absences",
  path: "/api/v1/itsm/absences",
  table: "absences",
  idPrefix: "abs",
  schema: Absence,
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
    search: ["note"],
    fields: { from: { sql: "starts_at", kind: "time" }, until: { sql: "ends_at", kind: "time" } },
  },
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
    nouns: "the absences, the latest first",
    examples: {
      id: "abs_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: { from: "2026-12-21T00:00:00Z", until: "2027-01-04T00:00:00Z", note: "Holidays" },
      change: { note: "Parental leave" },
    },
  },
});

function toIso(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

function assertMaySpeakFor({ principal, permissions }: Caller, userId: string): void {
  if (userId === principal?.id || permissions.has(DeskWrite.name)) return;
  throw new Failure(Forbidden, { detail: `To do that for others needs ${DeskWrite.name}.` });
}

const ABSENT = `
  select distinct user_id from absences where user_id = any($1::text[]) and starts_at <= $2 and ends_at > $2`;

/** Those of some people who are away at a moment. */
export async function findAbsent(
  tx: Tx,
  userIds: readonly string[],
  at: Date,
): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await queryRows(tx, ABSENT, [userIds, at]);
  return new Set(rows.map(({ user_id }) => String(user_id)));
}
