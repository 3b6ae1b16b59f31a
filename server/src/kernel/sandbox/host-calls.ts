import { Failure, Internal } from "../operation/failure.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import { isNestedDeeperThan } from "./json-depth.ts";
import { parseJson } from "./json.ts";
import type { HostReply, Call, CallFailure } from "./protocol.ts";
import { type Execution, HOST_METHODS } from "./script.ts";

type Reply = Pick<HostReply, "value" | "failure">;

export interface HostCallsOptions {
  readonly call: Execution["call"];
  readonly answer: (call: number, reply: Reply) => void;
  /** Hears of what was thrown that is no `Failure`: the script is not told. */
  readonly onError: (error: unknown) => void;
}

/**
 * The calls of one run. A few are served at a time, the rest in their order. What a script called before
 * it ended is carried out even if it did not wait for it; what was stopped calls nothing any more.
 */
export class HostCalls {
  readonly #options: HostCallsOptions;
  readonly #stop = new AbortController();
  readonly #waiting: Call[] = [];
  #made = 0;
  #traffic = 0;
  #running = 0;

  constructor(options: HostCallsOptions) {
    this.#options = options;
  }

  make(call: Call): void {
    this.#made += 1;
    this.#traffic += call.args.length;
    if (this.#made > SCRIPT_LIMITS.callsMax || this.#traffic > SCRIPT_LIMITS.trafficMax) {
      return this.#options.answer(call.call, refusal("too_many_calls", "That are too many calls."));
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
      void this.#reply(next).then((reply) => {
        this.#running -= 1;
        this.#options.answer(next.call, reply);
        this.#serve();
      });
    }
  }

  async #reply({ method, args: text }: Call): Promise<Reply> {
    const known = HOST_METHODS.find((name) => name === method);
    if (!known) return refusal("unknown_method", `There is no ${method}.`);
    if (isNestedDeeperThan(text, SCRIPT_LIMITS.depthMax)) {
      const message = `${method} was given what is nested deeper than ${SCRIPT_LIMITS.depthMax} levels.`;
      return refusal("too_large", message);
    }
    try {
      const args = parseJson(text);
      if (!Array.isArray(args)) return refusal("invalid", `${method} was given no arguments.`);
      const value = await this.#options.call(known, args, this.#stop.signal);
      const json = JSON.stringify(value) as string | undefined;
      this.#traffic += json?.length ?? 0;
      if (
        (json?.length ?? 0) > SCRIPT_LIMITS.answerMax ||
        this.#traffic > SCRIPT_LIMITS.trafficMax
      ) {
        return refusal("too_large", `What ${method} answered is too large for a script.`);
      }
      return json === undefined ? {} : { value: json };
    } catch (error) {
      if (error instanceof Failure) return failed(error);
      if (!this.#stop.signal.aborted) this.#options.onError(error);
      return refusal(Internal.code, Internal.title);
    }
  }
}

function failed({ type, message, particulars }: Failure): Reply {
  const { code, status } = type;
  const { errors } = particulars;
  const failure: CallFailure = { code, message, status, ...(errors && { errors }) };
  return { failure: JSON.stringify(failure) };
}

function refusal(code: string, message: string): Reply {
  const failure: CallFailure = { code, message };
  return { failure: JSON.stringify(failure) };
}
