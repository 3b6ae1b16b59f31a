import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

describeInBrowser("tables", () => {
  const at = useConsole();

  test("a person makes a table of a spreadsheet, types and pastes, filters, saves a view, sees a colleague's change, undoes", async () => {
    const visitor = await at.visit(["builder"]);
    const colleague = await at.world.member(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/tables`);
    await page.getByRole("button", { name: "Table", exact: true }).first().click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Parts");
    const lines = Array.from(
      { length: 8 },
      (_, n) => `Bolt ${n}\t${n},50\t${n % 2 ? "steel" : "brass"}`,
    );
    await page
      .getByLabel("Cells of a spreadsheet")
      .fill(["Title\tPrice\tMetal", ...lines].join("\n"));
    await page.getByRole("button", { name: "Make it with 8 records" }).click();
    const grid = page.getByRole("grid");
    const cell = (text: string) => grid.getByRole("gridcell", { name: text, exact: true });
    await cell("Bolt 7").waitFor();

    // Types over a cell, by keys alone.
    await grid.focus();
    await page.keyboard.type("Washer");
    await page.keyboard.press("Enter");
    await cell("Washer").waitFor();

    // Pastes cells of a spreadsheet over two records and beyond the last of them.
    await page.keyboard.press("Control+End");
    await page.keyboard.press("Home");
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "Nut 1\t1.25\nNut 2\t2.25");
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    });
    await cell("Nut 2").waitFor();
    await page.getByText("9 records").waitFor();
    await page.getByText("Saved", { exact: true }).waitFor();
    await expectSound(visitor);

    // A colleague's change appears by itself.
    const filter = encodeURIComponent('{"title":"Bolt 3"}');
    const { body } = await colleague(`GET /api/v1/tables/parts/records?filter=${filter}`);
    await colleague(`PATCH /api/v1/tables/parts/records/${body.data[0].id}`, { title: "Rivet" });
    await cell("Rivet").waitFor();

    // One step takes the whole paste back.
    await grid.focus();
    await page.keyboard.press("Control+z");
    await cell("Bolt 7").waitFor();
    await page.getByText("8 records").waitFor();

    // A filter becomes a view that has an address.
    await page.getByRole("button", { name: "Column Metal" }).click();
    await page.getByRole("menuitem", { name: "Filter by this" }).click();
    await page.getByRole("button", { name: "Filter, 1 in use" }).waitFor();
    await page.getByRole("button", { name: "Save a new view" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Of one metal");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("tab", { name: "Of one metal", selected: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("view")).toMatch(/^tvw_/);
  });
});
