import type { Page } from "playwright-core";
import type { Figure } from "../../figure.ts";
import { deploy } from "../../workflow.ts";
import { Stage, untilDrawn } from "./stage.ts";

const STEPS = 200;
const MOVES = 120;
const MOVE_PX = 4;
const TARGET_MS = 33;
const NODE = ".react-flow__node";

/** The longest frame while dragging a canvas of 200 steps, and while dragging a step. */
export const consoleCanvas: Figure = {
  name: "console-canvas",
  async measure(rig) {
    await using stage = await Stage.open(rig);
    const { id } = await deploy(stage.product, LARGE);
    const page = await stage.owner();
    await page.goto(`${stage.origin}/workflows/${id}`);
    await untilDrawn(page, NODE);
    const canvas = await drag(page, ".react-flow__pane");
    const step = await drag(page, NODE);
    const longest = { canvas: Math.max(...canvas), step: Math.max(...step) };
    return {
      ours: `canvas ${longest.canvas.toFixed(0)} ms, step ${longest.step.toFixed(0)} ms`,
      target: `≤ ${TARGET_MS} ms, both`,
      reached: Math.max(longest.canvas, longest.step) <= TARGET_MS,
      notes: [`${STEPS} steps; ${canvas.length} and ${step.length} frames`],
      values: { canvasFramesMs: canvas, stepFramesMs: step },
    };
  },
};

/** Eight parallel branches with some joins. */
const LARGE = {
  name: "Large",
  trigger: { type: "manual" },
  nodes: Array.from({ length: STEPS }, (_, n) => ({
    id: `step${n}`,
    type: "set",
    config: { values: { number: n } },
  })),
  edges: Array.from({ length: STEPS - 8 }, (_, n) => [
    { from: `step${n}`, to: `step${n + 8}` },
    ...(n % 40 === 0 ? [{ from: `step${n}`, to: `step${n + 9}` }] : []),
  ])
    .flat()
    .filter(({ to }) => Number(to.slice(4)) < STEPS),
};

/** Drags the centre of the first match back and forth. Resolves to the frame times. */
async function drag(page: Page, selector: string): Promise<number[]> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`There is no ${selector}.`);
  const [left, top] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.evaluate(RECORD);
  for (let move = 1; move <= MOVES; move += 1) {
    const away = MOVE_PX * (move <= MOVES / 2 ? move : MOVES - move);
    await page.mouse.move(left + away, top + away / 2);
  }
  const framesMs = (await page.evaluate("globalThis.endFrames()")) as number[];
  await page.mouse.up();
  return framesMs;
}

const RECORD = `
  const framesMs = [];
  let last, isOver = false;
  const draw = (now) => {
    if (last !== undefined) framesMs.push(now - last);
    last = now;
    if (!isOver) requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  globalThis.endFrames = () => { isOver = true; return framesMs; };
`;
