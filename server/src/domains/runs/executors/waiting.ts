import * as types from "#domains/workflows/index.ts";
import { executor } from "../engine/executor.ts";

export const delay = executor({
  type: types.delay,
  run: ({ ms }, { outside }) => ({
    wait: { kind: "delay", untilMs: outside.clock.nowMs() + ms },
  }),
});

export const waitForEvent = executor({
  type: types.waitForEvent,
  run: ({ topic, eventType, filter, timeoutMs }, { outside }) => ({
    wait: {
      kind: "event",
      topic,
      ...(eventType !== undefined && { eventType }),
      ...(filter !== undefined && { filter }),
      ...(timeoutMs !== undefined && { untilMs: outside.clock.nowMs() + timeoutMs }),
    },
  }),
});

export const approval = executor({
  type: types.approval,
  run: ({ approvers, quorum = 1, message, expiresMs }, { outside }) => ({
    wait: {
      kind: "approval",
      approvers,
      quorum,
      ...(message !== undefined && { message }),
      decisions: [],
      ...(expiresMs !== undefined && { untilMs: outside.clock.nowMs() + expiresMs }),
    },
  }),
});
