import type { Figure } from "../../figure.ts";
import { spreadOf } from "../../statistics.ts";
import { Stage, untilDrawn } from "./stage.ts";

const PRESSES = 40;
const TARGET_MS = 50;

/** From pressing `j` in the list of runs to the frame with the next row. */
export const consoleKeys: Figure = {
  name: "console-keys",
  async measure(rig) {
    await using stage = await Stage.open(rig);
    const page = await stage.owner();
    await page.goto(`${stage.origin}/runs`);
    await untilDrawn(page, "[aria-label=Runs] [role=row]");
    await page.evaluate(OBSERVE);
    for (let press = 0; press < PRESSES; press += 1) {
      await page.keyboard.press("j");
      await page.evaluate(`globalThis.afterKeys(${press + 1})`);
    }
    const timesMs = (await page.evaluate("globalThis.keyTimesMs")) as number[];
    const { median, min, max } = spreadOf(timesMs);
    return {
      ours: `${Math.round(median)} ms`,
      target: `≤ ${TARGET_MS} ms`,
      reached: median <= TARGET_MS,
      notes: [`${PRESSES} presses: ${Math.round(min)}–${Math.round(max)} ms`],
      values: { timesMs },
    };
  },
};

/** The event's time is the time of the key press, before any listener runs. */
const OBSERVE = `
  globalThis.keyTimesMs = [];
  addEventListener("keydown", ({ timeStamp }) => {
    requestAnimationFrame(() =>
      setTimeout(() => globalThis.keyTimesMs.push(performance.now() - timeStamp)));
  }, { capture: true });
  globalThis.afterKeys = (count) => new Promise((resolve) => {
    const look = () => globalThis.keyTimesMs.length >= count ? resolve() : requestAnimationFrame(look);
    look();
  });
`;
