/** The server's declarations of each operation: route, permission, events. */
import { toLines } from "./lines.ts";
import { GROUPS, type Operations, type Permission } from "./operations.ts";

export type OperationId = keyof Operations;

/** Method, path, permission (`-` for none) and the kinds of events of each operation. */
export const LINES: Readonly<Record<OperationId, string>> = toLines(GROUPS);

const partsOf = (id: OperationId): readonly (string | undefined)[] => LINES[id].split(" ");

/** `POST /api/v1/itsm/incidents/{id}/resolve`. */
export function routeOf(id: OperationId): string {
  const [method = "", path = ""] = partsOf(id);
  return `${method} ${path}`;
}

/** True for the id of an operation, false for other words such as permission names. */
export const isOperationId = (word: string): word is OperationId => word in LINES;

/** Every operation with its route. */
export const listRoutes = (): readonly (readonly [OperationId, string])[] =>
  (Object.keys(LINES) as OperationId[]).map((id) => [id, routeOf(id)]);

/** The required permission of an operation. Undefined if it requires none. */
export function permissionOf(id: OperationId): Permission | undefined {
  const [permission] = acceptedBy(id);
  return permission;
}

/** The required permission of an operation, and permissions that imply it. */
function acceptedBy(id: OperationId): readonly Permission[] {
  const [names = "-"] = partsOf(id)[2]?.split("+") ?? [];
  return names === "-" ? [] : (names.split("|") as Permission[]);
}

const isMarked = (id: OperationId, mark: string): boolean =>
  partsOf(id)[2]?.split("+").includes(mark) === true;

/** True if only an owner can perform the operation, regardless of permissions. */
export const isForOwners = (id: OperationId): boolean => isMarked(id, "owner");

/** True if the operation belongs to the account: any of its workspaces can grant the permission. */
export const isOfAccount = (id: OperationId): boolean => isMarked(id, "account");

/** True if these permissions are sufficient for an operation. */
export function isAllowed(id: OperationId, held: ReadonlySet<string>): boolean {
  const accepted = acceptedBy(id);
  return accepted.length === 0 || isOfAccount(id) || accepted.some((name) => held.has(name));
}

/** The kinds of events that an operation may append, such as `incident` or `audit.role`. */
export function eventKindsOf(id: OperationId): readonly string[] {
  const [, , , kinds] = partsOf(id);
  return kinds?.split(",") ?? [];
}
