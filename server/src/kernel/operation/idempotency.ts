import { hmac, open, seal, sha256 } from "../access/crypto.ts";
import type { Partition, Transaction } from "../db/database.ts";
import { type Invocation, type InvocationResult, partitionOf } from "./invocation.ts";
import type { Platform, Operation } from "../contract.ts";
import { Failure, IdempotencyInProgress, IdempotencyKeyReused, invalidField } from "./failure.ts";
import { retentionJob, deleteAcrossWorkspaces } from "../work/retention-job.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;
const WINDOW_MS = 24 * 3_600_000;

export interface IdempotentSteps<Ready> {
  readonly operation: string;
  readonly partition: Partition;
  readonly prepare: () => Promise<Ready>;
  readonly run: (session: Transaction, ready: Ready) => Promise<InvocationResult>;
  readonly refuse: (failure: Failure) => InvocationResult;
}

/**
 * The first answer to a key is stored in the transaction of the act itself, so there is never an act
 * without its answer, nor a key left "in progress" by a crash. While it runs, an advisory lock on the
 * key tells others so. A failure is an answer too: the act is undone to a savepoint and the answer kept.
 */
export async function runOnce<Ready>(
  platform: Platform,
  call: Invocation,
  key: string,
  steps: IdempotentSteps<Ready>,
): Promise<InvocationResult> {
  if (!KEY.test(key))
    throw invalidField("Idempotency-Key", "must be 1 to 255 printable characters");
  const claim = await claimOf(platform, call, { key, operation: steps.operation });
  const earlier = await storedBefore(platform, claim);
  if (earlier) return earlier;
  const ready = await settle(steps.prepare());
  return platform.db.write(steps.partition, async (session) => {
    const found = await lockAndLook(session, claim, platform.clock.now());
    if (found) return found;
    const outcome =
      "failure" in ready
        ? ready
        : await settle(session.attempt(() => steps.run(session, ready.value)));
    const answer = "value" in outcome ? outcome.value : steps.refuse(outcome.failure);
    // A failure that is recorded is no answer to keep when it is not the caller's: the next try may succeed.
    if (answer.status < 500) store(session, claim, platform.clock.nowMs(), answer);
    return answer;
  });
}

/** Puts the answer that a client waited for in the place of the one that was stored at the commit. */
export async function amendStoredResponse(
  platform: Platform,
  { id, access }: Pick<Operation, "id" | "access">,
  call: Invocation,
  answer: InvocationResult,
): Promise<void> {
  const { idempotencyKey: key, caller } = call;
  if (key === undefined || caller.idempotencyScope === undefined) return;
  const claim = await claimOf(platform, call, { key, operation: id });
  await platform.db.write(partitionOf(access, caller), (session) =>
    session.send(AMEND, [claim.scope, claim.key, sealed(claim, answer)]),
  );
}

interface Claim {
  readonly scope: string;
  readonly key: string;
  readonly request: Buffer;
  readonly secret: Buffer;
  readonly lock: bigint;
}

async function claimOf(
  platform: Platform,
  { caller, input }: Invocation,
  { key, operation }: { readonly key: string; readonly operation: string },
): Promise<Claim> {
  const scope = `${caller.workspace?.key ?? "-"} ${caller.idempotencyScope}`;
  const secret = await platform.keys.of(caller.workspace?.key ?? platform.homeWorkspace);
  // Keyed: a body may hold a secret, and a plain hash in a stolen dump would confirm a guess of it.
  const request = hmac(
    secret,
    canonical([operation, caller.environment, input.params, input.query, input.body ?? null]),
  );
  return {
    scope,
    key,
    request,
    secret,
    lock: sha256(`${scope} ${key}`).readBigInt64BE(),
  };
}

/** A replay should not even prepare, which may reach outside. */
async function storedBefore(
  platform: Platform,
  claim: Claim,
): Promise<InvocationResult | undefined> {
  const rows = await platform.db.system<StoredRow>(LOOK, [
    claim.scope,
    claim.key,
    platform.clock.now(),
  ]);
  return replay(rows[0], claim);
}

async function lockAndLook(
  session: Transaction,
  claim: Claim,
  now: Date,
): Promise<InvocationResult | undefined> {
  // Several statements, because the later ones must see what was committed before the lock was free.
  const locked = session.send<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock($1) as locked",
    [claim.lock],
  );
  session.post(FORGET, [claim.scope, claim.key, now]);
  const rows = session.send<StoredRow>(LOOK, [claim.scope, claim.key, now]);
  if (!(await locked)[0]?.locked) throw new Failure(IdempotencyInProgress);
  return replay((await rows)[0], claim);
}

interface StoredRow {
  readonly request: Buffer;
  readonly answer: Buffer;
}
const LOOK =
  "select request, answer from idempotency_keys where scope = $1 and key = $2 and expires_at > $3";
const FORGET = "delete from idempotency_keys where scope = $1 and key = $2 and expires_at <= $3";
const STORE = `
  insert into idempotency_keys (scope, key, request, answer, expires_at) values ($1, $2, $3, $4, $5)`;
const AMEND = "update idempotency_keys set answer = $3 where scope = $1 and key = $2";

function store(session: Transaction, claim: Claim, nowMs: number, outcome: InvocationResult): void {
  const expires = new Date(nowMs + WINDOW_MS);
  const answer = sealed(claim, outcome);
  session.post(STORE, [claim.scope, claim.key, claim.request, answer, expires]);
}

function sealed(claim: Claim, outcome: InvocationResult): Buffer {
  return seal(claim.secret, Buffer.from(JSON.stringify(outcome)), contextOf(claim));
}

function replay(row: StoredRow | undefined, claim: Claim): InvocationResult | undefined {
  if (!row) return undefined;
  if (!row.request.equals(claim.request)) throw new Failure(IdempotencyKeyReused);
  const outcome = JSON.parse(
    open(claim.secret, row.answer, contextOf(claim)).toString(),
  ) as InvocationResult;
  return { ...outcome, headers: { ...outcome.headers, "idempotency-replayed": "true" } };
}

function contextOf({ scope, key }: Claim): string {
  return `answer ${scope} ${key}`;
}

/** JSON with its keys in order: the same request in another spelling is the same request. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A failure that the caller can act on is a result here; anything else goes on being thrown. */
async function settle<T>(work: Promise<T>): Promise<{ value: T } | { failure: Failure }> {
  try {
    return { value: await work };
  } catch (error) {
    if (error instanceof Failure && error.type.status < 500) return { failure: error };
    throw error;
  }
}

const EXPIRED = `
  delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where expires_at < $1 order by expires_at limit $2))`;

/** Answers are kept for a day. */
export const idempotencyRetentionJob = retentionJob({
  kind: "kernel.prune_idempotency_keys",
  remove: ({ db, clock }, rowsMax) => deleteAcrossWorkspaces(db, EXPIRED, [clock.now(), rowsMax]),
});
