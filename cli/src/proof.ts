/**
 * Verifies the proof of an event without the server: its hash must lead to the root signed by a checkpoint. Users who
 * do not trust the server compare the key with one they recorded earlier.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { CommandError } from "./usage.ts";

/** A proof in the format of `GET /api/v1/audit/proof`. */
export interface EventProof {
  readonly event: Readonly<Record<string, unknown>>;
  readonly index: number;
  readonly count: number;
  readonly path: readonly string[];
  readonly checkpoint: {
    readonly number: number;
    readonly statement: string;
    readonly hash: string;
    readonly signature: string;
  };
  readonly publicKey: string;
}

interface Statement {
  readonly number?: unknown;
  readonly root?: unknown;
  readonly count?: unknown;
  readonly at?: unknown;
  readonly workspaceId?: unknown;
}

/** Reads a proof from a file: the API response or only its `data`. `-` is the standard input. */
export function readProof(file: string): EventProof {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"));
  } catch (error) {
    throw new CommandError(`${file} can't be read as JSON: ${(error as Error).message}`);
  }
  const proof = hasData(content) ? content.data : content;
  if (!isProof(proof)) throw new CommandError(`${file} does not contain an event proof.`);
  return proof;
}

/** Why a proof is invalid. Undefined if it is valid. */
export function refuteProof(proof: EventProof, trustedKey?: string): string | undefined {
  const { event, index, count, path, checkpoint, publicKey } = proof;
  const { statement, signature, hash } = checkpoint;
  if (trustedKey !== undefined && trustedKey !== publicKey)
    return "The checkpoint is signed with a different key.";
  if (sha256(Buffer.from(statement)).toString("hex") !== hash) return "The checkpoint was altered.";
  if (!isSigned(statement, signature, publicKey)) return "The signature is invalid.";
  const signed = JSON.parse(statement) as Statement;
  if (signed.number !== checkpoint.number) return "The number of the checkpoint does not match.";
  if (signed.workspaceId !== event["workspaceId"])
    return "The event belongs to a different workspace.";
  if (signed.count !== count) return "The size of the tree does not match.";
  const leaf = sha256(Buffer.concat([Buffer.of(0), Buffer.from(toCanonicalJson(event))]));
  const root = climbTree(leaf, { index, count }, path);
  if (root?.toString("hex") !== signed.root) return "The event was changed after it was signed.";
  return undefined;
}

/** The description of a valid proof. */
export function describeProof({ event, checkpoint, publicKey }: EventProof): string[] {
  const { at } = JSON.parse(checkpoint.statement) as Statement;
  return [
    `${String(event["id"])} (${String(event["type"])}) matches the signature of checkpoint ${checkpoint.number} at ${String(at)}.`,
    `Key ${publicKey}`,
  ];
}

/** Follows the path from a leaf to the root by RFC 6962. Undefined for a path of the wrong length. */
export function climbTree(
  leaf: Buffer,
  { index, count }: { readonly index: number; readonly count: number },
  path: readonly string[],
): Buffer | undefined {
  let [node, at, last] = [leaf, index, count - 1];
  if (index < 0 || index >= count) return undefined;
  for (const text of path) {
    if (last === 0) return undefined;
    const sibling = Buffer.from(text, "hex");
    if (at % 2 === 1 || at === last) {
      node = hashNode(sibling, node);
      // In an incomplete tree, the last node moves up without a sibling.
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    } else node = hashNode(node, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? node : undefined;
}

function hashNode(left: Buffer, right: Buffer): Buffer {
  return sha256(Buffer.concat([Buffer.of(1), left, right]));
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function isSigned(statement: string, signature: string, publicKey: string): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.from(publicKey, "hex"),
      format: "der",
      type: "spki",
    });
    if (key.asymmetricKeyType !== "ed25519") return false;
    return verify(null, Buffer.from(statement), key, Buffer.from(signature, "hex"));
  } catch {
    return false;
  }
}

/** JSON with sorted names (RFC 8785). */
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

function hasData(value: unknown): value is { readonly data: unknown } {
  return typeof value === "object" && value !== null && "data" in value;
}

function isProof(value: unknown): value is EventProof {
  if (typeof value !== "object" || value === null) return false;
  const { event, index, count, path, checkpoint, publicKey } = value as Partial<EventProof>;
  return (
    typeof event === "object" &&
    Number.isSafeInteger(index) &&
    Number.isSafeInteger(count) &&
    Array.isArray(path) &&
    typeof checkpoint?.statement === "string" &&
    typeof checkpoint.signature === "string" &&
    typeof publicKey === "string"
  );
}
