import { expect, test } from "vitest";
import { describeInBrowser, takeSeat } from "#kernel/testing/browser.ts";
import { findColourViolations, findViolations } from "./soundness.ts";

const LINK = "<a href='#' style='color: #555; text-decoration: none'>word</a>";
const PAGE = `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>
  <p style="color: #ddd; background: #fff" class="pale">Hardly there</p>
  <p style="color: rgb(0 0 0 / 30%); background: #fff" class="thin">As thin as mist</p>
  <div style="position: relative; background: #fff">
    <i style="position: absolute; inset: 0; background: #111"></i>
    <p style="position: relative; color: #000" class="covered">On what lies between</p>
  </div>
  <p style="color: #000; background: #fff">In black, with one ${LINK} of another grey.</p>
  <button></button></main></html>`;
const COLOURS = ["color-contrast", "link-in-text-block"];

describeInBrowser("axe", () => {
  test("finds unreadable, unreachable and unnamed elements, in a full check and in a color check", async () => {
    const { context, page } = await takeSeat(true);
    await page.setContent(PAGE);
    const idsOf = (found: object[]) => found.map((one) => (one as { id: string }).id).toSorted();
    const found = await findViolations(page);
    expect(idsOf(found)).toEqual(["button-name", ...COLOURS]);
    expect(found).toContainEqual(
      expect.objectContaining({ id: COLOURS[0], where: [".pale", ".thin", ".covered"] }),
    );
    expect(idsOf(await findColourViolations(page))).toEqual(COLOURS);
    expect(await page.locator("[data-fresh-look], [data-fresh-link]").count()).toBe(0);
    await context.close();
  });
});
