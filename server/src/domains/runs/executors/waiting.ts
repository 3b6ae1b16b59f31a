import * as types from "#domains/workflows/index.ts";
import { executor, StepFailure } from "../engine/executor.ts";

export const delay = executor({
  type: types.delay,
  run: ({ ms }, { outside }) => ({
    wait: { kind: "delay", untilMs: outside.clock.nowMs() + ms },
  }),
});

export const waitForEvent = executor({
  type: types.waitForEvent,
  run({ topic, eventType, filter, timeoutMs }, { outside }) {
    // What its templates gave may be no condition.
    const [fault] = types.waitForEvent.check?.({ eventType, filter }) ?? [];
    if (fault) {
      throw new StepFailure("invalid_config", `${fault.path} ${fault.message}`, {
        retryable: false,
      });
    }
    return {
      wait: {
        kind: "event",
        topic,
        ...(eventType !== undefined && { eventType }),
        ...(filter !== undefined && { filter }),
        ...(timeoutMs !== undefined && { untilMs: outside.clock.nowMs() + timeoutMs }),
      },
    };
  },
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
