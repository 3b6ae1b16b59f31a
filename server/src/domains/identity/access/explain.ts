import { findMemberNames } from "#domains/identity/accounts/index.ts";
import { listRoles } from "#domains/identity/roles/index.ts";
import { findScopes } from "#domains/identity/tokens/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { expandPermissions, holdsPermission, type Permission } from "#kernel/access/permission.ts";
import type { Operation, Platform, ReadContext } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import {
  buildCaller,
  decide,
  findReader,
  findSubject,
  paramNames,
  readThing,
  type Subject,
  type ThingOutcome,
} from "./decision.ts";

export interface Question {
  readonly userId: string;
  readonly operation: string;
  readonly environment?: EnvironmentName | undefined;
  readonly thing?: string | undefined;
  readonly tokenId?: string | undefined;
}

interface Reason {
  readonly check:
    | "audience"
    | "membership"
    | "second_factor"
    | "permission"
    | "token_scope"
    | "owner_in_person"
    | "environment"
    | "thing";
  readonly passed: boolean | null;
  readonly text: string;
}

interface Prepared {
  readonly op: Operation;
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  readonly environment: EnvironmentName;
  readonly subject: Subject | undefined;
  /** The failure that the call itself would meet. */
  readonly failure: Failure | undefined;
  readonly thing: Reason | undefined;
}

/** Asks the functions that guard every call, for the given person. */
export async function prepareExplanation(
  platform: Platform,
  question: Question,
  asker: Caller,
): Promise<Prepared> {
  const op = platform.operations.get(question.operation);
  if (!op) throw invalidField("?operation", "is not an operation");
  const environment = question.environment ?? "production";
  const { person, token } = await findPerson(platform, question, asker);
  const { workspace } = partitionOfCaller(asker);
  const subject = await findSubject(platform, workspace, person, token);
  if (!subject) {
    return { op, person, environment, subject, failure: new Failure(NotFound), thing: undefined };
  }
  const caller = buildCaller(subject, asker, environment);
  const refusal = decide(op, caller, subject.membership);
  if (refusal || question.thing === undefined) {
    return { op, person, environment, subject, failure: refusal, thing: undefined };
  }
  const values = question.thing.split("/");
  if (values.length !== paramNames(op).length && paramNames(op).length > 0) {
    throw invalidField("?thing", `must have ${paramNames(op).join("/")}`);
  }
  const { failure, reason } = await tryThing(platform, op, { asker, caller, values });
  return { op, person, environment, subject, failure, thing: reason };
}

async function findPerson(platform: Platform, { userId, tokenId }: Question, asker: Caller) {
  return platform.db.read(partitionOfCaller(asker), async (tx) => {
    const [person] = await findMemberNames(tx, [userId]);
    if (!person) throw new Failure(NotFound);
    if (tokenId === undefined) return { person, token: undefined };
    const token = await findScopes(tx, tokenId);
    if (token?.userId !== userId) throw new Failure(NotFound);
    return { person, token: { id: tokenId, name: token.name, scopes: token.scopes } };
  });
}

/**
 * Reads the resource as the person would, if the caller may read it too: otherwise the result would reveal that it
 * exists.
 */
async function tryThing(
  platform: Platform,
  op: Operation,
  by: { readonly asker: Caller; readonly caller: Caller; readonly values: readonly string[] },
): Promise<{ readonly failure: Failure | undefined; readonly reason: Reason }> {
  const reader = findReader(platform, op);
  const unknown = (text: string) => ({
    failure: undefined,
    reason: { check: "thing", passed: null, text } as const,
  });
  if (!reader)
    return unknown("The resource can't be read by its name. Only the call can show the result.");
  const values = by.values.slice(0, paramNames(reader).length);
  const { environment } = by.caller;
  const own = await readThing(platform, reader, { ...by.asker, environment }, values);
  if (own.seen === undefined) return unknown("The resource can't be read by its name.");
  if (!own.seen) return unknown(`You can't view it: ${own.failure.message}`);
  return describeOutcome(reader, await readThing(platform, reader, by.caller, values));
}

function describeOutcome(reader: Operation, outcome: ThingOutcome) {
  const text =
    outcome.seen === true
      ? `${reader.id} shows it to the user.`
      : outcome.seen === false
        ? `${reader.id} hides it from the user: ${outcome.failure.message}`
        : "The resource can't be read by its name.";
  return {
    failure: outcome.seen === false ? outcome.failure : undefined,
    reason: { check: "thing", passed: outcome.seen ?? null, text } as const,
  };
}

