/** `context.http`: a call to anywhere that the outbound guard permits. */
import Type, { type Static } from "typebox";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure, Invalid, invalidField } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/error.ts";
import { parseResponseContent } from "#kernel/outbound/response-content.ts";
import { object, text } from "#kernel/schema/schema.ts";
import { Validator } from "#kernel/schema/validator.ts";

/** Keeps scripts from waiting, again and again, for a server that does not answer. */

export const CircuitOpen = failure(
  "circuit_open",
  503,
  "Calls to this server failed several times in a row; they are tried again shortly.",
);

const FAILURES_MAX = 5;
const OPEN_MS = 30_000;
const ORIGINS_MAX = 10_000;

interface Circuit {
  failures: number;
  /** Until then nothing is let through; afterwards one call may try. */
  openUntilMs: number;
}

/**
 * One for each origin and workspace, in this process: what is at stake is only the time of scripts
 * that run here. Connectors, which others see the state of, keep theirs in the database.
 */
class Breakers {
  readonly #circuits = new Map<string, Circuit>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Makes a call unless the circuit is open. `failed` says whether an answer counts as a failure. */
  async through<T>(
    key: string,
    call: () => Promise<T>,
    failed: (answer: T) => boolean,
  ): Promise<T> {
    const circuit = this.#of(key);
    if (circuit.failures >= FAILURES_MAX) {
      const restMs = circuit.openUntilMs - this.#nowMs();
      if (restMs > 0) throw open(restMs);
      // Whoever else comes while this one tries is refused.
      circuit.openUntilMs = this.#nowMs() + OPEN_MS;
    }
    try {
      const answer = await call();
      this.#note(circuit, failed(answer));
      return answer;
    } catch (error) {
      this.#note(circuit, true);
      throw error;
    }
  }

  #note(circuit: Circuit, failed: boolean): void {
    circuit.failures = failed ? circuit.failures + 1 : 0;
    if (circuit.failures >= FAILURES_MAX) circuit.openUntilMs = this.#nowMs() + OPEN_MS;
  }

  #of(key: string): Circuit {
    let circuit = this.#circuits.get(key);
    if (!circuit) {
      // To forget a circuit costs a few calls in vain.
      if (this.#circuits.size >= ORIGINS_MAX) this.#circuits.clear();
      this.#circuits.set(key, (circuit = { failures: 0, openUntilMs: 0 }));
    }
    return circuit;
  }
}

function open(restMs: number): Failure {
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
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: TIMEOUT_MAX_MS })),
});
const shape = new Validator(Request, "body");

export const ScriptCallRefused = failure("outbound_refused", 422, "This call may not be made.");
export const CallFailed = failure("call_failed", 502, "The call brought no whole answer.");
export const ResponseTooLarge = failure(
  "response_too_large",
  502,
  `The answer is larger than ${RESPONSE_BYTES_MAX} bytes.`,
);

/** Status, headers and body of the answer, whatever the status is. */
export async function scriptHttpCall(
  platform: Platform,
  {
    workspace,
    given,
    signal,
  }: { readonly workspace: string; readonly given: unknown; readonly signal: AbortSignal },
): Promise<unknown> {
  const request = requestOf(given);
  if (!URL.canParse(request.url)) throw invalidField("/url", "is not a URL");
  const answer = await breakersOf(platform)
    .through(
      `${workspace} ${new URL(request.url).origin}`,
      () => send(platform, request, signal),
      ({ status }) => status >= 500,
    )
    .catch((error: unknown) => {
      throw told(error);
    });
  if (answer.truncated) throw new Failure(ResponseTooLarge);
  const { status, headers } = answer;
  return { status, headers, body: parseResponseContent(headers, answer.body) };
}

/** Methods are taken in small letters too, as `fetch` takes them. */
function requestOf(given: unknown): Static<typeof Request> {
  const method: unknown = Object(given).method;
  const read = shape.check(
    typeof method === "string" ? { ...Object(given), method: method.toUpperCase() } : given,
  );
  // Its own shape has passed it.
  if ("value" in read) return read.value as Static<typeof Request>;
  const [first] = read.faults;
  const detail = `http.request: ${first?.path} ${first?.message}`;
  throw new Failure(Invalid, { detail, errors: read.faults });
}

function send({ outbound }: Platform, request: Static<typeof Request>, signal: AbortSignal) {
  const { method = "GET", url, headers = {}, body, timeoutMs = TIMEOUT_MS } = request;
  const isText = typeof body === "string";
  const given = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return outbound.request({
    method,
    url,
    headers: {
      ...(body !== undefined && !isText && { "content-type": "application/json" }),
      ...Object.fromEntries(given),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    timeoutMs,
    maxResponseBytes: RESPONSE_BYTES_MAX,
    allowHttp: true,
    signal,
  });
}

/** What the script is told: the messages of the client name no more than the origin. */
function told(error: unknown): unknown {
  if (error instanceof OutboundRefused)
    return new Failure(ScriptCallRefused, { detail: error.message });
  if (error instanceof OutboundFailed) return new Failure(CallFailed, { detail: error.message });
  return error;
}

const breakers = new WeakMap<Platform, Breakers>();

function breakersOf(platform: Platform): Breakers {
  let all = breakers.get(platform);
  if (!all) breakers.set(platform, (all = new Breakers(() => platform.clock.nowMs())));
  return all;
}
