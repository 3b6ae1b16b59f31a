import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { FIELD_ERRORS_MAX } from "#domains/tables/table.ts";
import { recordStatements } from "../record-statements.ts";
import type { TableRecord } from "../table-record.ts";
import type { WriteContextOfRecord } from "../record-access.ts";
import { invalidRecord } from "./constraint-error.ts";

/**
 * Throws unless everyone whom new or changed fields name is an active member of the workspace. One
 * look for all of them, and none for the caller: nobody acts who is no member.
 */
export async function assertMembers(
  { tx, caller }: ReadContext,
  table: TableSchema,
  writings: readonly (WriteContextOfRecord & { readonly before?: TableRecord })[],
): Promise<void> {
  const { people } = recordStatements(table);
  if (people.length === 0) return;
  const named = writings.flatMap(({ record, before, path }) =>
    people.flatMap(({ name }) => {
      const userId = record[name];
      if (typeof userId !== "string" || userId === before?.[name]) return [];
      return userId === caller.principal?.id ? [] : [{ userId, path: `${path}/${name}` }];
    }),
  );
  if (named.length === 0) return;
  const ids = [...new Set(named.map(({ userId }) => userId))];
  const members = new Set((await findMembersByIds(tx, ids)).map(({ id }) => id));
  const strangers = named.filter(({ userId }) => !members.has(userId));
  const faults: FieldError[] = [...new Set(strangers.map(({ path }) => path))]
    .slice(0, FIELD_ERRORS_MAX)
    .map((path) => ({ path, message: "is not the id of an active member" }));
  if (faults.length > 0) throw invalidRecord(faults);
}
