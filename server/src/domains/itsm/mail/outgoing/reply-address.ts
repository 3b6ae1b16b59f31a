/**
 * Reply addresses and message ids lead a reply to its ticket. Both are signed with a derived key. The signature
 * includes the workspace, so it cannot be forged or used in another workspace.
 */
import { equalBytes, hmac, type MasterKey } from "#kernel/access/crypto.ts";
import type { Partition } from "#kernel/db/database.ts";

export interface MailKey {
  readonly masterKey: MasterKey;
  readonly partition: Partition;
}

const ADDRESS_SIGNATURE = 10;
const ID_SIGNATURE = 20;

/**
 * `desk+INC0000123.k7f2m9q4x1@example.com`. An agent has a separate address, because the requester also gets one and
 * must not write as the agent.
 */
export function replyAddress(
  key: MailKey,
  mailbox: string,
  { number, agentId }: { readonly number: string; readonly agentId: string | undefined },
): string {
  const at = mailbox.lastIndexOf("@");
  const signed = `${number}.${signAddress(key, number, agentId)}`;
  return `${mailbox.slice(0, at)}+${signed}${mailbox.slice(at)}`;
}

export interface ReplyTarget {
  readonly number: string;
  /** True for the reply address that only this agent received. */
  readonly provesAgent: boolean;
}

/** The ticket of a reply address, given the ids of the sender. Undefined if the signature is invalid. */
export function readReplyAddress(
  key: MailKey,
  address: string,
  senderIds: readonly string[],
): ReplyTarget | undefined {
  const [, given = "", signature = ""] =
    /\+([a-z]{2,3}\d{7,15})\.([a-z0-9]{10})@/i.exec(address) ?? [];
  if (given === "") return undefined;
  const number = given.toUpperCase();
  const isFor = (agentId: string | undefined) =>
    isSame(signature.toLowerCase(), signAddress(key, number, agentId));
  const provesAgent = senderIds.some(isFor);
  return provesAgent || isFor(undefined) ? { number, provesAgent } : undefined;
}

function signAddress(key: MailKey, number: string, agentId: string | undefined): string {
  const text = agentId === undefined ? `address ${number}` : `address ${number} of ${agentId}`;
  return sign(key, text, ADDRESS_SIGNATURE);
}

/** The message id of our mails, without angle brackets. */
export function buildMessageId(
  key: MailKey,
  {
    ticketId,
    id,
    domain,
  }: { readonly ticketId: string; readonly id: string; readonly domain: string },
): string {
  const name = `${ticketId}.${id}`;
  return `${name}.${sign(key, `message ${name}`, ID_SIGNATURE)}@${domain}`;
}

/** The ticket id in one of our message ids. Undefined if the signature is invalid. */
export function readMessageId(key: MailKey, messageId: string): string | undefined {
  const [, ticketId = "", id = "", signature = ""] =
    /^([a-z]{2,5}_[a-z0-9]{26})\.([a-z0-9_]{1,60})\.([a-z0-9]{20})@/.exec(messageId) ?? [];
  if (ticketId === "") return undefined;
  return isSame(signature, sign(key, `message ${ticketId}.${id}`, ID_SIGNATURE))
    ? ticketId
    : undefined;
}

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

/** Lower-case letters and digits that mail programs do not change, five bits each. */
function sign({ masterKey, partition }: MailKey, text: string, length: number): string {
  const { workspace, environment } = partition;
  const bytes = hmac(masterKey.derive("mail threads"), `${workspace} ${environment} ${text}`);
  return Array.from(bytes.subarray(0, length), (byte) => LETTERS[byte % LETTERS.length]).join("");
}

function isSame(left: string, right: string): boolean {
  return equalBytes(Buffer.from(left), Buffer.from(right));
}
