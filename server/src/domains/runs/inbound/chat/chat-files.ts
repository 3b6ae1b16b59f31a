/**
 * Files in chat responses. Each address is sent to its conversation only and is valid for a day. It has a key per
 * file, so sharing a link shares that file and not the conversation.
 */
import Type, { type Static } from "typebox";
import {
  fileContent,
  FileId,
  findFileIds,
  openPartitionFile,
  readFiles,
  RUN,
  serveFile,
} from "#domains/files/index.ts";
import { equalBytes, hmac } from "#kernel/access/crypto.ts";
import type { Platform, PlatformServices, ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { RangeNotSatisfiable } from "#kernel/operation/byte-range.ts";
import { Failure, NotFound, RateLimited, Unavailable } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { FIND_COMMON_ANCESTOR } from "../../start/run-files.ts";
import { inboundExample, openInbound } from "../form-operations.ts";
import { awaitAnswer, type RunAnswer } from "../run-answer.ts";
import { chatQuery, findMessage } from "./chat-session.ts";

const FILES_MAX = 20;
const GOOD_MS = 24 * 3_600_000;
const KEY_CHARACTERS = 32;

export const ChatFile = Type.Object(
  {
    name: Type.String(),
    mediaType: Type.String(),
    size: Type.Integer({ description: "Size in bytes" }),
    url: Type.String({ description: "A path on this server, valid for one day" }),
  },
  { title: "ChatFile" },
);
export type ChatFile = Static<typeof ChatFile>;

/** Where the response to a message is read. */
export interface MessagePlace {
  readonly address: { readonly workspace: string; readonly token: string };
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly sessionId: string;
}

/** Lists the files named in a response that belong to the run. */
export async function listAnswerFiles(
  { tx, services }: Pick<ReadContext, "tx"> & { readonly services: PlatformServices },
  answer: RunAnswer,
  { address, query: where, sessionId }: MessagePlace,
): Promise<readonly ChatFile[]> {
  const { runId } = answer;
  const files = [...(await findOwnFiles({ tx }, answer)).values()];
  const given = Object.entries(where).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return files.map(({ id: fileId, name, mediaType, size }) => {
    const key = signFile(services, { sessionId, runId, fileId });
    const rest = new URLSearchParams([...given, ["key", key]]);
    const path = [address.workspace, address.token, "messages", runId, "files", fileId];
    const url = `/chat/${path.map(encodeURIComponent).join("/")}?${rest}`;
    return { name, mediaType, size, url };
  });
}

/** A body can name any file. Only files of the run, its parent and its child runs are returned. */
async function findOwnFiles(ctx: Pick<ReadContext, "tx">, { runId, response }: RunAnswer) {
  const answered = response && "file" in response ? response.file.$file : undefined;
  const named = answered === undefined ? findFileIds(readBody(response?.body)) : [answered];
  const files = await readFiles(ctx, named.slice(0, FILES_MAX));
  const own = new Map<string, NonNullable<ReturnType<typeof files.get>>>();
  for (const [fileId, file] of files) {
    const isGiven = fileId === answered || (await isOfRun(ctx, fileId, runId));
    if (isGiven) own.set(fileId, file);
  }
  return own;
}

const OWNER = "select attached_type as type, attached_id as id from files where id = $1";

async function isOfRun(
  { tx }: Pick<ReadContext, "tx">,
  fileId: string,
  runId: string,
): Promise<boolean> {
  const [owner] = await queryRows(tx, OWNER, [fileId]);
  if (owner?.["type"] !== RUN) return false;
  if (owner["id"] === runId) return true;
  return (await queryRows(tx, FIND_COMMON_ANCESTOR, [owner["id"], runId])).length > 0;
}

/** Parses a JSON body. */
function readBody(body: string | undefined): unknown {
  if (body?.includes('"$file"') !== true) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function signFile(
  { masterKey }: Pick<PlatformServices, "masterKey">,
  { sessionId, runId, fileId }: Record<"sessionId" | "runId" | "fileId", string>,
): string {
  const text = [sessionId, runId, fileId].join(" ");
  const mark = hmac(masterKey.derive("files of chats"), text).toString("base64url");
  return mark.slice(0, KEY_CHARACTERS);
}

export const openChatFile = query({
  id: "chat.open_file",
  route: "GET /chat/{workspace}/{token}/messages/{runId}/files/{fileId}",
  summary: "Download a file of a chat response",
  description:
    "Uses a URL from the response, for the person who sent the message. The URL is valid for one day after the response.",
  access: "public",
  readsRange: true,
  params: object({ workspace: line(200), token: line(200), runId: id("run"), fileId: FileId }),
  query: object({
    ...chatQuery.properties,
    key: Type.String({ pattern: `^[A-Za-z0-9_-]{${KEY_CHARACTERS}}$` }),
  }),
  response: fileContent("application/octet-stream"),
  fails: [NotFound, RateLimited, RangeNotSatisfiable, Unavailable],
  example: {
    params: {
      ...inboundExample.params,
      runId: "run_01jd0000000000000000000000",
      fileId: "file_01jd0000000000000000000000",
    },
    query: { key: "A".repeat(KEY_CHARACTERS) },
  },
  async prepare(platform, { params, query: { triggerId, key, ...rest } }, caller) {
    const { runId, fileId, ...address } = params;
    const where = { ...address, ...(triggerId !== undefined && { triggerId }) };
    const found = await openInbound(platform, "chat", { params: where, query: rest }, caller);
    const { sessionId, partition } = await findMessage(platform, found, runId);
    const expected = signFile(platform, { sessionId, runId, fileId });
    if (!equalBytes(Buffer.from(key), Buffer.from(expected))) throw noSuchFile();
    const answer = await awaitAnswer(platform, found, runId, NO_WAIT);
    // The time counts from the response, because the run can continue for long after it.
    const answeredAtMs = Date.parse(answer.answeredAt ?? "");
    if (!(platform.clock.nowMs() < answeredAtMs + GOOD_MS)) throw noSuchFile();
    const files = await platform.db.read(partition, (tx) => findOwnFiles({ tx }, answer));
    if (!files.has(fileId)) throw noSuchFile();
    const opened = await openPartitionFile(platform, partition, fileId);
    return serveFile(opened, caller.conditions ?? {});
  },
  run: async (_ctx, _input, served) => served,
});

const NO_WAIT = { waitMs: 0, gone: AbortSignal.abort() };

function noSuchFile(): Failure {
  return new Failure(NotFound, { detail: "The URL is invalid or expired." });
}

/** Lists the files of a response outside of a transaction. */
export function readAnswerFiles(
  platform: Platform,
  partition: Parameters<Platform["db"]["read"]>[0],
  answer: RunAnswer,
  place: MessagePlace,
): Promise<readonly ChatFile[]> {
  return platform.db.read(partition, (tx) =>
    listAnswerFiles({ tx, services: platform }, answer, place),
  );
}
