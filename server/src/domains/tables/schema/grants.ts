/**
 * Grants: the records and fields that a caller may see and change.
 *
 * A grant is what one rule allows. A caller with several grants may see a record if the condition of at least one
 * holds, and of that record the fields of all grants whose conditions hold. A hidden field behaves like a missing
 * one: it is null, and no filter, sort, search or statement reveals a difference.
 */
import type { Principal } from "#kernel/access/caller.ts";
import { type Condition, compileCondition, valueAt } from "#kernel/condition/condition.ts";
import { ACTIONS, type Action, type Table } from "../table.ts";
import { type References, rulePaths } from "./rule-path.ts";

export interface Grant {
  /** Null when it holds for every record. */
  readonly where: Condition | null;
  /** Null when it is all fields. */
  readonly fields: ReadonlySet<string> | null;
  /** The paths through references that `where` names. */
  readonly paths: readonly string[];
  /** The referenced values of records that are evaluated in memory. */
  readonly references?: References;
}

/** Undefined if unrestricted; an empty list if there is no access. */
export type Grants = readonly Grant[] | undefined;

/** The roles that no rule binds. */
const UNRESTRICTED_ROLES = new Set(["owner", "admin"]);

/** Returns the grants for an action. Without a `person`, the platform itself is the caller. */
export function resolveGrants(
  table: Pick<Table, "rules" | "columns">,
  action: Action,
  principal: Principal | undefined,
): Grants {
  const { rules } = table;
  if (rules.length === 0 || !principal || isUnrestricted(principal)) return undefined;
  const grants = rules
    .filter(
      ({ actions, roles }) =>
        actions.includes(action) &&
        roles.some((role) => role === "*" || principal.roles.includes(role)),
    )
    .map(({ where, fields }) => ({
      where:
        where === undefined || Object.keys(where).length === 0
          ? null
          : forPrincipal(where, principal),
      fields: fields ? new Set(fields) : null,
      paths: where === undefined ? [] : rulePaths(table, where),
    }));
  // An unrestricted grant makes the others redundant.
  return grants.some(({ where, fields }) => !where && !fields) ? undefined : grants;
}

/** Returns whether access rules do not apply to a person. */
export function isUnrestricted({ roles }: Principal): boolean {
  return roles.some((role) => UNRESTRICTED_ROLES.has(role));
}

/** Returns a record with hidden fields set to null; undefined if the entire record is hidden. */
export function visibleFields(
  grants: Grants,
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  if (!grants) return record;
  const matching = grants.filter((grant) => holdsFor(grant, record));
  if (matching.length === 0) return undefined;
  if (matching.some(({ fields }) => !fields)) return record;
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [
      field,
      ALWAYS_VISIBLE.has(field) || matching.some(({ fields }) => fields?.has(field)) ? value : null,
    ]),
  );
}

/** Checks whether a record may be created, changed or deleted, and each of these fields written. */
export function checkAccess(
  grants: Grants,
  record: Readonly<Record<string, unknown>>,
  fields: readonly string[] = [],
): { readonly isAllowed: boolean; readonly deniedFields: readonly string[] } {
  if (!grants) return { isAllowed: true, deniedFields: [] };
  const matching = grants.filter((grant) => holdsFor(grant, record));
  return {
    isAllowed: matching.length > 0,
    deniedFields: fields.filter(
      (field) => !matching.some((grant) => !grant.fields || grant.fields.has(field)),
    ),
  };
}

/** Returns the actions allowed on at least some records. */
export function allowedActions(
  table: Pick<Table, "rules" | "columns">,
  principal: Principal | undefined,
): Action[] {
  return ACTIONS.filter((action) => resolveGrants(table, action, principal)?.length !== 0);
}

/** Returns a record with all fields null, except those that identify it. */
export function hideFields(
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [
      field,
      ALWAYS_VISIBLE.has(field) ? value : null,
    ]),
  );
}

/** The fields that identify a record. */
export const ALWAYS_VISIBLE: ReadonlySet<string> = new Set([
  "id",
  "tableSlug",
  "tableId",
  "tableRevision",
]);

/** The grants for records whose references were read. */
export function withReferences(grants: Grants, references: References): Grants {
  return grants?.map((grant) => (grant.paths.length === 0 ? grant : { ...grant, references }));
}

type RecordLike = Readonly<Record<string, unknown>>;

/**
 * Returns whether a grant covers a record. If its path leads to a deleted record, as in old events, the grant
 * cannot be evaluated and does not cover it.
 */
function holdsFor({ where, paths, references }: Grant, record: RecordLike): boolean {
  if (!where) return true;
  const values = new Map<string, unknown>();
  for (const path of paths) {
    const column = path.slice(0, path.indexOf("."));
    const id = record[column] ?? null;
    if (id === null) continue;
    const found = references?.get(column)?.get(id);
    // To take it for nothing would let a negation hold.
    if (found === undefined) throw new Error(`What ${path} leads to was not read.`);
    if (found === null) return false;
    values.set(path, found.get(path) ?? null);
  }
  return matchesCondition(where, { record, values, paths });
}

interface JudgedRecord {
  readonly record: RecordLike;
  readonly values: ReadonlyMap<string, unknown>;
  readonly paths: readonly string[];
}

const compiledConditions = new WeakMap<Condition, (subject: unknown) => boolean>();

function matchesCondition(where: Condition, subject: JudgedRecord): boolean {
  let test = compiledConditions.get(where);
  if (!test) compiledConditions.set(where, (test = compileCondition(where, readField)));
  return test(subject);
}

function readField(subject: unknown, path: readonly string[]): unknown {
  const { record, values, paths } = subject as JudgedRecord;
  if (paths.length === 0 || path.length === 1) return valueAt(record, path);
  const name = path.join(".");
  return paths.includes(name) ? (values.get(name) ?? null) : valueAt(record, path);
}

/** Replaces `$user.id` and `$user.roles` with real values. */
function forPrincipal(where: Condition, principal: Principal): Condition {
  return substituteUser(where, principal) as Condition;
}

function substituteUser(value: unknown, principal: Principal): unknown {
  if (value === "$user.id" || value === "$user") return principal.id;
  // No role has an empty name, and a list in a condition must not be empty.
  if (value === "$user.roles") return principal.roles.length === 0 ? [""] : [...principal.roles];
  if (Array.isArray(value)) return value.map((member) => substituteUser(member, principal));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, substituteUser(member, principal)]),
  );
}
