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

/** Throws unless the caller holds the operation's permission, and is who it is reserved for. */
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

/** A permission as commands ask for it: a wider one that only reads is not wide enough to write. */
function withoutReaders(permission: Permission): Permission {
  const { impliedBy } = permission;
  if (!impliedBy) return permission;
  return { ...permission, impliedBy: impliedBy.filter((name) => !name.endsWith(":read")) };
}

/** The permission of an account's operation is held in any workspace that is not blocked. */
function authoriseAccount(name: string, { credential }: Caller): void {
  const memberships = [...(credential?.memberships.values() ?? [])];
  const holding = memberships.filter(({ permissions }) => permissions.has(name));
  const [first] = holding;
  if (!first) throw permissionFailure(name);
  if (first.blockedBy && holding.every(({ blockedBy }) => blockedBy)) {
    throw new Failure(first.blockedBy);
  }
}
