/** What the server declares of each operation: where it is, what it needs, what it causes. */
import { LINES, type Operations, type Permission } from "./operations.ts";

export type OperationId = keyof Operations;

const partsOf = (id: OperationId): readonly (string | undefined)[] => LINES[id].split(" ");

/** `POST /api/v1/itsm/incidents/{id}/resolve`. */
export function routeOf(id: OperationId): string {
  const [method = "", path = ""] = partsOf(id);
  return `${method} ${path}`;
}

/** Tells the id of an operation from other words, such as the name of a permission. */
export const isOperationId = (word: string): word is OperationId => word in LINES;

/** Every operation with its route. */
export const listRoutes = (): readonly (readonly [OperationId, string])[] =>
  (Object.keys(LINES) as OperationId[]).map((id) => [id, routeOf(id)]);

/** The permission that an operation needs; undefined where it needs none. */
export function permissionOf(id: OperationId): Permission | undefined {
  const [permission] = acceptedBy(id);
  return permission;
}

/** The permission that an operation needs, and those that imply it. */
function acceptedBy(id: OperationId): readonly Permission[] {
  const [names = "-"] = partsOf(id)[2]?.split("+") ?? [];
  return names === "-" ? [] : (names.split("|") as Permission[]);
}

const isMarked = (id: OperationId, mark: string): boolean =>
  partsOf(id)[2]?.split("+").includes(mark) === true;

/** Says whether only an owner can perform an operation, whatever their permissions. */
export const isForOwners = (id: OperationId): boolean => isMarked(id, "owner");

/** Says whether an operation belongs to the account: any of its workspaces may grant the permission. */
export const isOfAccount = (id: OperationId): boolean => isMarked(id, "account");

/** Says whether these permissions are enough for an operation. */
export function isAllowed(id: OperationId, held: ReadonlySet<string>): boolean {
  const accepted = acceptedBy(id);
  return accepted.length === 0 || isOfAccount(id) || accepted.some((name) => held.has(name));
}

/** The kinds of events that an operation may append, such as `incident` or `audit.role`. */
export function eventKindsOf(id: OperationId): readonly string[] {
  const [, , , kinds] = partsOf(id);
  return kinds?.split(",") ?? [];
}
