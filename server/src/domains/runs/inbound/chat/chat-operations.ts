/** Chat with a workflow: a page for people, and an API with streamed responses for programs. */
import Type from "typebox";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { parseAnyBody } from "#kernel/http/request-body.ts";
import { Failure, invalidField, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { accepted, html, type HtmlResponse } from "#kernel/operation/response.ts";
import { line, nullable, object } from "#kernel/schema/schema.ts";
import { startEvents } from "../../events.ts";
import { RunId } from "../../run.ts";
import { toAnswerText } from "../answer-text.ts";
import { chatPage, type ChatState, MESSAGE_CHARACTERS_MAX } from "./chat-page.ts";
import { ChatFile, listAnswerFiles, type MessagePlace, readAnswerFiles } from "./chat-files.ts";
import { chatQuery, isSessionId, newSessionId, SessionId } from "./chat-session.ts";
import {
  inboundExample,
  type InboundInput,
  inboundParams,
  inboundQuery,
  openInbound,
} from "../form-operations.ts";
import { type FoundTrigger, startFound } from "../hook-trigger.ts";
import { awaitAnswer, WebhookRunFailed, writeInbound } from "../run-answer.ts";

const WAIT_MAX_MS = 30_000;

export const showChat = query({
  id: "chat.show",
  route: "GET /chat/{workspace}/{token}",
  aliases: ["GET /chat/{workspace}/{token}/{triggerId}"],
  summary: "Show the chat page of a workflow",
  description: "The page of a `chat` trigger. Its URL is `trigger.url`.",
  access: "public",
  params: inboundParams,
  query: inboundQuery,
  response: html(htmlErrorRendering),
  fails: [RateLimited],
  example: inboundExample,
  async prepare(platform, input, caller) {
    const found = await openInbound(platform, "chat", input, caller);
    const sessionId = newSessionId(platform, found);
    return chatPage(found.named.trigger, { sessionId, texts: [] });
  },
  run: async (_ctx, _input, page) => page,
});

interface SentMessage {
  readonly found: FoundTrigger<"chat">;
  readonly runId: string;
  readonly state: ChatState;
}

export const sendMessage = command({
  id: "chat.send",
  route: "POST /chat/{workspace}/{token}",
  aliases: ["POST /chat/{workspace}/{token}/{triggerId}"],
  summary: "Send a chat message from the chat page",
  description: "Accepts the form of the page, with `message`. Returns the page with the response.",
  access: "public",
  readsRequest: true,
  longRunning: true,
  params: inboundParams,
  query: inboundQuery,
  response: html(htmlErrorRendering),
  emits: startEvents,
  fails: [RateLimited, WebhookRunFailed],
  example: inboundExample,
  async prepare(platform, input, caller) {
    const found = await openInbound(platform, "chat", input, caller);
    const { bytes, mediaType } = caller.request ?? { bytes: Buffer.alloc(0), mediaType: "" };
    const {
      message,
      sessionId,
      texts = [],
    } = Object(parseAnyBody(bytes, mediaType)) as Record<string, unknown>;
    if (typeof message !== "string" || message.trim() === "") {
      throw invalidField("/message", "is required");
    }
    if (message.length > MESSAGE_CHARACTERS_MAX) throw invalidField("/message", "is too long");
    const isKnown = typeof sessionId === "string" && isSessionId(platform, found, sessionId);
    const session = isKnown ? sessionId : newSessionId(platform, found);
    const before = (Array.isArray(texts) ? texts : [texts]).map(String);
    const state: ChatState = { sessionId: session, texts: [...before, message] };
    const fields = { input: { message, sessionId: session } };
    return { found, state, prepared: await startFound(platform, found, caller, fields) };
  },
  async run(ctx, input, made): Promise<HtmlResponse & { readonly sent?: SentMessage }> {
    const { found, state, prepared } = made;
    const answer = await writeInbound(ctx, found, prepared);
    const files = await listAnswerFiles(ctx, answer, findPlace(input, state));
    const page = answeredPage(found, state, { text: toAnswerText(answer), files });
    return answer.isOpen ? { ...page, sent: { found, runId: answer.runId, state } } : page;
  },
  async afterCommit(platform, input, { value, caller }) {
    const { sent } = value as { readonly sent?: SentMessage };
    if (!sent) return undefined;
    const { found, runId, state } = sent;
    const wait = { waitMs: WAIT_MAX_MS, gone: caller.disconnected };
    const answer = await awaitAnswer(platform, found, runId, wait);
    if (answer.status === "failed" && !answer.response) throw new Failure(WebhookRunFailed);
    const partition = { workspace: found.target.workspace, environment: found.environment };
    const files = await readAnswerFiles(platform, partition, answer, findPlace(input, state));
    return answeredPage(found, state, { text: toAnswerText(answer), files });
  },
});

function findPlace(
  { params, query: where }: InboundInput,
  { sessionId }: Pick<ChatState, "sessionId">,
): MessagePlace {
  const { triggerId, ...address } = params;
  return { address, query: { ...where, triggerId }, sessionId };
}

function answeredPage(
  { named }: FoundTrigger<"chat">,
  { sessionId, texts }: ChatState,
  answer: { readonly text: string | undefined; readonly files: readonly ChatFile[] },
) {
  const text = answer.text ?? "The response takes longer than usual. Please try again later.";
  return chatPage(named.trigger, { sessionId, texts: [...texts, text], files: answer.files });
}

const ChatMessage = Type.Object(
  {
    runId: RunId,
    sessionId: Type.String(),
    text: nullable(Type.String({ description: "Null until the response is available" })),
    files: Type.Optional(Type.Array(ChatFile)),
  },
  { title: "ChatMessage" },
);

export const askChat = command({
  id: "chat.ask",
  route: "POST /chat/{workspace}/{token}/messages",
  summary: "Send a chat message to a workflow",
  description:
    "Starts a run with `trigger.input.message` and `trigger.input.sessionId`. The response contains the `text` if the run ended immediately; otherwise read it from `GET /chat/{workspace}/{token}/messages/{runId}` with the `sessionId`. Send the `sessionId` again to continue a conversation.",
  access: "public",
  params: object({ workspace: line(200), token: line(200) }),
  query: chatQuery,
  body: object({
    message: Type.String({ minLength: 1, maxLength: MESSAGE_CHARACTERS_MAX }),
    sessionId: Type.Optional(SessionId),
  }),
  response: accepted(ChatMessage),
  emits: startEvents,
  fails: [RateLimited],
  example: { ...inboundExample, body: { message: "Where is my order?" } },
  async prepare(platform, { params, query: { triggerId, ...rest }, body }, caller) {
    const where = { ...params, ...(triggerId !== undefined && { triggerId }) };
    const found = await openInbound(platform, "chat", { params: where, query: rest }, caller);
    const { message, sessionId = newSessionId(platform, found) } = body;
    if (!isSessionId(platform, found, sessionId)) {
      throw invalidField("/sessionId", "is not a session of this chat");
    }
    const fields = { input: { message, sessionId } };
    return { found, sessionId, prepared: await startFound(platform, found, caller, fields) };
  },
  async run(ctx, { params, query: where }, { found, sessionId, prepared }) {
    const answer = await writeInbound(ctx, found, prepared);
    const place = { address: params, query: where, sessionId };
    const files = await listAnswerFiles(ctx, answer, place);
    const text = toAnswerText(answer) ?? null;
    return { runId: answer.runId, sessionId, text, ...(files.length > 0 && { files: [...files] }) };
  },
});
