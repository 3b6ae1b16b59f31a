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
  "No checkpoint holds the event yet; the next one is signed within the hour.",
);
export const LogAltered = failure(
  "log_altered",
  409,
  "The event is not what was signed: the log was altered.",
);

const Hex = (description: string) => Type.String({ pattern: "^[0-9a-f]*$", description });

export const CheckpointItem = Type.Object(
  {
    number: Type.Integer({ description: "From 1 on, without gaps" }),
    statement: Type.String({
      description:
        "The text that is signed, JSON: the root of the tree, how many events it has, the first and last of them, " +
        "the hash of the checkpoint before, when it was signed; after a move to another installation " +
        "also `previousKey`, which signed the checkpoints before",
    }),
    hash: Hex("SHA-256 of the statement"),
    signature: Hex("Ed25519 over the statement"),
    createdAt: Time,
  },
  { title: "LogCheckpoint" },
);

export const EventProof = Type.Object(
  {
    event: Type.Record(Type.String(), Type.Unknown(), {
      description: "The event as it is hashed: as JSON with sorted names, behind a zero byte",
    }),
    index: Type.Integer({ description: "Of its leaf" }),
    count: Type.Integer({ description: "Of the leaves of the tree" }),
    path: Type.Array(Hex("A hash beside the way from the leaf to the root"), {
      description: "From below, as RFC 6962 has it",
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
    throw new Failure(Forbidden, { detail: "A rule hides a part of this event from you." });
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
