import Type from "typebox";
import { holdVersion } from "#domains/workflows/index.ts";
import { type Caller, type Outside, type RawRequest } from "#kernel/caller.ts";
import { Failure, failure, NotFound, RateLimited, Unauthenticated } from "#kernel/failure.ts";
import { parseAny } from "#kernel/http/body.ts";
import { command } from "#kernel/operation.ts";
import { type Written, written } from "#kernel/reply.ts";
import { id, line, object } from "#kernel/schema.ts";
import { UnknownSecret } from "#kernel/secrets/secrets.ts";
import { type Beginning, headStart, writeBeginning } from "../engine/starting.ts";
import { fold } from "../engine/record.ts";
import { isOver, readJournals } from "../engine/store.ts";
import { turnOf } from "../engine/writing.ts";
import { startEvents } from "../events.ts";
import { untilOver } from "../watch.ts";
import { answerOf } from "./answer.ts";
import { findHook, type Hook } from "./hook.ts";
import { headerOf, isSigned, type SignatureRule } from "./signature.ts";

const WAIT_MAX_MS = 30_000;

export const SignatureInvalid = failure(
  "signature_invalid",
  401,
  "The request has no valid signature.",
);
export const RunFailedUnanswered = failure(
  "run_failed",
  500,
  "The workflow failed before it gave an answer.",
);

/** What a request came to: an answer, and the run that may still give another one. */
interface Received extends Written {
  readonly awaited?: Beginning;
}
