import { Failure, Internal } from "../operation/failure.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import { isNestedDeeperThan } from "../schema/json-depth.ts";
import { parseJson } from "./json.ts";
import type { HostReply, Call, CallFailure } from "./protocol.ts";
import { type Execution, HOST_METHODS } from "./script.ts";

type CallReply = Pick<HostReply, "value" | "failure">;

export interface HostCallsOptions {
  readonly call: Execution["call"];
  readonly answer: (call: number, reply: CallReply) => void;
  /** Receives errors other than `Failure`, which scripts do not see. */
  readonly onError: (error: unknown) => void;
}

/**
 * The host calls of one run. A few run concurrently, others are queued. A call started before the script ended
 * is completed even if not awaited. A stopped script cannot make calls.
 */
export class HostCalls {
  readonly #options: HostCallsOptions;
  readonly #stop = new AbortController();
  readonly #waiting: Call[] = [];
  #made = 0;
  #traffic = 0;
  #fileTraffic = 0;
  #running = 0;

  constructor(options: HostCallsOptions) {
    this.#options = options;
  }

  make(call: Call): void {
    this.#made += 1;
    if (this.#made > SCRIPT_LIMITS.callsMax || !this.#carries(call.method, call.args.length)) {
      return this.#options.answer(
        call.call,
        rejectCall("too_many_calls", "The script made too many calls."),
      );
    }
    this.#waiting.push(call);
    this.#serve();
  }

  stop(): void {
    this.#waiting.length = 0;
    this.#stop.abort(new Error("The script was stopped."));
  }

  #serve(): void {
    while (this.#running < SCRIPT_LIMITS.callsAtATime) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running += 1;
      void this.#answer(next).then((reply) => {
        this.#running -= 1;
        this.#options.answer(next.call, reply);
        this.#serve();
      });
    }
  }

  /** Counts the size of a call. Returns false if the limit is exceeded. */
  #carries(method: string, size: number): boolean {
    if (method.startsWith("files.")) {
      this.#fileTraffic += size;
      return this.#fileTraffic <= SCRIPT_LIMITS.fileTrafficMax;
    }
    this.#traffic += size;
    return this.#traffic <= SCRIPT_LIMITS.trafficMax;
  }

  async #answer({ method, args: text }: Call): Promise<CallReply> {
    const known = HOST_METHODS.find((name) => name === method);
    if (!known) return rejectCall("unknown_method", `The function ${method} does not exist.`);
    if (isNestedDeeperThan(text, SCRIPT_LIMITS.depthMax)) {
      const message = `The argument of ${method} has more than ${SCRIPT_LIMITS.depthMax} levels of nesting.`;
      return rejectCall("too_large", message);
    }
    try {
      const args = parseJson(text);
      if (!Array.isArray(args)) return rejectCall("invalid", `${method} requires arguments.`);
      const value = await this.#options.call(known, args, this.#stop.signal);
      const json = JSON.stringify(value) as string | undefined;
      const size = json?.length ?? 0;
      if (size > SCRIPT_LIMITS.answerMax || !this.#carries(method, size)) {
        return rejectCall("too_large", `The response of ${method} is too large for a script.`);
      }
      return json === undefined ? {} : { value: json };
    } catch (error) {
      if (error instanceof Failure) return toReply(error);
      if (!this.#stop.signal.aborted) this.#options.onError(error);
      return rejectCall(Internal.code, Internal.title);
    }
  }
}

function toReply({ type, message, particulars }: Failure): CallReply {
  const { code, status } = type;
  const { errors } = particulars;
  const failure: CallFailure = { code, message, status, ...(errors && { errors }) };
  return { failure: JSON.stringify(failure) };
}

function rejectCall(code: string, message: string): CallReply {
  const failure: CallFailure = { code, message };
  return { failure: JSON.stringify(failure) };
}
