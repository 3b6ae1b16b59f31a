import * as types from "#domains/workflows/index.ts";
import { executor } from "../engine/executor.ts";

export const publishEvent = executor({
  type: types.publishEvent,
  async run({ topic, type, payload = {} }, { perform }) {
    const body = { type, payload };
    return { output: dataOf(await perform("topics.publish", { params: { name: topic }, body })) };
  },
});

export const notify = executor({
  type: types.notify,
  async run({ userIds, title, body = "" }, { perform }) {
    return {
      output: dataOf(await perform("notifications.send", { body: { userIds, title, body } })),
    };
  },
});

function dataOf(answer: unknown): unknown {
  return (answer as { data: unknown }).data;
}
