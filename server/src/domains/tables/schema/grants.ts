/**
 * Grants: which records, and which of their fields, a caller may see and change.
 *
 * A grant is what one rule allows. A person with several may see a record when some grant's condition
 * holds for it, and of that record the fields of all grants whose conditions hold. A field that they
 * may not see is as good as not there: it is shown as null, and no filter, order, search or statement
 * can tell otherwise.
 */
import type { Principal } from "#kernel/access/caller.ts";
import { type Condition, compileCondition } from "#kernel/condition/condition.ts";
import { ACTIONS, type Action, type Rule } from "../table.ts";

export interface Grant {
  /** Null when it holds for every record. */
  readonly where: Condition | null;
  /** Null when it is all fields. */
  readonly fields: ReadonlySet<string> | null;
}

/** Undefined when there is no limit; an empty list when there is no access. */
export type Grants = readonly Grant[] | undefined;

/** The roles that no rule binds. */
const UNRESTRICTED_ROLES = new Set(["owner", "admin"]);

/** The grants of a person for an action. `person` is undefined for the platform itself. */
export function resolveGrants(
  rules: readonly Rule[],
  action: Action,
  principal: Principal | undefined,
): Grants {
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
    }));
  // One that allows everything makes the others needless.
  return grants.some(({ where, fields }) => !where && !fields) ? undefined : grants;
}

/** True for a person whom no rule binds. */
export function isUnrestricted({ roles }: Principal): boolean {
  return roles.some((role) => UNRESTRICTED_ROLES.has(role));
}

/** A record with only the fields that these grants show, the others null; undefined when they hide it. */
export function visibleFields(
  grants: Grants,
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  if (!grants) return record;
  const matching = grants.filter(({ where }) => !where || matchesCondition(where, record));
  if (matching.length === 0) return undefined;
  if (matching.some(({ fields }) => !fields)) return record;
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [
      field,
      ALWAYS_VISIBLE.has(field) || matching.some(({ fields }) => fields?.has(field)) ? value : null,
    ]),
  );
}

/** Checks whether a record may be created as it is, changed or deleted, and each of these fields written. */
export function checkAccess(
  grants: Grants,
  record: Readonly<Record<string, unknown>>,
  fields: readonly string[] = [],
): { readonly isAllowed: boolean; readonly deniedFields: readonly string[] } {
  if (!grants) return { isAllowed: true, deniedFields: [] };
  const matching = grants.filter(({ where }) => !where || matchesCondition(where, record));
  return {
    isAllowed: matching.length > 0,
    deniedFields: fields.filter(
      (field) => !matching.some((grant) => !grant.fields || grant.fields.has(field)),
    ),
  };
}

/** The actions that a person may take on some record of the table. */
export function allowedActions(rules: readonly Rule[], principal: Principal | undefined): Action[] {
  return ACTIONS.filter((action) => resolveGrants(rules, action, principal)?.length !== 0);
}

/** A record with all its fields hidden but those that identify it. */
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

const compiledConditions = new WeakMap<Condition, (subject: unknown) => boolean>();

function matchesCondition(where: Condition, record: unknown): boolean {
  let test = compiledConditions.get(where);
  if (!test) compiledConditions.set(where, (test = compileCondition(where)));
  return test(record);
}

/** Puts the person's own values in the place of `$user.id` and `$user.roles`. */
function forPrincipal(where: Condition, principal: Principal): Condition {
  return substituteUser(where, principal) as Condition;
}

function substituteUser(value: unknown, principal: Principal): unknown {
  if (value === "$user.id" || value === "$user") return principal.id;
  // Nobody has the role without a name, and a list in a condition is never empty.
  if (value === "$user.roles") return principal.roles.length === 0 ? [""] : [...principal.roles];
  if (Array.isArray(value)) return value.map((member) => substituteUser(member, principal));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, substituteUser(member, principal)]),
  );
}
