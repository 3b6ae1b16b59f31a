/** The program of an evaluator: a process that evaluates expressions in a realm, one request at a time. */
import { constants, createContext, runInContext, Script } from "node:vm";
import { READY_MESSAGE } from "../../work/subprocess-ready.ts";
import { BASE64, compileJsonata } from "../jsonata.ts";
import type { EvaluationReply, EvaluationRequest } from "./protocol.ts";
import { type bootstrapRealm, type RealmHandle, realmSource } from "./realm-bootstrap.ts";

const evaluate = openRealm(Number(process.argv[2]));

process.on("message", (request: EvaluationRequest) => {
  process.send?.(evaluate(request));
});
// The server has ended.
process.on("disconnect", () => process.exit());
process.send?.(READY_MESSAGE);

/** Evaluates the expressions of a request within its time limit. */
type Evaluate = (request: EvaluationRequest) => readonly EvaluationReply[];

/** Creates the realm for expressions. `compiledBytesMax` limits the memory of compiled ones. */
function openRealm(compiledBytesMax: number): Evaluate {
  // A plain global object. The default one calls the host for each name, which makes JSONata three times as
  // slow.
  const context = createContext(constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
    // Promises of the realm are settled before a script returns, and so within its time limit.
    microtaskMode: "afterEvaluate",
  });
  // The text contains this function and the functions it uses.
  const bootstrap = runInContext(realmSource(), context) as typeof bootstrapRealm;
  const realm = bootstrap({
    make: compileJsonata(context),
    base64: BASE64,
    bytesMax: compiledBytesMax,
    depthMax: 200,
  });
  // Timeouts apply to scripts, not functions, so the script must be able to access the handle.
  const setGlobal = runInContext("(realm) => { globalThis.realm = realm; }", context) as (
    realm: RealmHandle,
  ) => void;
  setGlobal(realm);
  const script = new Script("realm.evaluate()");
  return (request) => {
    const deadline = performance.now() + request.timeLimitMs;
    const { expressions, timeLimitMs: _, ...rest } = request;
    return expressions.map(({ text, writes }) => {
      const timeout = Math.ceil(deadline - performance.now());
      if (timeout < 1) return { error: { code: "timeout" } };
      Object.assign(realm, rest, { text, writes, reply: undefined });
      return runScript(realm, () => script.runInContext(context, { timeout }));
    });
  };
}

function runScript(realm: RealmHandle, run: () => void): EvaluationReply {
  try {
    run();
  } catch (error) {
    realm.forget();
    return { error: { code: isTimeout(error) ? "timeout" : "unknown" } };
  }
  const { reply } = realm;
  realm.input = undefined;
  // The realm has no I/O, so an evaluation that has not ended never will.
  if (!reply) return { error: { code: "unknown" } };
  // Copied to keep objects of the realm inside it.
  return reply.error ? { error: { ...reply.error } } : { json: reply.json };
}

/** The error can come from the realm, which has a different `Error` class. */
function isTimeout(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
