import { hash, verify } from "@node-rs/argon2";
import { failure } from "#kernel/operation/failure.ts";

/** The library uses its own threads, so a login does not block the event loop. */
let cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verified if the account does not exist, so that the response takes the same time. */
let decoy: Promise<string> | undefined;

/** For callers that know the account; a login must not reveal this. */
export const WrongPassword = failure("wrong_password", 403, "The password is wrong.");

export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

/** For tests with thousands of logins: makes new hashes very cheap. */
export function cheapenPasswords(): void {
  cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
}

export async function checkPassword(
  password: string,
  stored: string | undefined,
): Promise<boolean> {
  decoy ??= hashPassword("nobody has this password");
  const right = await verify(stored ?? (await decoy), password);
  return stored !== undefined && right;
}
