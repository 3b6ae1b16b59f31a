import { expect, test } from "vitest";
import { describeInBrowser, takeSeat } from "#kernel/testing/browser.ts";
import { findColourViolations, findViolations } from "./soundness.ts";

const LINK = "<a href='#' style='color: #555; text-decoration: none'>word</a>";
const PAGE = `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>
  <p style="color: #ddd; background: #fff">Hardly there</p>
  <p style="color: #000; background: #fff">In black, with one ${LINK} of another grey.</p>
  <button></button></main></html>`;
const COLOURS = ["color-contrast", "link-in-text-block"];

describeInBrowser("axe", () => {
  test("finds what nobody can read, follow or name, in one look and in one at colours alone", async () => {
    const { context, page } = await takeSeat(true);
    await page.setContent(PAGE);
    const idsOf = (found: object[]) => found.map((one) => (one as { id: string }).id).toSorted();
    expect(idsOf(await findViolations(page))).toEqual(["button-name", ...COLOURS]);
    expect(idsOf(await findColourViolations(page))).toEqual(COLOURS);
    expect(await page.locator("[data-fresh-look]").count()).toBe(0);
    await context.close();
  });
});
