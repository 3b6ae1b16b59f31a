/** Everything that `perform` does around a handler, in its order. A further layer is a file and a line here. */
import { authorisation } from "./authorisation.ts";
import type { CallLayer } from "./call-layer.ts";
import { callGate } from "./call-gate.ts";
import { chainDepth } from "./chain-depth.ts";
import { dryRun } from "./dry-run.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { sharedEnvironment } from "./shared-environment.ts";
import { trace } from "./trace.ts";
import { usedSecrets } from "./used-secrets.ts";
import { workspaceTurns } from "./workspace-turns.ts";

/** Around every call, the outermost first. A call that these two reject has no span. */
export const CALL_LAYERS: readonly CallLayer[] = [
  sharedEnvironment,
  authorisation,
  trace,
  usedSecrets,
  workspaceTurns,
  oneAtATime,
];

/** Around a command, within the layers of every call. */
export const COMMAND_LAYERS: readonly CallLayer[] = [chainDepth, callGate, dryRun];
