import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import { FIELD_ERRORS_MAX, type OpenTable } from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { recordStatements } from "../record-statements.ts";
import type { RecordWrite, TableRecord } from "../record.ts";
import { invalidRecord } from "./constraint-error.ts";

/**
 * Throws unless the users in changed fields are active members. Uses a single query, or none if only the caller
 * is referenced.
 */
export async function assertMembers(
  { tx, caller }: ReadContext,
  table: OpenTable,
  writes: readonly (RecordWrite & { readonly before?: TableRecord })[],
): Promise<void> {
  const { users } = recordStatements(table.schema);
  if (users.length === 0) return;
  const named = writes.flatMap(({ record, before, path }) =>
    users.flatMap(({ name }) => {
      const userId = record[name];
      if (typeof userId !== "string" || userId === before?.[name]) return [];
      return userId === caller.principal?.id ? [] : [{ userId, path: `${path}/${name}` }];
    }),
  );
  if (named.length === 0) return;
  const ids = [...new Set(named.map(({ userId }) => userId))];
  const members = new Set((await findMembersByIds(tx, ids)).map(({ id }) => id));
  const strangers = named.filter(({ userId }) => !members.has(userId));
  const errors: FieldError[] = [...new Set(strangers.map(({ path }) => path))]
    .slice(0, FIELD_ERRORS_MAX)
    .map((path) => ({ path, message: "is not the id of an active member" }));
  if (errors.length > 0) throw invalidRecord(table, errors);
}
