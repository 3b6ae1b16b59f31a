import { expect, test } from "vitest";
import { forEachInTurns, runForWorkspace, TurnTimer } from "./turn-timer.ts";

/** Works without a pause for longer than a turn allows. */
function work(ms = 10): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** A counter of event loop turns. */
function countTurns() {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return { now: () => turn, stop: () => (isOver = true) };
}

test("a single piece of work does not wait, and longer work yields between pieces", async () => {
  const turns = countTurns();
  const at: number[] = [];
  await forEachInTurns(["only"], () => void at.push(turns.now()));
  expect(at).toEqual([0]);
  const seen: number[] = [];
  await forEachInTurns([1, 2, 3, 4], () => {
    work();
    seen.push(turns.now());
  });
  turns.stop();
  expect(new Set(seen.slice(1)).size).toBe(3);
});

test("continues one waiting task per turn, alternating between workspaces", async () => {
  const turns = countTurns();
  const order: [number, string][] = [];
  const wait = async (workspace: string, name: string): Promise<void> => {
    const timer = new TurnTimer();
    await runForWorkspace(workspace, () => timer.next());
    order.push([turns.now(), name]);
  };
  await Promise.all([wait("a", "a1"), wait("a", "a2"), wait("a", "a3"), wait("b", "b1")]);
  turns.stop();
  expect(order.map(([, name]) => name)).toEqual(["a1", "b1", "a2", "a3"]);
  expect(new Set(order.map(([turn]) => turn)).size).toBe(4);
});
