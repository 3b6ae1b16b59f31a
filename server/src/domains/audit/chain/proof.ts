import { isDeepStrictEqual } from "node:util";
import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import { filterEvent, visibilityContext } from "#kernel/log/event-visibility.ts";
import { positionOf } from "#kernel/log/event.ts";
import { Failure, failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { Time } from "#kernel/schema/schema.ts";
import { buildPath, hashLeaf, splitLeaves } from "./merkle-tree.ts";
import { findKey, readLogKeys } from "./log-keys.ts";
import { toCanonicalJson, toHashedEvent } from "./statement.ts";
import { type Checkpoint, findCheckpointAt } from "./store.ts";

export const NotSigned = failure(
  "event_not_signed",
  409,
  "The event is not in a signed checkpoint yet. The next checkpoint is created within one hour.",
);
export const LogAltered = failure(
  "log_altered",
  409,
  "The event does not match its signature: the log was altered.",
);

const Hex = (description: string) => Type.String({ pattern: "^[0-9a-f]*$", description });

export const CheckpointItem = Type.Object(
  {
    number: Type.Integer({ description: "Consecutive number, from 1" }),
    statement: Type.String({
      description:
        "The signed text, as JSON: the root of the tree, the number of events, the first and the last event, the hash of the previous checkpoint, and the time of the signature. After a move to another installation, also `previousKey`, the key of the previous checkpoints",
    }),
    hash: Hex("SHA-256 of the statement"),
    signature: Hex("Ed25519 signature of the statement"),
    createdAt: Time,
  },
  { title: "LogCheckpoint" },
);

export const EventProof = Type.Object(
  {
    event: Type.Record(Type.String(), Type.Unknown(), {
      description: "The event as it is hashed: JSON with sorted names after a zero byte",
    }),
    index: Type.Integer({ description: "Index of the leaf" }),
    count: Type.Integer({ description: "Number of leaves of the tree" }),
    path: Type.Array(Hex("A sibling hash on the path from the leaf to the root"), {
      description: "From leaf to root, sorted as specified in RFC 6962",
    }),
    checkpoint: CheckpointItem,
    publicKey: Hex("The Ed25519 key that signed the checkpoint, as SPKI"),
  },
  { title: "EventProof" },
);
export type EventProof = Static<typeof EventProof>;

export function toCheckpointItem(checkpoint: Checkpoint): Static<typeof CheckpointItem> {
  const { number, statement, hash, signature, createdAt } = checkpoint;
  return {
    number,
    statement,
    hash: hash.toString("hex"),
    signature: signature.toString("hex"),
    createdAt,
  };
}

/** Proves that an event is in the signed log. */
export async function proveEvent(ctx: ReadContext, eventId: string): Promise<EventProof> {
  const position = positionOf(eventId);
  const event = position && (await findEvent(ctx.tx, position));
  const visible = event && (await filterEvent(visibilityContext(ctx), ctx.caller.principal, event));
  if (!visible) throw new Failure(NotFound);
  if (!isDeepStrictEqual(visible, event)) {
    throw new Failure(Forbidden, { detail: "Access rules hide a part of this event from you." });
  }
  const checkpoint = await findCheckpointAt(ctx.tx, position);
  const keys = await readLogKeys(ctx.tx, await ctx.services.keys.of(event.workspace));
  const publicKey = checkpoint && findKey(keys, checkpoint.number);
  if (!checkpoint?.leaves || !publicKey) throw new Failure(NotSigned);
  const leaves = splitLeaves(checkpoint.leaves);
  const hashed = toHashedEvent(event);
  const leaf = hashLeaf(toCanonicalJson(hashed));
  const index = leaves.findIndex((one) => one.equals(leaf));
  if (index < 0) throw new Failure(LogAltered);
  return {
    event: hashed,
    index,
    count: leaves.length,
    path: buildPath(leaves, index).map((hash) => hash.toString("hex")),
    checkpoint: toCheckpointItem(checkpoint),
    publicKey: publicKey.toString("hex"),
  };
}