/** Describes the decision: the roles with the permission, and the reason for a denial. */
export async function explain(
  { tx, services }: Pick<ReadContext, "tx" | "services">,
  _question: Question,
  { op, person, environment, subject, failure, thing }: Prepared,
) {
  const all = await listRoles(tx, services, { builtIn: 0, name: "" }, ROLES_MAX);
  const held = new Set(subject?.membership.roles);
  const holders = all.flatMap((role) => {
    const pattern = op.permission && grantingEntry(role.permissions, op.permission, services);
    return pattern === undefined ? [] : [{ id: role.id, name: role.name, pattern }];
  });
  const grantedBy = holders.filter((role) => held.has(role.id));
  return {
    allowed: failure === undefined,
    operation: {
      id: op.id,
      summary: op.summary,
      kind: op.kind,
      access: op.access,
      permission: op.permission?.name ?? null,
      params: paramNames(op),
    },
    person: {
      ...person,
      roles: all.filter(({ id }) => held.has(id)).map(({ id, name }) => ({ id, name })),
    },
    environment,
    reasons: [...listReasons(op, subject, grantedBy, environment), ...(thing ? [thing] : [])],
    grantedBy,
    wouldGrant: holders.filter(({ id }) => !held.has(id)).map(({ id, name }) => ({ id, name })),
    failure: failure
      ? { status: failure.type.status, code: failure.type.code, detail: failure.message }
      : null,
  };
}

const ROLES_MAX = 1_000;

/** The entry of a role that grants a permission, directly or by implication. */
function grantingEntry(
  entries: readonly string[],
  permission: Permission,
  { permissions }: ReadContext["services"],
): string | undefined {
  return entries.find((entry) =>
    holdsPermission(expandPermissions([entry], permissions), permission),
  );
}

function listReasons(
  op: Operation,
  subject: Subject | undefined,
  grantedBy: readonly { readonly name: string; readonly pattern: string }[],
  environment: EnvironmentName,
): Reason[] {
  if (op.access === "public" || op.access === "visitor") {
    return [{ check: "audience", passed: true, text: "Everyone can call it, without signing in." }];
  }
  if (!subject) {
    const text = "The user is not an active member of this workspace.";
    return [{ check: "membership", passed: false, text }];
  }
  const { membership, token } = subject;
  const reasons: Reason[] = [
    { check: "membership", passed: true, text: "The user is an active member of this workspace." },
  ];
  if (membership.blockedBy && !op.allowBeforeEnrolment) {
    reasons.push({ check: "second_factor", passed: false, text: membership.blockedBy.title });
  }
  if (!op.permission) {
    reasons.push({
      check: "permission",
      passed: true,
      text: "It requires no permission: it affects only the user's own account.",
    });
  } else
    reasons.push(...permissionReasons(op.permission, membership.permissions, grantedBy, token));
  if (op.ownersInPerson) {
    const isOwner = membership.roles.includes("owner") && !token;
    const text = "Only an owner can call it, in a user session and not with a token.";
    reasons.push({ check: "owner_in_person", passed: isOwner, text });
  }
  if (op.environmentScoped === false && environment !== "production") {
    const text = "It applies to all environments.";
    reasons.push({ check: "environment", passed: true, text });
  }
  return reasons;
}

function permissionReasons(
  permission: Permission,
  permissions: ReadonlySet<string>,
  grantedBy: readonly { readonly name: string; readonly pattern: string }[],
  token: Subject["token"],
): Reason[] {
  const holds = grantedBy.length > 0;
  const names = grantedBy.map(({ name, pattern }) =>
    pattern === permission.name ? name : `${name} (by ${pattern})`,
  );
  const reasons: Reason[] = [
    {
      check: "permission",
      passed: holds,
      text: holds
        ? `It needs ${permission.name}, which they have by ${names.join(", ")}.`
        : `It requires ${permission.name}, which none of the roles has.`,
    },
  ];
  if (token && holds) {
    const within = holdsPermission(permissions, permission);
    const text = within
      ? `The token ${token.name} has the scope ${permission.name}.`
      : `The token ${token.name} lacks the scope ${permission.name}.`;
    reasons.push({ check: "token_scope", passed: within, text });
  }
  return reasons;
}
