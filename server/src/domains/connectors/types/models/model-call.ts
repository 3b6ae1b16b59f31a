/** The call of a service for language models: one answer, or a stream of events that becomes one. */
import { AsyncLocalStorage } from "node:async_hooks";
import { isNestedDeeperThan } from "#kernel/schema/json-depth.ts";
import { JSON_DEPTH_MAX } from "#kernel/schema/json-value.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { callHttp, type Headers } from "../../upstream/http.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import { fieldsOf, textIn } from "./chat.ts";

/** Of an answer that comes in events, which repeat much. */
const STREAM_BYTES_MAX = 16 * 1_048_576;
const ANSWER_BYTES_MAX = 4 * 1_048_576;
const REASON_CHARACTERS_MAX = 500;

/** The step that a call is made for. */
export interface ModelCaller {
  /** Aborted when the answer is of no use any more. */
  readonly signal: AbortSignal;
  /**
   * Called with the beginning of an answer, and what it gives with each piece of text; the service is asked to stream
   * then.
   */
  readonly beginText?: () => (text: string) => void;
}

const callers = new AsyncLocalStorage<ModelCaller>();

/** Does the work, of which calls of models know for whom they are. */
export function callModelsFor<T>(caller: ModelCaller, work: () => Promise<T>): Promise<T> {
  return callers.run(caller, work);
}

/** True when somebody wants to see the text as it comes. */
export function isStreamWanted(): boolean {
  return callers.getStore()?.beginText !== undefined;
}

export interface ModelRequest {
  readonly method?: "GET" | "POST";
  readonly url: URL;
  readonly headers?: Headers;
  readonly body?: unknown;
}

/** Calls and gives the body of the answer, parsed. */
export async function callModel(
  connection: UpstreamConnection,
  { method = "POST", url, headers = {}, body }: ModelRequest,
): Promise<unknown> {
  const response = await sendToModel(connection, { method, url, headers, body }, ANSWER_BYTES_MAX);
  if (typeof response !== "string") return response;
  throw new UpstreamError("The response of the model provider is not JSON.");
}

/** Folds the events of a streamed answer into one, and says which text each adds. */
export interface StreamFold<State> {
  readonly first: State;
  /** Gives the text that the event adds. */
  readonly add: (state: State, event: Readonly<Record<string, unknown>>) => string;
}

/** Calls for an answer in server-sent events; their text is told as it comes. */
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

/** Services say in the body what was wrong; to say only the status helps nobody. */
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

/** Parses server-sent events, as far as services for models use them. */
class EventParser {
  count = 0;
  readonly #onEvent: (event: Readonly<Record<string, unknown>>) => void;
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not come, in the parts in which it came. */
  #parts: string[] = [];
  #characters = 0;

  constructor(onEvent: (event: Readonly<Record<string, unknown>>) => void) {
    this.#onEvent = onEvent;
  }

  feed(chunk: Uint8Array): void {
    // Only what is new is looked at: a line that comes byte by byte takes no longer than one that comes at once.
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
