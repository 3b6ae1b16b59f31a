/**
 * Data that this browser remembers for the current user: names of visited resources, inputs of runs. It is deleted
 * for another user.
 */
const PERSON = "millrace.person";
const THEIRS = /^millrace\.(?:recents|input|menu|welcome)\./;

type Memory = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** Keeps the data of this user; deletes that of another. */
export function rememberFor(userId: string, memory: Memory = localStorage): void {
  const before = memory.getItem(PERSON);
  if (before === userId) return;
  if (before !== null) forgetPerson(memory);
  memory.setItem(PERSON, userId);
}

/** Deletes the user's data. Drafts stay, because their keys contain the user id. */
export function forgetPerson(memory: Memory = localStorage): void {
  const keys = Array.from({ length: memory.length }, (_, index) => memory.key(index) ?? "");
  for (const key of keys) if (THEIRS.test(key)) memory.removeItem(key);
  memory.removeItem(PERSON);
}
