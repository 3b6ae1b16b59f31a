import { expect, test } from "vitest";
import type { RunStep } from "../../workflows/index.ts";
import { sumUp, toConversation, toDollars } from "./conversation.ts";

const step = (id: string, more: object = {}): RunStep =>
  ({ id, nodeId: id, name: id, status: "completed", attempts: 1, logs: [], ...more }) as never;
const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 0 };

test("sorts agent turns, calls, results and approvals in order", () => {
  const agent = step("bot", { input: { prompt: "Double 4" } });
  const calls = [
    { id: "a", name: "double", arguments: { n: 4 } },
    { id: "b", name: "pay", arguments: {} },
  ];
  const entries = toConversation(agent, [
    step("bot[0].$turn", { output: { text: "Let me see.", usage, cost: 0.01, calls } }),
    step("bot[0].$calls[0].double", { output: { twice: 8 } }),
    step("bot[0].$calls[0].$answer", { output: { content: "8" } }),
    step("bot[0].$calls[1].$approve", { status: "paused" }),
    step("bot[1].$turn", { status: "failed", error: { code: "x", message: "No." } }),
  ]);
  expect(entries.map(({ kind, ...rest }) => [kind, "status" in rest && rest.status])).toEqual([
    ["prompt", false],
    ["turn", "completed"],
    ["call", "done"],
    ["call", "waiting"],
    ["turn", "failed"],
  ]);
  expect(entries[2]).toMatchObject({ stepId: "bot[0].$calls[0].double", result: "8" });
  expect(entries[3]).toMatchObject({ stepId: "bot[0].$calls[1].$approve" });
  expect(sumUp(entries)).toEqual({ turns: 2, calls: 2, tokens: 120, cost: 0.01 });
  expect([toDollars(0.00036), toDollars(2.5)]).toEqual(["$0.00036", "$2.50"]);
});
