/**
 * What this browser remembers of whoever works with it: names of things they looked at, inputs of runs. It is nobody
 * else's.
 */
const PERSON = "millrace.person";
const THEIRS = /^millrace\.(?:recents|input|menu|welcome)\./;

type Memory = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** Goes on for this person; what is there of somebody else is forgotten. */
export function rememberFor(userId: string, memory: Memory = localStorage): void {
  const before = memory.getItem(PERSON);
  if (before === userId) return;
  if (before !== null) forgetPerson(memory);
  memory.setItem(PERSON, userId);
}

/** Forgets what belongs to a person. Drafts stay: each is found by its own person alone. */
export function forgetPerson(memory: Memory = localStorage): void {
  const keys = Array.from({ length: memory.length }, (_, index) => memory.key(index) ?? "");
  for (const key of keys) if (THEIRS.test(key)) memory.removeItem(key);
  memory.removeItem(PERSON);
}
