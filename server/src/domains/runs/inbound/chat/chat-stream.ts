/** Streams the response to a message: model text as it is generated, then the response of the run. */
import type { Platform } from "#kernel/contract.ts";
import { StreamLimit } from "#kernel/http/stream-limit.ts";
import { Failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { eventStream } from "#kernel/operation/response.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { type TextPart, type TextPosition, textWatchOf } from "../../live-text/text-watch.ts";
import { timesOut, Wakeup } from "../../run-watch.ts";
import { toAnswerText } from "../answer-text.ts";
import { inboundExample, openInbound } from "../form-operations.ts";
import type { FoundTrigger } from "../hook-trigger.ts";
import { awaitAnswer, type RunAnswer } from "../run-answer.ts";
import { type ChatFile, type MessagePlace, readAnswerFiles } from "./chat-files.ts";
import { chatQuery, findMessage, SessionId } from "./chat-session.ts";

const STREAM_MAX_MS = 600_000;
const BEAT_MS = 10_000;
/**
 * Limit per conversation and process. A page can be open in several windows, and each reconnects after a lost
 * connection.
 */
const STREAMS_OF_CONVERSATION = 5;
/** Limit per stream, enough for ten attempts at a long response. The final response is always sent. */
const CHARACTERS_MAX = 1_000_000;
const RETRY_MS = 1_000;

export const followChat = query({
  id: "chat.follow",
  route: "GET /chat/{workspace}/{token}/messages/{runId}",
  summary: "Stream the response to a chat message",
  description:
    "Server-sent events for the person who sent the message. A `text` event contains a part of the response while a model writes it: the `text` replaces everything from the character `from`, because a model can start again. At the end, `answer` contains the whole `text`, which is final, and `files`; or the event is `failed`. To continue after an interruption, send the last id as `Last-Event-ID`. A comment every ten seconds keeps the connection open.",
  access: "public",
  longRunning: true,
  params: object({ workspace: line(200), token: line(200), runId: id("run") }),
  query: object({ ...chatQuery.properties, sessionId: SessionId }),
  response: eventStream(),
  fails: [RateLimited],
  example: {
    params: { ...inboundExample.params, runId: "run_01jd0000000000000000000000" },
    query: { sessionId: "q3Xn0pVd8sKzT1uYb6RmWcGhE2oJ4aLf5iNxQwZtP7kBvSyD" },
  },
  async prepare(platform, { params, query: { triggerId, sessionId, ...rest } }, caller) {
    const { runId, ...address } = params;
    const where = { ...address, ...(triggerId !== undefined && { triggerId }) };
    const found = await openInbound(platform, "chat", { params: where, query: rest }, caller);
    const message = await findMessage(platform, found, runId);
    if (message.sessionId !== sessionId) throw new Failure(NotFound);
    const { disconnected: gone } = caller;
    return (): AsyncGenerator<string> =>
      streamAnswer(platform, found, {
        runId,
        after: readPosition(caller.lastEventId),
        gone,
        place: { address, query: { ...rest, triggerId }, sessionId },
        release: takeStream(platform, sessionId, gone),
      });
  },
  // The slot is taken last because a stream that never starts would not release it.
  run: async (_ctx, _input, begin) => begin(),
});

const limits = new WeakMap<object, StreamLimit>();

/** Registers a stream of a conversation. Returns the function that ends it; a lost connection also ends it. */
function takeStream(
  { shutdown }: Platform,
  sessionId: string,
  gone: AbortSignal | undefined,
): () => void {
  let limit = limits.get(shutdown);
  if (!limit) limits.set(shutdown, (limit = new StreamLimit({ openMax: STREAMS_OF_CONVERSATION })));
  const give = limit.take(sessionId);
  let isOver = false;
  const release = (): void => {
    if (!isOver) give();
    isOver = true;
  };
  if (gone?.aborted) release();
  gone?.addEventListener("abort", release, { once: true });
  return release;
}

async function* streamAnswer(
  platform: Platform,
  found: FoundTrigger<"chat">,
  about: {
    readonly runId: string;
    readonly after: TextPosition;
    readonly gone: AbortSignal | undefined;
    readonly place: MessagePlace;
    readonly release: () => void;
  },
): AsyncGenerator<string> {
  const { runId, after, gone, place, release } = about;
  const wakeup = new Wakeup();
  const wake = (): void => wakeup.end();
  let ended: { readonly answer: RunAnswer } | { readonly error: unknown } | undefined;
  awaitAnswer(platform, found, runId, { waitMs: STREAM_MAX_MS, gone })
    .then((answer) => (ended = { answer }))
    .catch((error: unknown) => (ended = { error }))
    .finally(wake);
  const texts = textWatchOf(platform).follow(runId, after, wake);
  // A client that reads too slowly loses the rest of the text.
  const limit = setTimeout(() => texts.close(), STREAM_MAX_MS);
  let characters = 0;
  try {
    yield `retry: ${RETRY_MS}\n\n`;
    for (;;) {
      const woken = wakeup.begin();
      if (ended) break;
      for (const part of texts.take()) {
        characters += part.text.length;
        if (characters <= CHARACTERS_MAX) yield toTextFrame(part);
      }
      if (await timesOut(woken, BEAT_MS)) yield ": wait\n\n";
    }
    if ("error" in ended) throw ended.error;
    const { target, environment } = found;
    const partition = { workspace: target.workspace, environment };
    yield* endFrames(ended.answer, await readAnswerFiles(platform, partition, ended.answer, place));
  } finally {
    clearTimeout(limit);
    texts.close();
    release();
  }
}

function endFrames(answer: RunAnswer, files: readonly ChatFile[]): string[] {
  const text = toAnswerText(answer);
  if (text !== undefined) {
    return [toFrame("answer", { text, ...(files.length > 0 && { files }) })];
  }
  if (["failed", "cancelled"].includes(answer.status)) return [toFrame("failed", {})];
  // A client that reconnects continues an unfinished stream.
  return answer.status === "completed" ? [toFrame("answer", { text: "" })] : [];
}

function toTextFrame({ attempt, position, text }: TextPart): string {
  const id = `${attempt}.${position + text.length}`;
  return `id: ${id}\n${toFrame("text", { from: position, text })}`;
}

function toFrame(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Parses how much text the client has. Anything that is not a frame id means the start. */
function readPosition(lastEventId: string | undefined): TextPosition {
  const [, attempt = "0", position = "0"] = /^(\d{1,18})\.(\d{1,9})$/.exec(lastEventId ?? "") ?? [];
  return { attempt, position: Number(position) };
}
