import { runForWorkspace } from "../../work/turn-timer.ts";
import type { CallLayer } from "./call-layer.ts";

/** Schedules long work of the call fairly between workspaces. */
export const workspaceTurns: CallLayer = (next) => (platform, op, call) =>
  runForWorkspace(call.caller.workspace?.key, () => next(platform, op, call));
