import { constants, createContext, runInContext, Script } from "node:vm";
import { BASE64, compileJsonata } from "../jsonata.ts";
import { carried, type Desk, type openDesk } from "./realm-bootstrap.ts";
import type { EvaluationRequest, EvaluationReply } from "./protocol.ts";

/** Carries out a job within its time. */
export type JobRunner = (job: EvaluationRequest) => readonly EvaluationReply[];

/** Makes the realm in which expressions run; those that are compiled may take so much of its memory. */
export function openRealm(compiledBytesMax: number): JobRunner {
  // A plain global: the usual one asks our side for each name, which makes JSONata three times as slow.
  const context = createContext(constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
    // Promises of the realm are carried out before a script returns, and so within its time limit.
    microtaskMode: "afterEvaluate",
  });
  // The text is that of this very function and those that it uses.
  const open = runInContext(carried(), context) as typeof openDesk;
  const desk = open({
    make: compileJsonata(context),
    base64: BASE64,
    bytesMax: compiledBytesMax,
    depthMax: 200,
  });
  // A time limit goes with a script, not with a function, so the script must find the desk.
  const bring = runInContext("(desk) => { globalThis.desk = desk; }", context) as (
    desk: Desk,
  ) => void;
  bring(desk);
  const script = new Script("desk.evaluate()");
  return (job) => {
    const deadline = performance.now() + job.timeLimitMs;
    const { expressions, timeLimitMs: _, ...rest } = job;
    return expressions.map(({ text, writes }) => {
      const timeout = Math.ceil(deadline - performance.now());
      if (timeout < 1) return { fault: { code: "timeout" } };
      Object.assign(desk, rest, { text, writes, report: undefined });
      return carryOut(desk, () => script.runInContext(context, { timeout }));
    });
  };
}

function carryOut(desk: Desk, run: () => void): EvaluationReply {
  try {
    run();
  } catch (error) {
    desk.forget();
    return { fault: { code: isTimeout(error) ? "timeout" : "unknown" } };
  }
  const { report } = desk;
  desk.input = undefined;
  // Nothing over there waits for anything, so that what has not ended never will.
  if (!report) return { fault: { code: "unknown" } };
  // Copied, so that no object of the realm travels on.
  return report.fault ? { fault: { ...report.fault } } : { json: report.json };
}

/** The error may come from the realm, where `Error` is another. */
function isTimeout(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
