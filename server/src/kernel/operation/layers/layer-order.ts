/** All layers of `perform` in order. To add a layer, add a file and a line here. */
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

/** Layers of every call, outermost first. A call rejected by the first two has no span. */
export const CALL_LAYERS: readonly CallLayer[] = [
  sharedEnvironment,
  authorisation,
  trace,
  usedSecrets,
  workspaceTurns,
  oneAtATime,
];

/** Additional layers of commands, inside the layers above. */
export const COMMAND_LAYERS: readonly CallLayer[] = [chainDepth, callGate, dryRun];
