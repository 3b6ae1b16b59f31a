/** `context.http`: HTTP calls of scripts, through the SSRF guard and a circuit breaker. */
import Type, { type Static } from "typebox";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure, Invalid, invalidField } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/error.ts";
import { encodeFiles, receiveContent, RESPONSE_FORMS } from "#domains/files/index.ts";
import type { ScriptFiles } from "./script-files.ts";
import { object, text } from "#kernel/schema/schema.ts";
import { Validator } from "#kernel/schema/validator.ts";

export const CircuitOpen = failure(
  "circuit_open",
  503,
  "Calls to this server failed several times. They are retried in a few seconds.",
);

const FAILURES_MAX = 5;
const OPEN_MS = 30_000;
const ORIGINS_MAX = 10_000;

interface Circuit {
  failures: number;
  /** Until then calls are rejected. Afterwards one call is tried. */
  openUntilMs: number;
}

/**
 * A circuit breaker per origin and workspace, so that scripts do not repeatedly wait for an unresponsive server. In
 * this process only; connectors store theirs, because their state is visible.
 */
class CircuitBreakers {
  readonly #circuits = new Map<string, Circuit>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Makes a call unless the circuit is open. `isFailure` decides which responses count as failures. */
  async call<T>(
    key: string,
    send: () => Promise<T>,
    isFailure: (response: T) => boolean,
  ): Promise<T> {
    const circuit = this.#circuitFor(key);
    if (circuit.failures >= FAILURES_MAX) {
      const restMs = circuit.openUntilMs - this.#nowMs();
      if (restMs > 0) throw circuitOpenFailure(restMs);
      // Other calls are rejected during this attempt.
      circuit.openUntilMs = this.#nowMs() + OPEN_MS;
    }
    try {
      const response = await send();
      this.#recordResult(circuit, isFailure(response));
      return response;
    } catch (error) {
      this.#recordResult(circuit, true);
      throw error;
    }
  }

  #recordResult(circuit: Circuit, isFailure: boolean): void {
    circuit.failures = isFailure ? circuit.failures + 1 : 0;
    if (circuit.failures >= FAILURES_MAX) circuit.openUntilMs = this.#nowMs() + OPEN_MS;
  }

  #circuitFor(key: string): Circuit {
    let circuit = this.#circuits.get(key);
    if (!circuit) {
      // A dropped circuit costs a few failing calls.
      if (this.#circuits.size >= ORIGINS_MAX) this.#circuits.clear();
      this.#circuits.set(key, (circuit = { failures: 0, openUntilMs: 0 }));
    }
    return circuit;
  }
}

function circuitOpenFailure(restMs: number): Failure {
  const seconds = Math.ceil(restMs / 1_000);
  return new Failure(CircuitOpen, { headers: { "retry-after": String(seconds) } });
}

const RESPONSE_BYTES_MAX = 1_048_576;
const TIMEOUT_MAX_MS = 300_000;
const TIMEOUT_MS = 30_000;

const Request = object({
  method: Type.Optional(
    Type.Enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], { default: "GET" }),
  ),
  url: Type.String({ pattern: "^https?://", maxLength: 8_000 }),
  headers: Type.Optional(Type.Record(Type.String(), text(8_000), { maxProperties: 100 })),
  body: Type.Optional(Type.Unknown()),
  response: Type.Optional(Type.Enum([...RESPONSE_FORMS])),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: TIMEOUT_MAX_MS })),
});
const validator = new Validator(Request, "body");

export const ScriptCallRefused = failure("outbound_refused", 422, "This call is not allowed.");
export const CallFailed = failure(
  "call_failed",
  502,
  "The call did not return a complete response.",
);
export const ResponseTooLarge = failure(
  "response_too_large",
  502,
  `The response is larger than ${RESPONSE_BYTES_MAX} bytes.`,
);

/** Returns status, headers and body of any response. */
export async function scriptHttpCall(
  platform: Platform,
  {
    workspace,
    input,
    signal,
    idempotencyKey,
    files,
  }: {
    readonly workspace: string;
    readonly input: unknown;
    readonly signal: AbortSignal;
    readonly idempotencyKey?: string | undefined;
    readonly files: ScriptFiles;
  },
): Promise<unknown> {
  const given = parseRequest(input);
  const key = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const request = { ...given, headers: { ...key, ...lowerCaseNames(given.headers) } };
  if (!URL.canParse(request.url)) throw invalidField("/url", "is not a URL");
  const response = await breakersOf(platform)
    .call(
      `${workspace} ${new URL(request.url).origin}`,
      () => send(platform, request, { signal, files }),
      ({ status }) => status >= 500,
    )
    .catch((error: unknown) => {
      throw toScriptFailure(error);
    });
  if (response.truncated) throw new Failure(ResponseTooLarge);
  const { status, headers, body } = response;
  return { status, headers, body };
}

/** Also accepts lower-case methods, like `fetch`. */
function parseRequest(input: unknown): Static<typeof Request> {
  const method: unknown = Object(input).method;
  const read = validator.check(
    typeof method === "string" ? { ...Object(input), method: method.toUpperCase() } : input,
  );
  // Validated by the schema.
  if ("value" in read) return read.value as Static<typeof Request>;
  const [first] = read.errors;
  const detail = `http.request: ${first?.path} ${first?.message}`;
  throw new Failure(Invalid, { detail, errors: read.errors });
}

function lowerCaseNames(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** In a step, binary responses become files, and files can be sent. */
async function send(
  { outbound }: Platform,
  request: Static<typeof Request>,
  { signal, files }: { readonly signal: AbortSignal; readonly files: ScriptFiles },
) {
  const { method = "GET", url, headers = {}, body, response, timeoutMs = TIMEOUT_MS } = request;
  const { access } = files;
  const about = { contentType: headers["content-type"], path: "/body" };
  const encoded = access && (await encodeFiles(body, about, access.open));
  const isText = typeof body === "string";
  const content = encoded?.content ?? (isText ? body : JSON.stringify(body));
  const type = encoded?.contentType ?? (isText ? undefined : "application/json");
  return outbound.exchange(
    {
      method,
      url,
      headers: {
        ...(body !== undefined && type !== undefined && { "content-type": type }),
        ...headers,
        ...(encoded && { "content-type": encoded.contentType }),
      },
      ...(body !== undefined && { body: content }),
      timeoutMs,
      allowHttp: true,
      signal,
    },
    async (head, arriving) => ({
      status: head.status,
      headers: head.headers,
      ...(await receiveContent(head, arriving, {
        form: access ? (response ?? "auto") : "data",
        bytesMax: RESPONSE_BYTES_MAX,
        keep: access?.keep ?? (() => Promise.reject(new Failure(CallFailed))),
      })),
    }),
  );
}

/** The failure for the script. It contains at most the origin. */
function toScriptFailure(error: unknown): unknown {
  if (error instanceof OutboundRefused)
    return new Failure(ScriptCallRefused, { detail: error.message });
  if (error instanceof OutboundFailed) return new Failure(CallFailed, { detail: error.message });
  return error;
}

const breakers = new WeakMap<Platform, CircuitBreakers>();

function breakersOf(platform: Platform): CircuitBreakers {
  let instance = breakers.get(platform);
  if (!instance)
    breakers.set(platform, (instance = new CircuitBreakers(() => platform.clock.nowMs())));
  return instance;
}
