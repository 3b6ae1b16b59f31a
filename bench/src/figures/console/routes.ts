import type { Figure } from "../../figure.ts";
import { spreadOf } from "../../statistics.ts";
import { clickOn, Stage, untilDrawn } from "./stage.ts";

const ROUNDS = 10;
const TARGET_MS = 100;
const WAY = [
  { link: 'nav a[href^="/workflows"]', isThere: "main tr[aria-rowindex]" },
  { link: 'nav a[href^="/runs"]', isThere: "[aria-label=Runs] [role=row]" },
  { link: 'nav a[href="/"]', isThere: ".home-title > span" },
];

/** From a click in the navigation to the next screen with its data: home, workflows, runs. */
export const consoleRoutes: Figure = {
  name: "console-routes",
  async measure(rig) {
    await using stage = await Stage.open(rig);
    const page = await stage.owner();
    await page.goto(stage.origin);
    await untilDrawn(page, ".home-title > span");
    const timesMs: number[] = [];
    // The first round loads the code of the screens.
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const { link, isThere } of WAY) {
        const time = await untilDrawn(page, isThere, clickOn(link));
        if (round >= 0) timesMs.push(time);
      }
    }
    const { median, min, max } = spreadOf(timesMs);
    return {
      ours: `${Math.round(median)} ms`,
      target: `≤ ${TARGET_MS} ms`,
      reached: median <= TARGET_MS,
      notes: [`${timesMs.length} changes: ${Math.round(min)}–${Math.round(max)} ms`],
      values: { timesMs },
    };
  },
};
