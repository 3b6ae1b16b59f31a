import { assertOperator, assertOwnerInPerson, type Caller } from "../../access/caller.ts";
import { holdsPermission, type Permission } from "../../access/permission.ts";
import type { Operation } from "../../contract.ts";
import { Failure, permissionFailure } from "../failure.ts";
import type { CallLayer } from "./call-layer.ts";

/** Rejects a caller without the operation's permission. */
export const authorisation: CallLayer = (next) => (platform, op, call) => {
  authorise(op, call.caller);
  return next(platform, op, call);
};

/** Throws unless the caller holds the operation's permission and meets its restrictions. */
export function authorise(op: Operation, caller: Caller): void {
  if (op.operatorsOnly) assertOperator(caller);
  if (op.permission === undefined) return;
  const { name } = op.permission;
  if (op.access === "account") return authoriseAccount(name, caller);
  const isOwnToken = op.allowOwnToken === true && caller.credential?.kind === "api_token";
  const permission = op.kind === "command" ? withoutReaders(op.permission) : op.permission;
  if (!isOwnToken && !holdsPermission(caller.permissions, permission)) {
    throw permissionFailure(name);
  }
  if (op.ownersInPerson) assertOwnerInPerson(caller);
}

/** A permission for commands: wider permissions that only allow reading are excluded. */
function withoutReaders(permission: Permission): Permission {
  const { impliedBy } = permission;
  if (!impliedBy) return permission;
  return { ...permission, impliedBy: impliedBy.filter((name) => !name.endsWith(":read")) };
}

/** For account operations, the permission must be held in at least one workspace that is not blocked. */
function authoriseAccount(name: string, { credential }: Caller): void {
  const memberships = [...(credential?.memberships.values() ?? [])];
  const holding = memberships.filter(({ permissions }) => permissions.has(name));
  const [first] = holding;
  if (!first) throw permissionFailure(name);
  if (first.blockedBy && holding.every(({ blockedBy }) => blockedBy)) {
    throw new Failure(first.blockedBy);
  }
}
