import { createHmac } from "node:crypto";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import type { Answer, Ask, World } from "#kernel/testing/world.ts";
import { SoftwareAuthenticator, type Tampering } from "./authenticator.ts";

const STEP_MS = 30_000;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** An authenticator app, written from RFC 6238 independently of the tested library. */
export class App {
  readonly secret: Buffer;
  readonly #nowMs: () => number;
  #lastStep = 0;

  constructor(secret: string, nowMs: () => number) {
    let bits = "";
    for (const letter of secret) bits += BASE32.indexOf(letter).toString(2).padStart(5, "0");
    this.secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
    this.#nowMs = nowMs;
  }

  /** An unused code: that of the current step, otherwise of the next. */
  next(): string {
    this.#lastStep = Math.max(this.#lastStep + 1, this.#step());
    return this.#at(this.#lastStep);
  }

  /** The code a number of steps from now. */
  code(steps = 0): string {
    return this.#at(this.#step() + steps);
  }

  #step(): number {
    return Math.floor(this.#nowMs() / STEP_MS);
  }

  #at(step: number): string {
    const message = Buffer.alloc(8);
    message.writeBigUInt64BE(BigInt(step));
    const digest = createHmac("sha1", this.secret).update(message).digest();
    const offset = digest[19]! & 15;
    return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
  }
}

export type Somebody = Awaited<ReturnType<typeof somebody>>;

/** A new member who can log in with the test password. */
export async function somebody(
  world: World,
  roles: readonly string[] = ["viewer"],
  workspace?: { key: string; slug: string },
) {
  const ask = await world.member(roles, workspace);
  await world.sql(
    `update users set password_hash = (select password_hash from users where email = 'admin@example.com')
      where id = $1`,
    [ask.userId],
  );
  const email = `${ask.userId}@example.com`;
  const login = (proof: object = {}): Promise<Answer> =>
    world.stranger("POST /api/v1/auth/token", { email, password: TEST_PASSWORD, ...proof });
  return { ask: ask as Ask, email, userId: ask.userId, token: ask.token, login };
}

/** Registers an authenticator app for a person. */
export async function withApp(
  world: World,
  { ask }: Pick<Somebody, "ask">,
): Promise<{ app: App; recoveryCodes: string[] }> {
  const begun = await ask("POST /api/v1/auth/mfa/totp/enroll");
  const app = new App(begun.body.data.secret, () => world.clock.nowMs());
  const done = await ask("POST /api/v1/auth/mfa/totp/verify", { code: app.next() });
  if (done.status !== 200) throw new Error(JSON.stringify(done.body));
  return { app, recoveryCodes: done.body.data.recoveryCodes };
}

/** Registers a security key for a person. */
export async function withKey(
  { ask }: Pick<Somebody, "ask">,
  name = "Blue key",
): Promise<{ key: SoftwareAuthenticator; id: string; recoveryCodes: string[] | undefined }> {
  const key = new SoftwareAuthenticator();
  const { body: options } = await ask("POST /api/v1/auth/mfa/webauthn/register");
  const credential = key.create(options.data);
  const done = await ask("POST /api/v1/auth/mfa/webauthn/register", { credential, name });
  if (done.status !== 200) throw new Error(JSON.stringify(done.body));
  return { key, ...done.body.data };
}

const PRESENT_AND_VERIFIED = 0x05;

/** The passkey response of a new member to a login without a user name. */
export async function passkeyAnswer(world: World, wrong: Tampering = {}) {
  const { key } = await withKey(await somebody(world));
  const { body } = await world.stranger("POST /api/v1/auth/passkey/options");
  return key.get(body.data, { flags: PRESENT_AND_VERIFIED, ...wrong });
}
