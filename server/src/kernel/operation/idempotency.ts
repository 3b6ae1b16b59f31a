import { hmac, open, seal, sha256 } from "../access/crypto.ts";
import type { Partition, Transaction } from "../db/database.ts";
import { type Invocation, type InvocationResult, invocationPartition } from "./invocation.ts";
import type { Platform, Operation } from "../contract.ts";
import { Failure, IdempotencyInProgress, IdempotencyKeyReused, invalidField } from "./failure.ts";
import { retentionJob, deleteAcrossWorkspaces } from "../work/retention-job.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;
const WINDOW_MS = 24 * 3_600_000;

export interface IdempotentSteps<Ready> {
  readonly operation: string;
  readonly partition: Partition;
  readonly prepare: () => Promise<Ready>;
  /** True to look for a stored response also before the preparation: if that is expensive and the key may be known. */
  readonly looksBefore: boolean;
  readonly run: (session: Transaction, ready: Ready) => Promise<InvocationResult>;
  readonly renderFailure: (failure: Failure) => InvocationResult;
}

/**
 * Runs a command once per idempotency key. The response is stored in the command's transaction, so a command
 * always has its response, and a crash never leaves a key in progress. While it runs, it holds an advisory lock
 * on the key. A failure is also a response: the command is rolled back to a savepoint and the response stored.
 */
export async function runOnce<Ready>(
  platform: Platform,
  call: Invocation,
  key: string,
  steps: IdempotentSteps<Ready>,
): Promise<InvocationResult> {
  if (!KEY.test(key))
    throw invalidField("Idempotency-Key", "must be 1 to 255 printable characters");
  const claim = await buildClaim(platform, call, { key, operation: steps.operation });
  const earlier = steps.looksBefore ? await findStored(platform, claim) : undefined;
  if (earlier) return earlier;
  const ready = await settleFailure(steps.prepare());
  return platform.db.write(steps.partition, async (session) => {
    const stored = await lockAndFind(session, claim, platform.clock.now());
    if (stored) return stored;
    const outcome =
      "failure" in ready
        ? ready
        : await settleFailure(session.attempt(() => steps.run(session, ready.value)));
    const answer = "value" in outcome ? outcome.value : steps.renderFailure(outcome.failure);
    // Server errors and 429 are not stored, because the next attempt can succeed.
    if (answer.status < 500 && answer.status !== 429)
      store(session, claim, platform.clock.nowMs(), answer);
    return answer;
  });
}

/** Replaces the response stored at the commit with the final one that the client waited for. */
export async function amendStoredResponse(
  platform: Platform,
  { id, access }: Pick<Operation, "id" | "access">,
  call: Invocation,
  answer: InvocationResult,
): Promise<void> {
  const { idempotencyKey: key, caller } = call;
  if (key === undefined || caller.idempotencyScope === undefined) return;
  const claim = await buildClaim(platform, call, { key, operation: id });
  await platform.db.write(invocationPartition(access, caller), (session) =>
    session.send(AMEND, [claim.scope, claim.key, sealResponse(claim, answer)]),
  );
}

interface KeyClaim {
  readonly scope: string;
  readonly key: string;
  readonly request: Buffer;
  readonly secret: Buffer;
  readonly lock: bigint;
}

async function buildClaim(
  platform: Platform,
  { caller, input }: Invocation,
  { key, operation }: { readonly key: string; readonly operation: string },
): Promise<KeyClaim> {
  const scope = `${caller.workspace?.key ?? "-"} ${caller.idempotencyScope}`;
  const secret = await platform.keys.of(caller.workspace?.key ?? platform.homeWorkspace);
  // If any request is accepted, the body is only in the raw request.
  const body = input.body ?? caller.request?.bytes.toString("base64") ?? null;
  // Keyed, because a body can contain a secret, and a plain hash in a stolen dump would confirm a guess of it.
  const request = hmac(
    secret,
    canonicalJson([operation, caller.environment, input.params, input.query, body]),
  );
  return {
    scope,
    key,
    request,
    secret,
    lock: sha256(`${scope} ${key}`).readBigInt64BE(),
  };
}

/** A replay should skip the preparation, which may make network calls. */
async function findStored(
  platform: Platform,
  claim: KeyClaim,
): Promise<InvocationResult | undefined> {
  const rows = await platform.db.system<StoredRow>(FIND, [
    claim.scope,
    claim.key,
    platform.clock.now(),
  ]);
  return replay(rows[0], claim);
}

async function lockAndFind(
  session: Transaction,
  claim: KeyClaim,
  now: Date,
): Promise<InvocationResult | undefined> {
  // Several statements, because the later ones must see data committed before the lock was acquired.
  const locked = session.send<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock($1) as locked",
    [claim.lock],
  );
  session.post(DELETE_EXPIRED, [claim.scope, claim.key, now]);
  const rows = session.send<StoredRow>(FIND, [claim.scope, claim.key, now]);
  if (!(await locked)[0]?.locked) throw new Failure(IdempotencyInProgress);
  return replay((await rows)[0], claim);
}

interface StoredRow {
  readonly request: Buffer;
  readonly answer: Buffer;
}
const FIND =
  "select request, answer from idempotency_keys where scope = $1 and key = $2 and expires_at > $3";
const DELETE_EXPIRED =
  "delete from idempotency_keys where scope = $1 and key = $2 and expires_at <= $3";
const STORE = `
  insert into idempotency_keys (scope, key, request, answer, expires_at) values ($1, $2, $3, $4, $5)`;
const AMEND = "update idempotency_keys set answer = $3 where scope = $1 and key = $2";

function store(
  session: Transaction,
  claim: KeyClaim,
  nowMs: number,
  outcome: InvocationResult,
): void {
  const expires = new Date(nowMs + WINDOW_MS);
  const answer = sealResponse(claim, outcome);
  session.post(STORE, [claim.scope, claim.key, claim.request, answer, expires]);
}

function sealResponse(claim: KeyClaim, outcome: InvocationResult): Buffer {
  return seal(claim.secret, Buffer.from(JSON.stringify(outcome)), contextOf(claim));
}

function replay(row: StoredRow | undefined, claim: KeyClaim): InvocationResult | undefined {
  if (!row) return undefined;
  if (!row.request.equals(claim.request)) throw new Failure(IdempotencyKeyReused);
  const outcome = JSON.parse(
    open(claim.secret, row.answer, contextOf(claim)).toString(),
  ) as InvocationResult;
  return { ...outcome, headers: { ...outcome.headers, "idempotency-replayed": "true" } };
}

function contextOf({ scope, key }: KeyClaim): string {
  return `answer ${scope} ${key}`;
}

/** JSON with sorted keys, so that equal requests have equal texts. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Returns a failure of the caller as a result. Throws other errors. */
async function settleFailure<T>(work: Promise<T>): Promise<{ value: T } | { failure: Failure }> {
  try {
    return { value: await work };
  } catch (error) {
    if (error instanceof Failure && error.type.status < 500) return { failure: error };
    throw error;
  }
}

const DELETE_ALL_EXPIRED = `
  delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where expires_at < $1 order by expires_at limit $2))`;

/** Deletes stored responses after a day. */
export const idempotencyRetentionJob = retentionJob({
  kind: "kernel.prune_idempotency_keys",
  remove: ({ db, clock }, rowsMax) =>
    deleteAcrossWorkspaces(db, DELETE_ALL_EXPIRED, [clock.now(), rowsMax]),
});
