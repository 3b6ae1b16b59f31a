import { runForWorkspace } from "../../work/turn-timer.ts";
import type { CallLayer } from "./call-layer.ts";

/** Lets long work of the call take turns with that of other workspaces. */
export const workspaceTurns: CallLayer = (next) => (platform, op, call) =>
  runForWorkspace(call.caller.workspace?.key, () => next(platform, op, call));
