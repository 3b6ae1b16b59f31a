import { beforeEach, expect } from "vitest";
import { type Ask, useFixture, useWorld } from "#kernel/testing/world.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

export const WEBHOOKS = "/api/v1/webhooks";
export const PAGER = {
  name: "Pager",
  url: "https://pager.example.com/hook",
  events: ["incident.*"],
};

/** A world with an owner, for tests of webhooks that send nothing. */
export async function useWebhooks() {
  const world = await useWorld();
  const owner = await world.member(["owner"]);
  return {
    world,
    owner,
    create: (more: object = {}) => createWebhook(owner, more),
    /** The newest event about a webhook. */
    lastEvent: async (id: string): Promise<any> =>
      (await owner(`GET /api/v1/audit?resourceId=${id}&limit=1`)).body.data[0],
  };
}

/** An endpoint for all tests of a file; it is reset before each test. */
export async function useReceiver(): Promise<Receiver> {
  const receiver = await useFixture(startReceiver());
  const { answer } = receiver;
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer = answer;
  });
  return receiver;
}

async function createWebhook(ask: Ask, more: object): Promise<any> {
  const answer = await ask(`POST ${WEBHOOKS}`, { ...PAGER, ...more });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 });
  return answer.body.data;
}
