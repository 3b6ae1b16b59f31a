import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { type AgentAnswer, invokeOperation } from "../invoke-operation.ts";
import type { AgentCall } from "./agent-call.ts";

const UNDECIDED: readonly AgentCall["status"][] = ["pending", "approved"];

/** Reads a call, and optionally waits for its result. */
export async function awaitCall(
  platform: Platform,
  caller: Caller,
  { callId, waitMs }: { readonly callId: string; readonly waitMs: number },
): Promise<AgentAnswer> {
  const op = platform.operations.get("agent_calls.get");
  if (!op) throw new Error("There is no operation to read a call.");
  const read = (): Promise<AgentAnswer> =>
    invokeOperation(platform, caller, op, {
      params: { id: callId },
      query: {},
      body: undefined,
      environment: caller.environment,
      isDryRun: false,
    });
  let change = Promise.withResolvers<void>();
  // Subscribes before the first read; otherwise a decision in between would be missed.
  const unsubscribe = platform.commitFeed.subscribe(["agent_call"], ({ resourceId }) => {
    if (resourceId === callId) change.resolve();
  });
  const end = AbortSignal.any([
    AbortSignal.timeout(waitMs),
    platform.shutdown,
    ...(caller.disconnected ? [caller.disconnected] : []),
  ]);
  const ended = new Promise<void>((resolve) => {
    if (end.aborted) resolve();
    end.addEventListener("abort", () => resolve(), { once: true });
  });
  try {
    for (;;) {
      change = Promise.withResolvers();
      const answer = await read();
      const { data } = (answer.value ?? {}) as { readonly data?: AgentCall };
      if (waitMs === 0 || end.aborted || !data || !UNDECIDED.includes(data.status)) return answer;
      await Promise.race([change.promise, ended]);
    }
  } finally {
    unsubscribe();
  }
}
