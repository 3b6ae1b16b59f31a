/** Calls language model services: a single response, or a stream of events that are combined into one. */
import { AsyncLocalStorage } from "node:async_hooks";
import { isNestedDeeperThan } from "#kernel/schema/json-depth.ts";
import { JSON_DEPTH_MAX } from "#kernel/schema/json-value.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { callHttp, type Headers } from "../../upstream/http.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import { fieldsOf, textIn } from "./chat.ts";

/** The limit for a streamed response, whose events repeat much data. */
const STREAM_BYTES_MAX = 16 * 1_048_576;
const ANSWER_BYTES_MAX = 4 * 1_048_576;
const REASON_CHARACTERS_MAX = 500;

/** The step that makes a call. */
export interface ModelCaller {
  /** Aborted when the response is no longer needed. */
  readonly signal: AbortSignal;
  /**
   * Called when a response starts; returns a function that receives each piece of text. If set, the service is
   * asked to stream.
   */
  readonly beginText?: () => (text: string) => void;
}

const callers = new AsyncLocalStorage<ModelCaller>();

/** Runs work whose model calls know their caller. */
export function callModelsFor<T>(caller: ModelCaller, work: () => Promise<T>): Promise<T> {
  return callers.run(caller, work);
}

/** Returns whether the caller wants the text while it streams. */
export function isStreamWanted(): boolean {
  return callers.getStore()?.beginText !== undefined;
}

export interface ModelRequest {
  readonly method?: "GET" | "POST";
  readonly url: URL;
  readonly headers?: Headers;
  readonly body?: unknown;
}

/** Calls the service and returns the parsed response body. */
export async function callModel(
  connection: UpstreamConnection,
  { method = "POST", url, headers = {}, body }: ModelRequest,
): Promise<unknown> {
  const response = await sendToModel(connection, { method, url, headers, body }, ANSWER_BYTES_MAX);
  if (typeof response !== "string") return response;
  throw new UpstreamError("The response of the model provider is not JSON.");
}

/** Combines the events of a streamed response into one, and returns the text that each adds. */
export interface StreamFold<State> {
  readonly first: State;
  /** Returns the text that the event adds. */
  readonly add: (state: State, event: Readonly<Record<string, unknown>>) => string;
}

/** Requests a response as server-sent events, and forwards its text as it arrives. */
export async function streamModel<State>(
  connection: UpstreamConnection,
  { url, headers = {}, body }: ModelRequest,
  fold: StreamFold<State>,
): Promise<State> {
  const onText = callers.getStore()?.beginText?.();
  const events = new EventParser((event) => {
    const error = fieldsOf(event["error"]);
    if ("message" in error) throw toStreamError(connection, textIn(error["message"]));
    const added = fold.add(fold.first, event);
    if (added !== "") onText?.(connection.scrubber.scrub(added));
  });
  let failure: unknown;
  const onBody = (chunk: Uint8Array): void => {
    if (failure !== undefined) return;
    try {
      events.feed(chunk);
    } catch (error) {
      failure = error;
    }
  };
  const request = { method: "POST", url, headers, body };
  await sendToModel(connection, request, STREAM_BYTES_MAX, onBody);
  if (failure !== undefined) throw failure;
  if (events.count === 0) throw new UpstreamError("The model provider did not send events.");
  return fold.first;
}

async function sendToModel(
  connection: UpstreamConnection,
  request: Required<Pick<ModelRequest, "url" | "headers">> & {
    readonly method: string;
    readonly body: unknown;
  },
  maxResponseBytes: number,
  onBody?: (chunk: Uint8Array) => void,
): Promise<unknown> {
  const { method, url, headers, body } = request;
  const signal = callers.getStore()?.signal;
  try {
    const response = await callHttp(connection, {
      method,
      url,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      maxResponseBytes,
      response: "data",
      ...(signal && { signal }),
      ...(onBody && { onBody }),
    });
    return response.body;
  } catch (error) {
    throw withReason(connection, error);
  }
}

/** Adds the reason in the response body to the error, because the status alone does not help users. */
function withReason({ scrubber }: UpstreamConnection, error: unknown): unknown {
  if (!(error instanceof UpstreamError) || error.particulars.status === undefined) return error;
  const { body, status } = error.particulars;
  const given = fieldsOf(Array.isArray(body) ? body[0] : body)["error"];
  const reason = typeof given === "string" ? given : textIn(fieldsOf(given)["message"]);
  if (reason === "") return error;
  const words = scrubber.scrub(reason).slice(0, REASON_CHARACTERS_MAX);
  return new UpstreamError(`The model provider returned ${status}: ${words}`, error.particulars);
}

function toStreamError({ scrubber }: UpstreamConnection, reason: string): UpstreamError {
  const words = scrubber.scrub(reason).slice(0, REASON_CHARACTERS_MAX);
  return new UpstreamError(`The model provider interrupted the response: ${words}`, {
    isDown: true,
  });
}

const LINE_CHARACTERS_MAX = 4 * 1_048_576;

/** Parses server-sent events, as far as model services use them. */
class EventParser {
  count = 0;
  readonly #onEvent: (event: Readonly<Record<string, unknown>>) => void;
  readonly #decoder = new TextDecoder();
  /** The received parts of an incomplete line. */
  #parts: string[] = [];
  #characters = 0;

  constructor(onEvent: (event: Readonly<Record<string, unknown>>) => void) {
    this.#onEvent = onEvent;
  }

  feed(chunk: Uint8Array): void {
    // Only new bytes are scanned, so that a line received byte by byte costs no more than one received at once.
    const [first = "", ...lines] = this.#decoder.decode(chunk, { stream: true }).split("\n");
    this.#keep(first);
    for (const line of lines) {
      this.#readLine(this.#parts.join("").replace(/\r$/, ""));
      this.#parts = [];
      this.#characters = 0;
      this.#keep(line);
    }
  }

  #keep(part: string): void {
    this.#characters += part.length;
    if (this.#characters > LINE_CHARACTERS_MAX) {
      throw new UpstreamError("An event of the model provider is too large.");
    }
    if (part !== "") this.#parts.push(part);
  }

  #readLine(line: string): void {
    if (!line.startsWith("data:")) return;
    const data = line.slice("data:".length).trim();
    if (data === "" || data === "[DONE]") return;
    if (isNestedDeeperThan(data, JSON_DEPTH_MAX)) {
      throw new UpstreamError("An event of the model provider has too many levels of nesting.");
    }
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      throw new UpstreamError("An event of the model provider is not JSON.");
    }
    this.count += 1;
    this.#onEvent(fieldsOf(event));
  }
}
